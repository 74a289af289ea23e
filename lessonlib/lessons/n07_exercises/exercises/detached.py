"""Exercise on what must not receive a gradient, and the gradients of the loss by hand."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from lessonlib.lessons.n01_four_roles.exercises import ratio
from lessonlib.loss import ppo_loss
from lessonlib.teaching.exercises.model import Exercise, Misconception, case, log_softmax, some_logp


def ppo_gradients(
    logits, old_logps, actions, advantages, reference_logps, beta, clip, *,
    pull=1, push=1, into_old=0, into_advantages=0, flat=lambda outside: outside,
):  # fmt: skip
    """Gradients of the loss with respect to logits, old log-probs and advantages."""
    logp, rho = log_softmax(logits), ratio(logits, old_logps, actions)
    p, clipped = np.exp(logp), np.clip(rho, 1 - clip, 1 + clip)
    held = flat(clipped * advantages < rho * advantages)
    slope = np.where(held, 0, rho * advantages) / rho.size
    surrogate = slope @ (np.eye(p.size)[actions] - p)
    difference = logp - reference_logps
    drift = p * (difference - p @ difference)
    return (
        -pull * surrogate + push * beta * drift,
        into_old * slope,
        -into_advantages * np.where(held, clipped, rho) / rho.size,
    )


GRADIENTS = (
    Misconception(
        "gradient_into_old_logps", {"into_old": 1},
        "The value is right, but a gradient flows into the old log-probs. They are data from the "
        "time of collection and must be detached, never optimisation targets.",
    ),
    Misconception(
        "gradient_into_advantages", {"into_advantages": 1},
        "The value is right, but a gradient flows into the advantages. They are data from the time "
        "of collection and must be detached, never optimisation targets.",
    ),
    Misconception(
        "nothing_detached", {"into_old": 1, "into_advantages": 1},
        "The value is right, but a gradient flows into the old log-probs and into the advantages. "
        "Both are data from the time of collection and must be detached, never optimisation "
        "targets.",
    ),
    Misconception(
        "ratio_detached", {"pull": 0},
        "The value is right, but the ratio is detached: the surrogate sends no gradient to the "
        "logits, and nothing learns from the samples. Which of the two policies in ρ is data?",
    ),
    Misconception(
        "kl_detached", {"push": 0},
        "The value is right, but the KL is detached: it sends no gradient to the logits, so it "
        "cannot hold the policy back.",
    ),
    Misconception(
        "nothing_learns", {"pull": 0, "push": 0},
        "The value is right, but no gradient reaches the logits at all: nothing learns. What was "
        "detached that should not be?",
    ),
    Misconception(
        "clip_lets_gradient_through", {"flat": np.zeros_like},
        "The value is right, but the gradient passes through the clip as if it were not there. "
        "Where the clipped product is kept, a sample's surrogate is flat.",
    ),
)  # fmt: skip


def leaking_loss(logits, old_logps, actions, advantages, reference_logps, beta=0.1, clip=0.2):
    """The PPO loss of somebody who detached nothing but the reference."""
    logp = jax.nn.log_softmax(logits)
    rho = jnp.exp(logp[actions] - old_logps)
    kept = jnp.minimum(rho * advantages, jnp.clip(rho, 1 - clip, 1 + clip) * advantages)
    drift = jnp.sum(jnp.exp(logp) * (logp - jax.lax.stop_gradient(reference_logps)))
    return -jnp.mean(kept) + beta * drift


def correct_loss(logits, old_logps, actions, advantages, reference_logps, beta=0.1, clip=0.2):
    """The lesson's loss, under a name that does not tell which one it is."""
    return ppo_loss(logits, old_logps, actions, advantages, reference_logps, beta, clip)


def detached_gradients(
    loss, logits, old_logps, actions, advantages, reference_logps, beta, clip, *,
    leaks=lambda loss: float(loss is leaking_loss), argnums=(1, 3), finish=tuple,
    settings=lambda beta, clip: (beta, clip),
):  # fmt: skip
    """Gradients of the given loss with respect to old log-probs and advantages."""
    into_logits, into_old, into_advantages = ppo_gradients(
        logits, old_logps, actions, advantages, reference_logps, *settings(beta, clip),
        into_old=leaks(loss), into_advantages=leaks(loss),
    )  # fmt: skip
    gradients = {
        0: into_logits, 1: into_old, 3: into_advantages, 4: np.zeros_like(reference_logps)
    }  # fmt: skip
    return finish(gradients[i] for i in argnums)


