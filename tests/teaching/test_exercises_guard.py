"""Whatever is handed to `check`, a verdict comes back, and soon."""

import contextlib
import io
import sys
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lessonlib
from lessonlib import CheckResult, check
from lessonlib.teaching.ask import storage
from lessonlib.teaching.exercises import guard
from lessonlib.teaching.exercises.checking import exercises

pytestmark = pytest.mark.slow

leaked = []


def endless_loop(p, q):
    while True:
        pass


def endless_that_catches_everything(p, q):
    while True:
        try:
            sum(range(50))
        except:  # noqa: E722
            sum([1])


def endless_printing(p, q):
    while True:
        print("still here")


def asleep(p, q):
    time.sleep(60)


def recursive(p, q):
    return recursive(p, q)


def changes_its_input(p, q):
    p[0] = 0.0
    return jnp.sum(p)


def leaks_a_tracer(p, q):
    jax.grad(lambda x: leaked.append(x) or jnp.sum(x))(p)
    return leaked[-1]


def interrupts(p, q):
    raise KeyboardInterrupt


def leaves(p, q):
    sys.exit(3)


class Hostile:
    def __array__(self, *args, **kwargs):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")

    def __len__(self):
        raise RuntimeError("no")


class HostileError(Exception):
    def __str__(self):
        raise RuntimeError("no")


def raises_hostile(p, q):
    raise HostileError


BAD = {
    "value": 3.0,
    "array": jnp.ones(3),
    "text": "kl",
    "too few": lambda p: p,
    "too many": lambda p, q, r: p,
    "raises": lambda p, q: 1 / 0,
    "hostile error": raises_hostile,
    "unknown name": lambda p, q: not_there,
    "list": lambda p, q: [0.1, 0.2],
    "text back": lambda p, q: "0.1",
    "nan": lambda p, q: jnp.nan,
    "inf": lambda p, q: np.inf,
    "complex": lambda p, q: 1j,
    "function back": lambda p, q: jnp.sum,
    "dict": lambda p, q: {"a": 1},
    "object": lambda p, q: np.array([object()]),
    "hostile": lambda p, q: Hostile(),
    "generator": lambda p, q: (x for x in p),
    "ragged": lambda p, q: [[1.0], [1.0, 2.0]],
    "huge": lambda p, q: jnp.ones((300, 300)),
    "half": lambda p, q: lessonlib.kl(p, q).astype("float16"),
    "recursive": recursive,
    "changes its input": changes_its_input,
    "leaks": leaks_a_tracer,
    "interrupts": interrupts,
    "leaves": leaves,
    "class": Hostile,
    "partial": np.add,
    "endless printing": endless_printing,
}


@pytest.mark.parametrize("bad", BAD)
def test_a_verdict_on_anything(bad, capfd):
    result = check("kl", BAD[bad])
    assert isinstance(result, CheckResult)
    assert result.attempted and not result.passed
    assert len(result.message) < 3000
    assert "<table" in result._repr_html_() or "<p>" in result._repr_html_()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", exercises())
@pytest.mark.parametrize("bad", ["value", "raises", "hostile", "nan"])
def test_a_verdict_in_every_exercise(name, bad):
    given = BAD[bad]
    function = (lambda *inputs: given(1, 2)) if callable(given) else given
    result = check(name, function)
    assert result.attempted and not result.passed


@pytest.mark.parametrize("function", [endless_loop, endless_that_catches_everything, asleep])
def test_an_endless_function_is_stopped(function):
    started = time.monotonic()
    result = check("kl", function)
    assert time.monotonic() - started < 5
    assert result.mistake == "endless"
    assert "did not come to an end" in result.message


def test_an_endless_loop_is_stopped_on_another_thread(monkeypatch):
    monkeypatch.setattr(guard, "LIMIT_IN_ALL", 0.5)
    results = []
    thread = threading.Thread(target=lambda: results.append(check("kl", endless_loop)))
    thread.start()
    thread.join(10)
    assert results[0].mistake == "endless"
    assert threading.gettrace() is None


def test_signal_handler_and_timer_are_put_back():
    import signal

    before = signal.getsignal(signal.SIGALRM)
    check("kl", lessonlib.kl)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("bad", "mistake"),
    [
        ("value", "not_a_function"), ("too few", "arguments"), ("unknown name", "unknown_name"),
        ("nan", "not_finite"), ("text back", "not_numbers"), ("changes its input", "in_place"),
        ("leaks", "leaked_tracer"), ("endless printing", "endless_printing"),
    ],
)  # fmt: skip
def test_what_went_wrong_is_named(bad, mistake):
    assert check("kl", BAD[bad]).mistake == mistake


SCAFFOLDS = [
    lambda *inputs: ..., lambda *inputs: None, lambda *inputs: (..., ...), ..., None,
]  # fmt: skip


@pytest.mark.parametrize("name", exercises())
@pytest.mark.parametrize("scaffold", SCAFFOLDS)
def test_a_scaffold_is_not_attempted(name, scaffold):
    result = check(name, scaffold)
    assert not result.attempted and not result.passed
    assert repr(result) == repr(check(name, scaffold))
    assert "Not attempted yet" in result.message
    assert storage.read("check").events == ()


