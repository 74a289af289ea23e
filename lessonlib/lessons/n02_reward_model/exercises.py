"""Exercise on fitting the reward model: the Bradley–Terry loss."""

import numpy as np

from lessonlib.teaching.exercises.model import Exercise, Misconception, case


def softplus(x):
    """log(1 + exp x)."""
    return np.logaddexp(0, x)


def sigmoid(x):
    """1 / (1 + exp(−x))."""
    return 1 / (1 + np.exp(-x))


def margins(w, chosen, rejected):
    """Score of the chosen action minus score of the rejected one, (P,)."""
    return (chosen - rejected) @ w


def mean_negative_log_probability(margin):
    """Mean of −log σ(margin)."""
    return np.mean(softplus(-margin))


def bradley_terry_loss(
    w, chosen, rejected, *, margin=margins, loss=mean_negative_log_probability, sign=1
):
    """Mean softplus(−(chosen − rejected)·w)."""
    return sign * loss(margin(w, chosen, rejected))


def _cases():
    rng = np.random.default_rng(101)
    features = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]
    yield case(w=[2.0, 1.0], chosen=[[1.0, 0.0]], rejected=[[0.0, 1.0]])
    yield case(w=[2.0, 1.0], chosen=[[0.0, 1.0]], rejected=[[1.0, 0.0]])
    for w in ([2.0, 1.0], [-1.0, 0.5]):
        pairs = (0, 0, 1), (1, 2, 2)
        chosen, rejected = ([features[i] for i in side] for side in pairs)
        yield case(w=w, chosen=chosen, rejected=rejected)
    for _ in range(4):
        chosen, rejected = rng.normal(0, 1.5, (2, 5, 4))
        yield case(w=rng.normal(0, 1, 4), chosen=chosen, rejected=rejected)