_ARGUMENTS = {0: "logits", 1: "old_logps", 3: "advantages", 4: "reference_logps"}


def _other_arguments():
    for pair in itertools.product(_ARGUMENTS, repeat=2):
        first, second = (_ARGUMENTS[i] for i in pair)
        if pair == (1, 3):
            continue
        yield Misconception(
            f"{first}_and_{second}", {"argnums": pair},
            f"The gradients belong to {first} and {second}. Asked for are those with respect to "
            "old_logps and advantages, in this order. Arguments are counted from 0: which "
            "positions do the two have?",
        )  # fmt: skip


_DETACHED = (
    *_other_arguments(),
    Misconception(
        "always_zero", {"leaks": lambda loss: 0.0},
        "The gradients are zero also for a loss that leaks. Zeros were written down, the inputs "
        "were detached before differentiating, or another loss than the given one was "
        "differentiated. A test must be able to fail: it has to ask the loss that it was given.",
    ),
    Misconception(
        "stop_gradient_not_seen", {"leaks": lambda loss: 1.0},
        "The gradients are not zero for a loss that detaches. How much a value changes (finite "
        "differences) does not show what stop_gradient does; differentiate the given loss.",
    ),
    Misconception(
        "sign", {"finish": lambda g: tuple(-each for each in g)},
        "The sign of the gradients is flipped: asked for are the gradients themselves, not a step.",
    ),
    Misconception(
        "absolute", {"finish": lambda g: tuple(np.abs(each) for each in g)},
        "The absolute values came back; asked for are the gradients themselves.",
    ),
    Misconception(
        "summed", {"finish": lambda g: tuple(np.sum(each) for each in g)},
        "Each gradient was reduced to one number (a sum). Asked for are the gradients, one number "
        "for each sample: in a sum, leaks of opposite sign can hide each other.",
    ),
    Misconception(
        "absolute_sum", {"finish": lambda g: tuple(np.sum(np.abs(each)) for each in g)},
        "Each gradient was reduced to the sum of its absolute values. Asked for are the gradients "
        "themselves, one number for each sample.",
    ),
    Misconception(
        "settings_not_passed", {"settings": lambda beta, clip: (0.1, 0.2)},
        "β and clip were not passed on to the loss, so its defaults were used.",
    ),
    Misconception(
        "largest", {"finish": lambda g: tuple(np.max(np.abs(each)) for each in g)},
        "Each gradient was reduced to its largest entry. Asked for are the gradients themselves, "
        "one number for each sample.",
    ),
    Misconception(
        "all_zero_answer", {"finish": lambda g: tuple(np.all(each == 0) for each in g)},
        "True or False came back. Asked for are the gradients themselves.",
    ),
    Misconception(
        "batch_size_twice", {"finish": lambda g: tuple(each / each.size for each in g)},
        "The gradients are divided by N once too often: the mean in the loss does it already.",
    ),
    Misconception(
        "mean_undone", {"finish": lambda g: tuple(each * each.size for each in g)},
        "The gradients are multiplied by N. The loss is a mean, so 1/N belongs in them.",
    ),
)  # fmt: skip


def _cases():
    half, quarter = np.log(0.5), np.log(0.25)
    for loss in (leaking_loss, correct_loss):
        yield case(
            loss=loss, logits=[half, quarter, quarter], old_logps=[quarter, half, quarter, half],
            actions=[0, 1, 2, 2], advantages=[-2.0, 2.0, 1.0, -1.0],
            reference_logps=[quarter, half, quarter], beta=0.5, clip=0.25,
        )  # fmt: skip
    rng = np.random.default_rng(1414)
    for _ in range(2):
        behaviour, actions = some_logp(rng, 3), rng.integers(0, 3, 4)
        yield case(
            loss=leaking_loss, logits=behaviour + rng.normal(0.3, 0.4, 3),
            old_logps=behaviour[actions], actions=actions, advantages=rng.normal(0.3, 2, 4),
            reference_logps=some_logp(rng, 3), beta=0.2, clip=0.3,
        )  # fmt: skip


EXERCISES = (
    Exercise(
        "detached_gradients", "((N,), (N,))", detached_gradients, tuple(_cases()), _DETACHED,
        names=("gradient wrt old_logps", "gradient wrt advantages"),
    ),
)  # fmt: skip
