# make lab · test · check · notebooks · figures · bench · browser-test · slides · pages · handout
#
# Each first makes an environment from requirements.txt, once. Variables:
#   PYTHON=python3.12             the Python to make it with
#   VENV=/elsewhere               where to make it
#   ARGS="--no-browser"           options for JupyterLab
#   NB="03_signed_clipping"       the notebooks to render; none means all
#   SOLUTIONS=no                  no folded solutions in the students' handout

PYTHON ?= python3
VENV ?= .venv
SOLUTIONS ?= yes
READY := $(VENV)/ready
PACKAGES := build/packages/ready
RUN := $(VENV)/bin/python -m
TEST := LESSON_PORTFOLIO="$$(mktemp -d)" $(RUN) pytest -p no:cacheprovider
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout=120 --nbval-sanitize-with=tests/sanitize.cfg

VERSION := $(shell "$(PYTHON)" -c 'import sys; v = sys.version_info; print(v >= (3, 11) and "%d.%d" % v[:2] or "")' 2>/dev/null)
ifeq ($(VERSION),)
$(error This lesson needs Python 3.11 or newer, but $(PYTHON) says "$(shell "$(PYTHON)" --version 2>&1 || true)". Name another: make lab PYTHON=python3.12)
endif

# An environment made in another folder or with another Python is made anew.
export MADE_FOR := $(CURDIR) $(VERSION)
ifneq ($(MADE_FOR),$(shell cat $(READY) 2>/dev/null))
.PHONY: $(READY)
endif

.PHONY: lab test check notebooks figures bench browser-test slides pages handout

lab: $(READY)
	$(RUN) jupyterlab --allow-root --notebook-dir=. --LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb $(ARGS)

test: $(READY)
	$(TEST) $(NBVAL) -n 2 --dist loadfile tests notebooks

check: $(READY)
	$(RUN) ruff check && $(RUN) ruff format --check && $(RUN) pyrefly check && $(TEST) -n 2 -m "not slow" tests

notebooks: $(READY)
	$(RUN) notebooks.tools.render $(NB) && $(RUN) notebooks.tools.guide

figures: $(READY)
	$(RUN) figures.render

bench: $(READY)
	$(TEST) -s tests/bench_*.py tests/browser/bench_*.py

browser-test: $(READY) $(PACKAGES)
	$(TEST) tests/browser

slides pages: $(READY) $(PACKAGES)
	$(RUN) notebooks.tools.publish $@ build/$@

handout: $(READY)
	$(RUN) notebooks.tools.handouts build/handout $(SOLUTIONS)

$(PACKAGES): notebooks/tools/templates/packages.txt
	@rm -rf $(@D) && mkdir -p $(@D)
	@"$(PYTHON)" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest $(@D) -r $< \
		|| { echo "reveal.js and MathJax could not be fetched. That needs a network, once." >&2; exit 1; }
	@touch $@

$(READY): requirements.txt pyproject.toml $(wildcard notebooks/tools/startup/*)
	@echo "Making the environment $(VENV): about a minute, once."
	@test "$$(cat $@ 2>/dev/null)" = "$$MADE_FOR" || "$(PYTHON)" -m venv --clear --without-pip $(VENV)
	@"$(PYTHON)" -m pip --python $(VENV) install --quiet --disable-pip-version-check -r requirements.txt
	@"$(PYTHON)" -m pip --python $(VENV) install --quiet --disable-pip-version-check --no-deps -e .
	@mkdir -p $(VENV)/etc/ipython && cp -R notebooks/tools/startup $(VENV)/etc/ipython/
	@mkdir -p $(VENV)/share/jupyter/lab/settings && cp notebooks/tools/startup/overrides.json $(VENV)/share/jupyter/lab/settings/
	@echo "$$MADE_FOR" > $@
