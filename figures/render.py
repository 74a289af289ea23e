"""Render the lesson's figures and the data behind them: python -m figures.render

Running it twice gives the same bytes. The date in reference-run.json is the day on which
its other entries last changed.
"""

import datetime
import json
import platform
from pathlib import Path

import jax
import matplotlib

from figures.mechanism import mechanism
from lessonlib import Settings, expected_reward, lesson_bandit, optimal_logp, train
from lessonlib import regularized_objective as objective
from lessonlib.teaching.figure import figure_data, plot_panels, svg_text

FOLDER = Path(__file__).parent
RECORD = FOLDER / "reference-run.json"
PANELS = (
    "Three panels: over the completed rollout batches the expected learned reward rises, the KL "
    "to the fixed reference rises with it, and at the end action 0 is far more probable than "
    "under the reference."
)
MECHANISM = (
    "Diagram in two parts: what flows between current policy, behaviour policy, reference policy, "
    "reward model and loss; and how long each lives, from one inner step to the whole run."
)


def reference_run(bandit, settings, history) -> dict:
    """The numbers of one run, and the versions that gave them."""
    optimum = optimal_logp(bandit.reference_logp, bandit.rewards, settings.beta)
    policies = {
        "reference": bandit.reference_logp,
        "trained": history.logp[-1],
        "optimum": optimum,
    }
    return {
        "jax": jax.__version__,
        "matplotlib": matplotlib.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "beta": settings.beta,
        "initial_reward": float(expected_reward(bandit.reference_logp, bandit.rewards)),
        "final_reward": float(history.reward[-1]),
        "final_kl": float(history.kl[-1]),
        "objective": {
            name: float(objective(logp, bandit.rewards, bandit.reference_logp, settings.beta))
            for name, logp in policies.items()
        },
    }


def with_date(run: dict) -> dict:
    """`run` with today's date, or with the recorded one where nothing else has changed."""
    recorded = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    date = recorded.pop("date", None)
    return {"date": date if recorded == run else datetime.date.today().isoformat()} | run


def render() -> dict[str, str]:
    """Every file of this folder that is made from code: its name and its text."""
    bandit, settings = lesson_bandit(), Settings()
    history = train(bandit, settings)
    data = figure_data(history, bandit)
    return {
        "posttraining-04.json": as_json(data),
        "posttraining-04.svg": svg_text(plot_panels(data), title=PANELS),
        "posttraining-04-mechanism.svg": svg_text(mechanism(settings), title=MECHANISM),
        RECORD.name: as_json(with_date(reference_run(bandit, settings, history))),
    }


def as_json(value) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name, text in render().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
        print(FOLDER / name)