_MISCONCEPTIONS = (
    Misconception(
        "chosen_and_rejected_swapped", {"margin": lambda w, c, r: (r - c) @ w},
        "Chosen and rejected look swapped, or the sign of the margin is lost: the loss falls when "
        "the rejected action scores higher. Try it with one pair whose chosen action scores far "
        "higher; should the loss be near 0 there, or large?",
    ),
    Misconception(
        "sign_of_loss", {"sign": -1},
        "This is the log-likelihood, with the sign flipped: a loss is minimised, so descending on "
        "yours would make the preferences less and less likely. Look at the sign; can a loss of "
        "this kind be negative?",
    ),
    Misconception(
        "sum_for_mean", {"loss": lambda m: np.sum(softplus(-m))},
        "The pairs are summed where their mean is asked for: with a sum, the size of a step grows "
        "with the number of pairs. Compare one pair with the same pair given three times.",
    ),
    Misconception(
        "no_mean", {"loss": lambda m: softplus(-m)},
        "One loss for each pair came back, shape (P,). A gradient needs a single number: how are "
        "the pairs combined?",
    ),
    Misconception(
        "probability_for_its_log", {"loss": lambda m: np.mean(sigmoid(m))},
        "This is the mean probability of the stated preferences; the logarithm is missing. "
        "Without it a badly mistaken pair hardly pulls at w. What does −log do to a probability "
        "near 0?",
    ),
    Misconception(
        "probability_of_error", {"loss": lambda m: np.mean(sigmoid(-m))},
        "This is the mean probability of a wrong preference, 1 − σ; the logarithm is missing, so "
        "a badly mistaken pair hardly pulls at w. Which function turns the probability of what "
        "was seen into a loss?",
    ),
    Misconception(
        "log_of_mean", {"loss": lambda m: -np.log(np.mean(sigmoid(m)))},
        "The logarithm is taken after averaging: a log of a mean (or sum) is not the mean of the "
        "logs. The pairs are independent, so their probabilities multiply. In which order do log "
        "and mean come then?",
    ),
    Misconception(
        "loss_of_mean_margin", {"loss": lambda m: softplus(-np.mean(m))},
        "The margins are averaged first, and one loss is taken of the average: a pair with a large "
        "margin hides a mistaken one. Take the loss of each pair before you average.",
    ),
    Misconception(
        "margin_without_sigmoid", {"loss": lambda m: -np.mean(m)},
        "This is the negative margin itself: the sigmoid and its logarithm are missing. It has no "
        "lower bound, so w would grow for ever at full speed. What should the loss of a pair do "
        "when its margin is already large?",
    ),
    Misconception(
        "hinge", {"loss": lambda m: np.mean(np.maximum(0, 1 - m))},
        "This is a hinge loss, max(0, 1 − margin). It ranks, but it is no likelihood: the scores "
        "no longer mean log-odds of a preference. Which smooth function does Bradley–Terry use?",
    ),
    Misconception(
        "perceptron", {"loss": lambda m: np.mean(np.maximum(0, -m))},
        "Pairs in the right order cost nothing here (max(0, −margin)), so fitting would stop at "
        "w = 0 already. Under Bradley–Terry a right order of a small margin still costs: how much, "
        "at margin 0?",
    ),
    Misconception(
        "softplus_sign_inside", {"loss": lambda m: np.mean(np.exp(-m))},
        "This is exp(−margin): the probability of the pair needs a denominator as well, σ, before "
        "the logarithm is taken. Compare values at a large negative margin.",
    ),
    Misconception(
        "softplus_plus_margin", {"loss": lambda m: np.mean(softplus(m) + m)},
        "A margin is added where one is to be taken away: check the identity by which you rewrote "
        "log σ, at margin 0 and at margin 1.",
    ),
    Misconception(
        "accuracy", {"loss": lambda m: np.mean(m > 0)},
        "This is the accuracy, the share of pairs in the right order. It is flat nearly "
        "everywhere: no gradient, nothing learns. What changes smoothly with the margin?",
    ),
    Misconception(
        "error_rate", {"loss": lambda m: np.mean(m < 0)},
        "This is the share of pairs in the wrong order. It is flat nearly everywhere: no gradient, "
        "nothing learns. What changes smoothly with the margin?",
    ),
    Misconception(
        "squared", {"loss": lambda m: np.mean((1 - sigmoid(m)) ** 2)},
        "This is a squared error on the probability. Its gradient vanishes for a pair that is "
        "badly wrong. Which loss is the negative log of the pair's probability?",
    ),
    Misconception(
        "squared_margin", {"loss": lambda m: np.mean((m - 1) ** 2)},
        "This pulls every margin towards 1, also those above it. A preference only says which one "
        "is better; what is the probability of that, given the margin?",
    ),
    Misconception(
        "base_two", {"loss": lambda m: np.mean(softplus(-m)) / np.log(2)},
        "The logarithm has base 2, so the loss is in bits; the lesson counts in nats.",
    ),
    Misconception(
        "rejected_ignored", {"margin": lambda w, c, r: c @ w},
        "The rejected action plays no part: only the chosen score is used. A preference speaks of "
        "a difference; adding a constant to all scores must change nothing.",
    ),
    Misconception(
        "chosen_ignored", {"margin": lambda w, c, r: -(r @ w)},
        "The chosen action plays no part: only the rejected score is used. A preference speaks of "
        "a difference; adding a constant to all scores must change nothing.",
    ),
    Misconception(
        "scores_added", {"margin": lambda w, c, r: (c + r) @ w},
        "The two scores are added. A preference speaks of their difference: adding a constant to "
        "all scores must change nothing.",
    ),
    Misconception(
        "features_not_summed", {"margin": lambda w, c, r: (c - r) * w},
        "Each feature is judged by itself: (chosen − rejected)·w is a dot product, one margin for "
        "each pair, and here the features were not summed. What shape has your margin?",
    ),
    Misconception(
        "margin_normalised", {"margin": lambda w, c, r: (c - r) @ w / np.linalg.norm(w)},
        "Here w is scaled to length 1, so that the scale of the reward can never be learned.",
    ),
    Misconception(
        "every_pair_with_every", {"margin": lambda w, c, r: (c @ w)[:, None] - (r @ w)[None, :]},
        "Each chosen action is compared with each rejected one, a (P, P) table: a shape (P, 1) met "
        "a shape (P,). Row p of chosen belongs to row p of rejected alone.",
    ),
    Misconception(
        "absolute_margin", {"margin": lambda w, c, r: np.abs((c - r) @ w)},
        "The margin lost its sign (an absolute value): a pair in the wrong order now looks right.",
    ),
    Misconception(
        "each_score_by_itself",
        {
            "margin": lambda w, c, r: (c @ w, r @ w),
            "loss": lambda both: np.mean(softplus(-both[0]) + softplus(both[1])),
        },
        "Each score got a loss of its own, as if being chosen and being rejected were separate "
        "labels. Only the difference counts: adding a constant to all scores must change nothing.",
    ),
    Misconception(
        "log_sigmoids_subtracted",
        {
            "margin": lambda w, c, r: (c @ w, r @ w),
            "loss": lambda both: np.mean(softplus(-both[0]) - softplus(-both[1])),
        },
        "The log-sigmoid is taken of each score, and then the difference. The difference comes "
        "first: only it has a probability under Bradley–Terry.",
    ),
    Misconception(
        "features_summed_last",
        {
            "margin": lambda w, c, r: (c - r) * w,
            "loss": lambda m: np.mean(np.sum(softplus(-m), axis=1)),
        },
        "Each feature got a loss of its own, and the losses were summed. The margin is one number "
        "for each pair: sum over the features first (a dot product).",
    ),
    Misconception(
        "log_of_sum", {"loss": lambda m: -np.log(np.sum(sigmoid(m)))},
        "The logarithm is taken after summing: a log of a sum is not the sum of the logs. The "
        "pairs are independent, so their probabilities multiply.",
    ),
)  # fmt: skip

EXERCISES = (
    Exercise(
        "bradley_terry_loss", "scalar", bradley_terry_loss, tuple(_cases()), _MISCONCEPTIONS,
        extremes=(case(w=[120.0, 0.0], chosen=np.eye(2)[::-1], rejected=np.eye(2)),),
    ),
)  # fmt: skip
