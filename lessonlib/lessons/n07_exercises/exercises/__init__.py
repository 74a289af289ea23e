"""The exercises of notebook 07, a module for each theme."""

from lessonlib.lessons.n07_exercises.exercises import (
    against_optimum,
    collecting,
    detached,
    divergence,
    gap,
    policy,
    ppo,
    score,
    surrogate,
)

_THEMES = (policy, divergence, surrogate, ppo, score, collecting, gap, detached, against_optimum)
EXERCISES = tuple(each for theme in _THEMES for each in theme.EXERCISES)
