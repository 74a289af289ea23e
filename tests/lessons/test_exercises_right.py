"""Right answers, written in many ways, are never turned away."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

import lessonlib
from lessonlib import check

pytestmark = pytest.mark.slow


def double(x):
    return np.asarray(x, dtype=np.float64)


def bt_numpy(w, chosen, rejected):
    m = (double(chosen) - double(rejected)) @ double(w)
    return np.mean(np.log1p(np.exp(-m)))


def bt_loop(w, c, r):
    total = 0.0
    for one, other in zip(c, r, strict=True):
        margin = sum(
            float(x) * (float(a) - float(b)) for x, a, b in zip(w, one, other, strict=True)
        )
        total -= math.log(1 / (1 + math.exp(-margin)))
    return total / len(c)


def bt_log_sigmoid(w, chosen, rejected):
    return -jax.nn.log_sigmoid(jnp.einsum("pf,f->p", chosen - rejected, w)).mean()


def bt_two_softmaxes(w, chosen, rejected):
    both = jnp.stack([chosen @ w, rejected @ w], axis=1)
    return -jnp.mean(jax.nn.log_softmax(both, axis=1)[:, 0])


def ratios_probability(logits, old_logps, actions):
    return jax.nn.softmax(logits)[actions] / jnp.exp(old_logps)


def ratios_list(logits, old_logps, actions):
    return [float(x) for x in lessonlib.ratios(logits, old_logps, actions)]


def ratios_loop(logits, old_logps, actions):
    p = np.exp(double(logits)) / np.exp(double(logits)).sum()
    return np.array([p[int(a)] / math.exp(o) for a, o in zip(actions, old_logps, strict=True)])


def ratios_one_hot(logits, old_logps, actions):
    picked = jax.nn.one_hot(actions, logits.size) @ jax.nn.log_softmax(logits)
    return jnp.exp(picked - old_logps)


def ratios_vmap(logits, old_logps, actions):
    logp = logits - jax.nn.logsumexp(logits)
    return jax.vmap(lambda a, o: jnp.exp(logp[a] - o))(actions, old_logps)


def term_if(ratio, advantage, clip):
    if advantage >= 0:
        return min(ratio, 1 + clip) * advantage
    return max(ratio, 1 - clip) * advantage


def surrogate_where(ratios, advantages, clip):
    bound = jnp.where(advantages > 0, 1 + clip, 1 - clip)
    return jnp.mean(jnp.minimum(ratios * advantages, bound * advantages))


def surrogate_loop(ratios, advantages, clip):
    return sum(
        term_if(float(r), float(a), clip) for r, a in zip(ratios, advantages, strict=True)
    ) / len(ratios)


def surrogate_numpy(ratios, advantages, clip):
    r, a = double(ratios), double(advantages)
    return np.minimum(r * a, np.clip(r, 1 - clip, 1 + clip) * a).mean()


def surrogate_as_maximum(ratios, advantages, clip):
    clipped = jnp.clip(ratios, 1 - clip, 1 + clip)
    return -jnp.maximum(-ratios * advantages, -clipped * advantages).sum() / ratios.shape[0]


def ppo_plain(logits, old_logps, actions, advantages, reference_logps, beta, clip):
    old_logps, advantages = map(jax.lax.stop_gradient, (old_logps, advantages))
    p = jax.nn.softmax(logits)
    rho = p[actions] / jnp.exp(old_logps)
    held = jnp.where(advantages > 0, jnp.minimum(rho, 1 + clip), jnp.maximum(rho, 1 - clip))
    return beta * jnp.sum(p * jnp.log(p / jnp.exp(reference_logps))) - (held * advantages).mean()


def ppo_numpy(logits, old_logps, actions, advantages, reference_logps, beta, clip):
    x = double(logits)
    logp = x - special.logsumexp(x)
    rho = np.exp(logp[np.asarray(actions)] - double(old_logps))
    kept = surrogate_numpy(rho, advantages, clip)
    return -kept + beta * np.sum(np.exp(logp) * (logp - double(reference_logps)))


def ppo_loop(logits, old_logps, actions, advantages, reference_logps, beta, clip):
    logp = jax.nn.log_softmax(logits)
    loss = 0.0
    for a, o, adv in zip(actions, old_logps, advantages, strict=True):
        o, adv = jax.lax.stop_gradient(o), jax.lax.stop_gradient(adv)
        rho = jnp.exp(logp[a] - o)
        loss = loss - jnp.minimum(rho * adv, jnp.clip(rho, 1 - clip, 1 + clip) * adv) / len(actions)
    for a in range(len(logits)):
        loss = loss + beta * jnp.exp(logp[a]) * (logp[a] - reference_logps[a])
    return loss


def ppo_array_of_numpy(*inputs):
    return jnp.asarray(ppo_numpy(*inputs))


def detached_by_vjp(loss, logits, old_logps, actions, advantages, reference_logps, beta, clip):
    def of_data(old_logps, advantages):
        return loss(logits, old_logps, actions, advantages, reference_logps, beta, clip)

    value, pull = jax.vjp(of_data, old_logps, advantages)
    return pull(jnp.ones_like(value))


def detached_one_by_one(loss, *inputs):
    return [jax.grad(loss, argnums=i)(*inputs) for i in (1, 3)]


def gradient_closed_form(logits, rewards, baseline):
    p = jax.nn.softmax(logits)
    return p * (rewards - p @ rewards)


def gradient_by_jax(logits, rewards, baseline):
    return jax.grad(lambda x: jnp.sum(jax.nn.softmax(x) * rewards))(logits)


def gradient_loop(logits, rewards, baseline):
    p = special.softmax(double(logits))
    total = np.zeros(p.size)
    for a in range(p.size):
        score = -p.copy()
        score[a] += 1
        total += p[a] * score * (float(rewards[a]) - baseline)
    return total


def baseline_formula(logits, rewards):
    p = jax.nn.softmax(logits)
    weights = p * (1 - 2 * p + jnp.sum(p**2))
    return weights @ rewards / weights.sum()


def baseline_parabola(logits, rewards):
    """The lowest point of the parabola through three values of the variance."""
    p, r = special.softmax(double(logits)), double(rewards)
    lengths = ((np.eye(p.size) - p) ** 2).sum(axis=1)
    v = [np.sum(p * lengths * (r - c) ** 2) for c in (-1.0, 0.0, 1.0)]
    return (v[0] - v[2]) / (2 * (v[0] - 2 * v[1] + v[2]))


def baseline_autodiff(logits, rewards):
    """Where the slope of the variance is zero: it is linear in c."""
    slope = jax.grad(lambda c: lessonlib.score_gradient_variance(logits, rewards, c))
    return -slope(0.0) / (slope(1.0) - slope(0.0))


def advantages_loop(actions, old_logp, rewards):
    mean = sum(math.exp(lp) * float(r) for lp, r in zip(old_logp, rewards, strict=True))
    return np.array([float(rewards[a]) - mean for a in actions])


def advantages_centre_first(actions, old_logp, rewards):
    return (rewards - jax.nn.softmax(old_logp) @ rewards)[actions]


def advantages_numpy(actions, old_logp, rewards):
    r = double(rewards)
    return r[np.asarray(actions)] - np.einsum("a,a->", np.exp(double(old_logp)), r)


def collected(actions, logits, rewards):
    logp = jax.nn.log_softmax(logits)
    return actions, logp[actions], rewards[actions] - jnp.exp(logp) @ rewards


def collect_gumbel(key, logits, rewards, n):
    noise = jax.random.gumbel(key, (n, logits.size))
    return collected(jnp.argmax(logits + noise, axis=1), logits, rewards)


def collect_inverse(key, logits, rewards, n):
    edges = jnp.cumsum(jax.nn.softmax(logits))
    u = jax.random.uniform(key, (n,))
    return collected(jnp.minimum(jnp.searchsorted(edges, u), logits.size - 1), logits, rewards)


def collect_choice(key, logits, rewards, n):
    p = jax.nn.softmax(logits)
    return list(collected(jax.random.choice(key, logits.size, (n,), p=p), logits, rewards))


def collect_numpy(key, logits, rewards, n):
    rng = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    p = special.softmax(double(logits))
    actions = rng.choice(p.size, size=n, p=p)
    return actions, np.log(p)[actions], double(rewards)[actions] - p @ double(rewards)


def collect_split_keys(key, logits, rewards, n):
    keys = jax.random.split(key, n)
    return collected(jax.vmap(lambda k: jax.random.categorical(k, logits))(keys), logits, rewards)


def fraction_loop(ratios, clip):
    return sum(r < 1 - clip or r > 1 + clip for r in ratios.tolist()) / len(ratios)


def kl_scipy(logp, reference_logp):
    return special.rel_entr(np.exp(double(logp)), np.exp(double(reference_logp))).sum()


def kl_probability(logp, reference_logp):
    p, q = jnp.exp(logp), jnp.exp(reference_logp)
    return jnp.dot(p, jnp.log(p / q))


def kl_loop(logp, reference_logp):
    return sum(
        math.exp(p) * (p - q) for p, q in zip(logp.tolist(), reference_logp.tolist(), strict=True)
    )


def kl_cross_entropy(logp, reference_logp):
    p = jnp.exp(logp)
    return jnp.vdot(p, logp) - jnp.vdot(p, reference_logp)


def optimum_probability(reference_logp, rewards, beta):
    weights = jnp.exp(reference_logp) * jnp.exp((rewards - rewards.max()) / beta)
    return jnp.log(weights / weights.sum())


def optimum_numpy(reference_logp, rewards, beta):
    x = double(reference_logp) + double(rewards) / beta
    return x - special.logsumexp(x)


def optimum_log_of_softmax(reference_logp, rewards, beta):
    return jnp.log(jax.nn.softmax(reference_logp + rewards / beta))


def objective(logp, q, r, beta):
    return jnp.exp(logp) @ r - beta * lessonlib.kl(logp, q)


def gap_as_kl(logp, q, r, beta):
    return beta * lessonlib.kl(logp, jax.nn.log_softmax(q + r / beta))


def gap_log_partition(logp, q, r, beta):
    return beta * jax.nn.logsumexp(q + r / beta) - objective(logp, q, r, beta)


def gap_numpy(logp, q, r, beta):
    logp, q, r = double(logp), double(q), double(r)
    best = optimum_numpy(q, r, beta)
    value = [np.sum(np.exp(x) * (r - beta * (x - q))) for x in (best, logp)]
    return value[0] - value[1]


def compare_log_partition(logp, q, r, beta):
    return (jnp.exp(q) @ r, objective(logp, q, r, beta), beta * jax.nn.logsumexp(q + r / beta))


def compare_array(logp, q, r, beta):
    policies = (q, logp, jax.nn.log_softmax(q + r / beta))
    return jnp.array([objective(x, q, r, beta) for x in policies])


def compare_numpy(logp, q, r, beta):
    q64 = double(q)
    best = optimum_numpy(q, r, beta)
    return tuple(
        float(np.exp(x) @ double(r) - beta * np.exp(x) @ (x - q64))
        for x in (q64, double(logp), best)
    )


RIGHT = {
    "bradley_terry_loss": [
        lessonlib.preference_loss,
        bt_numpy,
        bt_loop,
        bt_log_sigmoid,
        bt_two_softmaxes,
    ],
    "ratios": [
        lessonlib.ratios,
        jax.jit(lessonlib.ratios),
        ratios_probability,
        ratios_list,
        lambda *x: tuple(lessonlib.ratios(*x)),
        ratios_loop,
        ratios_one_hot,
        ratios_vmap,
    ],
    "clipped_term": [
        term_if,
        lessonlib.clipped_surrogate,
        lambda r, a, e: np.minimum(r * a, np.clip(r, 1 - e, 1 + e) * a),
        lambda r, a, e: sorted([r * a, max(min(r, 1 + e), 1 - e) * a])[0],
    ],
    "surrogate": [surrogate_where, surrogate_loop, surrogate_numpy, surrogate_as_maximum],
    "ppo_loss": [
        lessonlib.ppo_loss,
        ppo_plain,
        ppo_numpy,
        ppo_loop,
        ppo_array_of_numpy,
        jax.jit(ppo_plain),
    ],
    "expected_reward": [
        lessonlib.expected_reward,
        lambda p, r: jnp.einsum("a,a->", jnp.exp(p), r),
        lambda p, r: float(np.average(double(r), weights=np.exp(double(p)))),
        lambda p, r: sum(math.exp(x) * y for x, y in zip(p.tolist(), r.tolist(), strict=True)),
        lambda p, r: jax.nn.softmax(p) @ r,
    ],
    "kl": [lessonlib.kl, kl_scipy, kl_probability, kl_loop, kl_cross_entropy],
    "advantages": [advantages_loop, advantages_centre_first, advantages_numpy],
    "policy_gradient": [
        lessonlib.score_gradient,
        gradient_closed_form,
        gradient_by_jax,
        gradient_loop,
    ],
    "best_baseline": [
        lessonlib.best_baseline,
        baseline_formula,
        baseline_parabola,
        baseline_autodiff,
    ],
    "collect": [
        lessonlib.collect,
        collect_gumbel,
        collect_inverse,
        collect_choice,
        collect_numpy,
        collect_split_keys,
    ],
    "clip_fraction": [
        fraction_loop,
        lambda r, e: jnp.mean((r < 1 - e) | (r > 1 + e)),
        lambda r, e: np.count_nonzero(np.abs(double(r) - 1) > e) / r.size,
        lambda r, e: jnp.mean(jnp.clip(r, 1 - e, 1 + e) != r),
    ],
    "optimal_logp": [
        lessonlib.optimal_logp,
        optimum_probability,
        optimum_numpy,
        optimum_log_of_softmax,
    ],
    "regularized_gap": [gap_as_kl, gap_log_partition, gap_numpy],
    "kl_pair": [
        lambda q, p: (0.0, lessonlib.kl(p, q)),
        lambda q, p: jnp.array([kl_loop(q, q), kl_loop(p, q)]),
        lambda q, p: [kl_scipy(q, q), kl_scipy(p, q)],
    ],
    "detached_gradients": [
        lambda loss, *inputs: jax.grad(loss, argnums=(1, 3))(*inputs),
        detached_by_vjp,
        detached_one_by_one,
        lambda loss, *inputs: jax.jit(jax.grad(loss, argnums=(1, 3)))(*inputs),
    ],
    "compare_with_optimum": [compare_log_partition, compare_array, compare_numpy],
}


@pytest.mark.parametrize(
    ("name", "function"),
    [pytest.param(n, f, id=f"{n}-{i}") for n, each in RIGHT.items() for i, f in enumerate(each)],
)
def test_right_answers_pass(name, function):
    result = check(name, function)
    assert result.passed, result
    assert result.attempted
    assert result.mistake is None


def test_at_least_three_for_every_exercise():
    from lessonlib.teaching.exercises.checking import exercises

    assert set(RIGHT) == set(exercises())
    assert min(len(each) for each in RIGHT.values()) >= 3


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_list_or_tuple_passes_with_a_remark(kind):
    result = check("ratios", lambda *x: kind(ratios_list(*x)))
    assert result.passed
    assert f"Python {kind.__name__}" in result.message and "array" in result.message


def test_the_loss_names_the_same_number_of_inputs_with_and_without_gradients():
    for loss in (ppo_plain, ppo_numpy):
        assert check("ppo_loss", loss).message.startswith("Right on all 8 inputs.")
    assert "Its gradients are right too" in check("ppo_loss", ppo_plain).message


def test_numpy_loss_is_told_that_its_gradients_were_not_checked():
    assert "gradients were not checked" in check("ppo_loss", ppo_numpy).message
    assert "gradients were not checked" not in check("ppo_loss", ppo_plain).message
