"""What holds of everything that is chosen by a name, whatever its kind; and somebody's own of each kind, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import idealist as il
from idealist import InputError
from idealist.base.named import Named, Registered, plain
from idealist.clicks import ClickModel, InterleavedList, Interleaving, fit_clicks, interleave, simulate_clicks
from idealist.fusion import Method, fuse
from idealist.learn import Trainer
from idealist.learn.models.linear import Linear
from idealist.statistics import PairedTest
from idealist.statistics.paired_tests import Significance

KINDS: tuple[type[Registered], ...] = (PairedTest, Method, ClickModel, Interleaving, Trainer)
OBJECTS = tuple(kind for kind in KINDS if issubclass(kind, Named))


def kinds(*chosen: Any) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kind", chosen, ids=lambda kind: kind.kind)


# Laws -------------------------------------------------------------------------------------------------------------


@kinds(*KINDS)
def test_names_are_found_however_they_are_written(kind: type[Registered]) -> None:
    for name in kind.names():
        for written in (name, name.upper(), name.replace("-", "_"), f" {name.replace('-', '')} "):
            try:
                assert kind.named(written).name == name
            except ImportError as error:
                assert "not installed" in str(error)


@kinds(*KINDS)
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(kind: type[Registered]) -> None:
    for name in (name for name in kind.names() if len(name) > 4):
        with pytest.raises(InputError, match=f"there is no {kind.kind}") as caught:
            kind.named(f"{name}qx")
        assert f"did you mean {name}?" in caught.value.hint or f" {name}" in caught.value.hint
        assert all(other in caught.value.hint for other in kind.names())


@kinds(*OBJECTS)
def test_text_goes_both_ways(kind: type[Named]) -> None:
    for name in kind.names():
        try:
            found = kind.named(name)
        except ImportError:
            continue
        usual = kind.parse(name) if all(hasattr(found, field) for field in found.fields) else None
        if usual is not None:
            assert kind.parse(str(usual)) == usual
            assert kind.parse(usual) is usual
            assert kind.parse(found) == usual


@kinds(*OBJECTS)
def test_unknown_parameters_are_refused(kind: type[Named]) -> None:
    with pytest.raises(InputError, match=f"the {kind.kind} .* has no parameter 'zzz'"):
        kind.parse("ascent" if kind is Trainer else kind.names()[0], zzz=1)
    with pytest.raises(InputError, match=f"a {kind.kind} must be an object or its text, not 7"):
        kind.parse(7)
    with pytest.raises(InputError, match="a bracket is not closed"):
        kind.parse(f"{kind.names()[0]}(zzz=1")


def test_parameters_are_stated_in_text() -> None:
    assert Method.parse("rrf(k=10)") == Method.parse("RRF", k=10)
    assert str(Method.parse("wsum(run_weights=0.7:0.3)")) == "wsum(run_weights=0.7:0.3)"
    assert Trainer.parse("ascent(restarts=3)") == Trainer.parse("ascent", restarts=3)
    assert Trainer.parse(str(Trainer.parse("adarank(rounds=7)"))).parameters()["rounds"] == 7


# Somebody's own ---------------------------------------------------------------------------------------------------

RUNS = {"a": {"q": {"x": 3.0, "y": 2.0}}, "b": {"q": {"y": 3.0, "z": 2.0}}}


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    yield
    for kind in KINDS:
        for name, cls in list(kind._classes.items()):
            if not cls.__module__.startswith("idealist."):
                del kind._classes[name]


def test_a_test() -> None:
    class Trimmed(PairedTest, name="trimmed"):
        """How often the middle differences are on the other side."""

        trim: float = 0.25

        def find(self, sample: Any) -> Significance:
            cut = int(self.trim * len(sample))
            middle = sorted(sample.changes)[cut : len(sample) - cut]
            return Significance(2 * min(sum(d > 0 for d in middle), sum(d < 0 for d in middle)) / len(middle))

    assert str(Trimmed(trim=0.1)) == "trimmed(trim=0.1)"
    found = il.compare({"p": {"x": 1}, "q": {"x": 1}, "r": {"x": 1}, "s": {"y": 1}},
        {"a": {q: {"x": 1.0} for q in "pqrs"}, "b": {q: {"y": 1.0} for q in "pqrs"}}, "P@1", tests="trimmed(trim=0)",
    )  # fmt: skip
    assert (
        found.contrasts[0].significance("trimmed(trim=0)").p_value == 0.5
    )  # one of four is on the other side, twice
    with pytest.raises(InputError, match="trimmed: trim must be a number, not 'much'"):
        PairedTest.parse("trimmed(trim=much)")


def test_a_fusion_method() -> None:
    class Scaled(Method, name="scaled"):
        """The sum of the scores, times a factor."""

        times: float = 1.0

        def scores(self, united: Any) -> Any:
            return united.total(united.scores) * self.times

    assert fuse(RUNS, "scaled(times=2)", normalisation="none")["q"] == {"y": 10.0, "x": 6.0, "z": 4.0}
    assert Scaled.parse("scaled").times == 1


def test_a_way_to_interleave() -> None:
    class First(Interleaving, name="first"):
        """The list of the first system, who is credited with all."""

        def prepare(self, rankings: Any, k: int) -> Any:
            shown = tuple(next(iter(rankings.values())))[:k]
            credits = {name: (float(name == next(iter(rankings))),) * len(shown) for name in rankings}
            return lambda random: InterleavedList(shown, credits, {})

    drawn = First.parse("FIRST").prepare({name: list(run["q"]) for name, run in RUNS.items()}, 2)
    assert drawn(None).documents == ("x", "y")
    assert len(interleave(RUNS, "first", k=2)) == 1


def test_a_click_model() -> None:
    class Flat(ClickModel, name="flat"):
        """Every place that is shown is clicked alike."""

        about = "every place alike"

        @classmethod
        def fit(cls, slates: Any, start: Any = None) -> Flat:
            return cls(slates.clicked.sum(keepdims=True) / slates.shown.sum(), 1, True)

        def chances(self, slates: Any) -> Any:
            return slates.shown * self.attractions

        chances_given = looks = chances

    log = simulate_clicks({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "position", impressions=200)
    assert isinstance(fit_clicks(log, "FLAT").model, Flat)


def test_a_trainer() -> None:
    class FirstFeature(Trainer, name="first-feature"):
        """The first feature, times a weight."""

        weight: float = 1.0

        def fitted(self, task: Any) -> Any:
            names = list(task.train.names)
            return Linear(names, [self.weight] + [0.0] * (len(names) - 1)), {}

    rows = {"query": [1] * 3, "grade": [2, 1, 0], "bm25": [3.0, 2.0, 1.0], "age": [0.0, 1.0, 5.0]}
    assert il.learn.train("first_feature(weight=2)", rows, measure="nDCG").training["value"] == 1
    assert FirstFeature.parse("first-feature").weight == 1


def test_a_name_of_ours_is_taken() -> None:
    with pytest.raises(InputError, match="a fusion method of idealist is called 'rrf'"):

        class Mine(Method, name="rrf"):
            pass


def test_other_names() -> None:
    assert Trainer.named("coordinate-ascent").name == "ascent"
    assert Method.named("mnz").name == "combmnz"
    assert plain("Comb_MNZ ") == "combmnz"
