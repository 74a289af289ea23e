"""The small library behind the lesson, in reading order: world, sums, losses, training."""

import os

# The lesson is tested on the CPU and needs no more. Without this, JAX looks for an
# accelerator and may print a warning about it in the middle of a notebook.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from lessonlib.teaching.doctor import doctor, require_importable

require_importable()  # a missing package is named in plain words before an import fails

from lessonlib.bandit import Bandit, fit_reward, lesson_bandit, preference_pairs
from lessonlib.exact import (
    best_baseline,
    expected_reward,
    kl,
    optimal_logp,
    regularized_objective,
    score_gradient,
    score_gradient_variance,
)
from lessonlib.grid import sweep
from lessonlib.loss import clipped_surrogate, ppo_loss, preference_loss, ratios
from lessonlib.rollout import History, Rollout, Settings, collect, train
from lessonlib.teaching.ask.comparison import reveal
from lessonlib.teaching.ask.evidence import portfolio
from lessonlib.teaching.ask.prediction import predict
from lessonlib.teaching.ask.quizzes import quiz
from lessonlib.teaching.exercises import CheckResult, check
from lessonlib.teaching.faults.training import FAULTS, fault_table, train_with
from lessonlib.teaching.figure import figure_data, picture, plot_panels
from lessonlib.teaching.missing_name import install as explain_missing_names
from lessonlib.teaching.widgets.explorer import explore
from lessonlib.teaching.widgets.step_panel import stepper

explain_missing_names()

__all__ = [
    "FAULTS",
    "Bandit",
    "CheckResult",
    "History",
    "Rollout",
    "Settings",
    "best_baseline",
    "check",
    "clipped_surrogate",
    "collect",
    "doctor",
    "expected_reward",
    "explore",
    "fault_table",
    "figure_data",
    "fit_reward",
    "kl",
    "lesson_bandit",
    "optimal_logp",
    "picture",
    "plot_panels",
    "portfolio",
    "ppo_loss",
    "predict",
    "preference_loss",
    "preference_pairs",
    "quiz",
    "ratios",
    "regularized_objective",
    "reveal",
    "score_gradient",
    "score_gradient_variance",
    "stepper",
    "sweep",
    "train",
    "train_with",
]
