"""Diagnosis and repair: right repairs pass, wrong ones are told apart, and answers do not leak."""

import re
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import jupytext
import numpy as np
import pytest

from lessonlib import FAULTS, Settings, expected_reward, kl, plot_panels
from lessonlib.lessons.n08_diagnose.patients import (
    PATIENTS,
    check_repair,
    open_up,
    part_code,
    patient_figure,
    patient_score,
    patient_signs,
    patient_trace,
)
from lessonlib.rollout import Rollout
from lessonlib.teaching.ask import storage
from lessonlib.teaching.ask.questions import questions
from lessonlib.teaching.faults.matrix import Matrix
from lessonlib.teaching.faults.training import Row

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).parents[2] / "notebooks" / "source" / "08_diagnose.py"
LESSON = Settings()
REPAIRED = [name for name, fault in PATIENTS.items() if not FAULTS[fault].healthy]


def cells():
    return jupytext.read(SOURCE).cells


def scaffolds():
    """(patient, scaffold, folded solution) of each exercise of the notebook."""
    found, all_cells = [], cells()
    for place, cell in enumerate(all_cells):
        if name := cell.metadata.get("exercise"):
            fold = next(c.source for c in all_cells[place:] if "<summary>Solution" in c.source)
            solution = re.search(r"```python\n(.*?)```", fold, re.S)[1]
            found.append((name.removeprefix("repair_"), cell.source, solution))
    return found


def function(code):
    names = {"jax": jax, "jnp": jnp, "kl": kl, "Rollout": Rollout,
             "expected_reward": expected_reward}  # fmt: skip
    exec(code, names)
    return names[re.search(r"def (\w+)", code)[1]]


def test_every_ill_patient_is_repaired_in_the_notebook():
    assert [patient for patient, *_ in scaffolds()] == REPAIRED
    assert len(PATIENTS) - len(REPAIRED) >= 2


@pytest.mark.parametrize(("patient", "scaffold", "solution"), scaffolds())
def test_scaffold_is_not_attempted_and_solution_passes(patient, scaffold, solution):
    result = check_repair(patient, function(scaffold))
    assert not result.attempted and not result.passed
    assert storage.read("check").events == ()
    result = check_repair(patient, function(solution))
    assert result.passed, result
    assert storage.read("check", f"repair {patient}").events[0].details["passed"] is True


WRONG = [
    ("A", lambda logp, reference, actions: kl(reference, logp), "penalty_is_the_kl"),
    ("A", lambda logp, reference, actions: -kl(logp, reference), "penalty_pulls_back"),
    ("A", lambda logp, reference: kl(logp, reference), "The loop stopped inside it: TypeError"),
    ("D", lambda rollout, logits, rewards: rollout.advantages, "inputs_are_detached"),
    ("D", lambda rollout, logits, rewards: 0 * rollout.advantages, "mean surrogate"),
    ("F", lambda ratio, advantages, clip: ratio * advantages, "surrogate_is_pessimistic"),
    ("F", lambda ratio, advantages, clip: jnp.clip(ratio, 1 - clip, 1 + clip) * advantages,
     "surrogate_is_pessimistic"),
]  # fmt: skip


@pytest.mark.parametrize(("patient", "wrong", "words"), WRONG)
def test_wrong_repair_is_refused_with_what_it_breaks(patient, wrong, words):
    result = check_repair(patient, wrong)
    assert result.attempted and not result.passed and words in result.message


def test_faulty_part_does_not_repair_itself():
    for patient in REPAIRED:
        fault = FAULTS[PATIENTS[patient]]
        assert not check_repair(patient, getattr(fault.parts, fault.part)).passed


def test_nothing_to_repair_in_a_healthy_loop():
    assert "healthy" in check_repair("B", lambda new, old: 1).message
    with pytest.raises(ValueError, match="patient must be one of A, B, .*got 'Z'"):
        check_repair("Z", None)


def test_opened_up_patients_show_what_breaks_and_the_code():
    assert "penalty_pulls_back" in repr(open_up("A", LESSON))
    assert "All 14 invariants hold" in open_up("E", LESSON)._repr_html_()
    assert part_code("F").startswith("def surrogate(")


@pytest.mark.parametrize(("patient", "fault"), PATIENTS.items())
def test_code_of_a_part_does_not_tell_its_story(patient, fault):
    code = part_code(patient)
    assert code.startswith(f"def {FAULTS[fault].part}(") and "return" in code
    assert '"""' not in code and fault not in code and "#" not in code


def test_figures_show_each_setting_and_the_correct_loop():
    data = patient_figure("A", high_beta=replace(LESSON, beta=2), lesson=LESSON)
    assert [[s["label"] for s in panel["series"]] for panel in data["panels"]] == [
        ["reference policy", "high beta", "lesson"],
        ["high beta", "lesson"],
        ["reference policy", "high beta"],
    ]
    signs = patient_signs("A", LESSON)
    assert len(signs["panels"]) == 6
    assert len(plot_panels(signs).axes) == 6
    assert signs["panels"][0]["series"][0]["y"] == [0] * 40
    np.testing.assert_allclose(patient_trace("A", LESSON).ratio[:, 0], 1)


def answer(patient, text, right=False):
    storage.record("quiz", f"patient_{patient.lower()}", answer=text, right=right)


def test_first_diagnosis_counts_and_calling_the_healthy_ill_costs():
    assert repr(patient_score()) == "No patient diagnosed yet."
    answer("A", "The KL has no gradient.", right=True)
    answer("B", "Old log-probs are recomputed.")
    answer("C", "Something else.")
    answer("D", "Healthy: too slow.")
    answer("E", "Healthy: the same.", right=True)
    answer("B", "Healthy: one step.", right=True)
    score = patient_score()
    assert [points for *_, points in score.rows] == [1, -1, 0, -1, 1]
    assert score.points == 0 and repr(score).endswith("+0 of 6 points")


def test_each_patient_is_asked_about_and_only_the_healthy_are_called_so():
    asked = {q.id: q for q in questions() if q.notebook == "08_diagnose"}
    for patient, fault in PATIENTS.items():
        options = asked[f"patient_{patient.lower()}"].options
        called = [o for o in options if o.text.startswith("Healthy")]
        assert len(called) == 1 and called[0].right is FAULTS[fault].healthy


def test_notebook_does_not_name_a_patients_fault():
    text = "\n".join(cell.source for cell in cells())
    assert [fault for fault in PATIENTS.values() if fault in text] == []


def test_matrix_marks_what_fires():
    matrix = Matrix([Row("no_min", "a", True, 0.6), Row("no_min", "b", False, 0.0)])
    assert matrix.fires == {"no_min": ("a",)} and repr(matrix) == "no_min: a"
    assert "<td>●</td><td>–</td>" in matrix._repr_html_()
