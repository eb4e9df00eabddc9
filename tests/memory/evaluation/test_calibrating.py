import numpy as np
import pytest

from memory.evaluation.calibrating import Example, TooFewExamples, fit

NAMED = {"fingerprint": "encoder + local", "threshold": 0.3, "provenance": "made up"}


def examples(count, *, signal=2.0, seed=0):
    """Make examples whose `useful` feature is higher where the label is true."""
    random = np.random.default_rng(seed)
    made = []
    for number in range(count):
        label = bool(number % 2)
        features = {
            "useful": float(random.normal(signal if label else 0.0)),
            "noise": float(random.normal()),
        }
        made.append(Example(features, label, f"group {number // 2}"))
    return made


def test_it_weighs_what_foretells_the_label_and_little_else():
    found = fit(examples(400), **NAMED).calibration
    weights = {name: own[2] for name, own in found.features.items()}
    assert weights["useful"] > 5 * abs(weights["noise"])
    low, high = ({"useful": value, "noise": 0.0} for value in (-1.0, 3.0))
    assert found.probability(low) < 0.3 < 0.7 < found.probability(high)


def test_a_calibration_says_what_it_is_for():
    found = fit(examples(80), **NAMED).calibration
    assert found.fingerprint == "encoder + local"
    assert found.threshold == 0.3
    assert found.provenance == "made up"


def test_figures_come_from_examples_that_the_model_has_not_seen():
    # Labels by chance: a model that had seen them would look better than chance.
    random = np.random.default_rng(3)
    labels = random.permutation([True, False] * 60)
    made = [
        Example(
            {f"f{n}": float(random.normal()) for n in range(30)}, bool(label), f"{g}"
        )
        for g, label in enumerate(labels)
    ]
    assert fit(made, **NAMED).auroc < 0.65


def test_the_twins_of_a_group_are_never_told_apart_by_having_seen_one():
    # Each group has a feature of its own that gives its label away.
    made = []
    for group in range(60):
        label = bool(group % 2)
        own = {f"g{n}": float(n == group) for n in range(60)}
        made += [Example(own, label, f"group {group}")] * 2
    assert fit(made, **NAMED).auroc < 0.65


def test_the_same_examples_give_the_same_model():
    first, second = (fit(examples(100), **NAMED) for _ in range(2))
    assert first.calibration == second.calibration
    assert first.unseen.tolist() == second.unseen.tolist()


@pytest.mark.parametrize(("label", "kind"), [(True, "negative"), (False, "positive")])
def test_too_few_of_one_kind_are_refused_with_how_many_are_missing(label, kind):
    made = [Example({"x": float(n)}, label, f"{n}") for n in range(40)]
    made += [Example({"x": float(n)}, not label, f"other {n}") for n in range(5)]
    with pytest.raises(TooFewExamples, match=f"15 more {kind} examples"):
        fit(made, **NAMED)