def test_a_right_answer_to_another_exercise_is_refused():
    others = {
        "kl": lessonlib.expected_reward,
        "expected_reward": lessonlib.kl,
        "ratios": lessonlib.kl,
        "best_baseline": lessonlib.expected_reward,
        "optimal_logp": lessonlib.score_gradient,
        "policy_gradient": lessonlib.optimal_logp,
        "clipped_term": lessonlib.score_gradient,
        "surrogate": lessonlib.clipped_surrogate,
        "kl_pair": lessonlib.kl,
        "advantages": lessonlib.ratios,
        "bradley_terry_loss": lessonlib.ratios,
        "ppo_loss": lambda *x: lessonlib.preference_loss(*x[:3]),
        "regularized_gap": lambda p, q, r, b: lessonlib.regularized_objective(p, r, q, b),
        "clip_fraction": lambda r, e: lessonlib.clipped_surrogate(r, r, e),
    }
    for name, function in others.items():
        assert not check(name, function).passed, name


def test_gradient_mistakes_of_the_loss_are_named():
    def loss(keep, detach_ratio=False):
        def ppo(logits, old, actions, adv, ref, beta, clip):
            old, adv = (x if name in keep else jax.lax.stop_gradient(x)
                        for name, x in (("old", old), ("adv", adv)))  # fmt: skip
            logp = jax.nn.log_softmax(logits)
            rho = jnp.exp(logp[actions] - old)
            rho = jax.lax.stop_gradient(rho) if detach_ratio else rho
            kept = jnp.minimum(rho * adv, jnp.clip(rho, 1 - clip, 1 + clip) * adv)
            return -jnp.mean(kept) + beta * lessonlib.kl(logp, ref)

        return ppo

    wrong = {
        "gradient_into_old_logps": loss({"old"}), "gradient_into_advantages": loss({"adv"}),
        "nothing_detached": loss({"old", "adv"}), "ratio_detached": loss(set(), True),
    }  # fmt: skip
    for mistake, function in wrong.items():
        assert check("ppo_loss", function).mistake == mistake
    assert check("ppo_loss", loss(set())).passed


def test_it_shows_the_first_differing_input_in_small_numbers():
    result = check("expected_reward", lambda logp, rewards: jnp.exp(logp) @ rewards + 0.5)
    assert result.mistake is None
    assert "rewards = [1, 3]: asked for 1.5, yours 2." in result.message
    assert ("result", "1.5", "2") in result.rows


def test_html_is_escaped():
    def fn(p, q):
        raise ValueError("<script>alert(1)</script>")

    html = check("kl", fn)._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_what_it_prints_does_not_reach_the_notebook():
    def talkative(p, q):
        print("hello")
        return lessonlib.kl(p, q)

    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert check("kl", talkative).passed
    assert out.getvalue() == ""


def test_unknown_name_is_a_clear_error():
    with pytest.raises(ValueError, match=r"name must be one of .*Did you mean 'ratios'"):
        check("ratio", lessonlib.kl)


@pytest.mark.parametrize("name", [["kl"], {"kl": 1}, {"kl"}, 3, None])
def test_a_name_that_is_no_text_is_the_same_error(name):
    for ask in (lambda: check(name, lessonlib.kl), lambda: lessonlib.predict(name),
                lambda: lessonlib.quiz(name), lambda: lessonlib.reveal(name)):  # fmt: skip
        with pytest.raises(ValueError, match="must (be one of|name a question)"):
            ask()


@pytest.mark.parametrize("name", ["kl", "ratios", "policy_gradient", "bradley_terry_loss"])
def test_half_precision_is_called_rounded(name):
    right = {
        "kl": lessonlib.kl, "ratios": lessonlib.ratios,
        "policy_gradient": lessonlib.score_gradient,
        "bradley_terry_loss": lessonlib.preference_loss,
    }[name]  # fmt: skip
    result = check(name, lambda *x: right(*x).astype("float16"))
    assert result.mistake == "rounded"
    assert "about three digits" in result.message


NAIVE = {
    "softmax": ("ratios", lambda x, old, a: jax.nn.softmax(x)[a] / jnp.exp(old)),
    "exp": ("ratios", lambda x, old, a: (jnp.exp(x) / jnp.exp(x).sum())[a] / jnp.exp(old)),
    "log sigmoid": (
        "bradley_terry_loss", lambda w, c, r: -jnp.log(jax.nn.sigmoid((c - r) @ w)).mean()
    ),
    "log of exp": (
        "bradley_terry_loss", lambda w, c, r: jnp.log(1 + jnp.exp(-(c - r) @ w)).mean()
    ),
}  # fmt: skip


@pytest.mark.parametrize("naive", NAIVE)
def test_a_formula_that_overflows_is_right_and_hears_of_it(naive):
    result = check(*NAIVE[naive])
    assert result.passed and result.mistake is None
    assert "the formula is right, and fails for large numbers" in result.message


def test_a_changed_helper_is_seen_at_once():
    """Compiled code of a first try must not answer for a second one."""
    sign = [-1]

    def helper(p, q):
        return sign[0] * lessonlib.kl(p, q)

    assert check("kl", helper).mistake == "kl_sign"
    sign[0] = 1
    assert check("kl", helper).passed


def test_tries_are_counted_in_the_portfolio():
    check("kl", lambda p, q: ...)
    check("kl", lambda p, q: lessonlib.kl(q, p))
    check("kl", lessonlib.kl)
    events = storage.read("check", "kl").events
    assert [event.details["tries"] for event in events] == [1, 2]
    assert [event.details["passed"] for event in events] == [False, True]
    assert events[0].details["mistake"] == "kl_swapped"
    assert "lessonlib.kl(q, p)" in events[0].details["code"]


def test_a_portfolio_that_cannot_be_written_takes_no_verdict_away(monkeypatch):
    def broken(*args, **details):
        raise OSError("disk full")

    monkeypatch.setattr(storage, "record", broken)
    assert check("kl", lessonlib.kl).passed
