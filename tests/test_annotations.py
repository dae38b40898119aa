"""Types of the public surface are there for whoever asks when a program runs, and nobody else waits for them."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import pydantic
import pytest
from test_surface import PACKAGES

import idealist as il
from idealist.base.annotations import LateAnnotations, named, read_late


def public_things() -> Iterator[tuple[str, Any]]:
    """Every public function and class, and the public methods of classes, by name."""
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            with contextlib.suppress(il.MissingDependency):
                value = getattr(module, name)
                inside = (
                    vars(value) if isinstance(value, ModuleType) and not hasattr(value, "__path__") else {}
                )
                own_names = {
                    f".{key}": one
                    for key, one in inside.items()
                    if getattr(one, "__module__", "") == value.__name__
                }
                for title, thing in (
                    (f"{package}.{name}{key}", one) for key, one in {"": value, **own_names}.items()
                ):
                    own = getattr(thing, "__module__", "").startswith("idealist")
                    if (
                        own
                        and isinstance(thing, (type, FunctionType))
                        and not title.rpartition(".")[2].startswith("_")
                    ):
                        yield title, thing
                    if own and isinstance(thing, type):
                        for method, function in inspect.getmembers(thing, inspect.isfunction):
                            if not method.startswith("_") and function.__module__.startswith("idealist"):
                                yield f"{title}.{method}", function


THINGS = dict(public_things())


def test_there_is_a_surface_to_ask() -> None:
    assert {"idealist.evaluate", "idealist.measures.NDCG.values", "idealist.engines.duckdb.evaluate"} <= set(
        THINGS
    )


def test_types_of_every_public_function_class_and_method() -> None:
    """As `typing` finds them, and as signatures whose annotations are evaluated have them."""
    wrong = {}
    for name, thing in THINGS.items():
        try:
            typing.get_type_hints(thing)
            if isinstance(thing, FunctionType):
                inspect.signature(thing, eval_str=True)
        except (NameError, TypeError, AttributeError) as error:
            wrong[name] = str(error)
    assert wrong == {}


def test_types_are_the_ones_that_are_written() -> None:
    hints = typing.get_type_hints(il.compare)
    assert hints["return"] is il.comparison.Comparison
    assert typing.get_type_hints(il.evaluate)["conventions"] == il.Conventions | str
    assert typing.get_type_hints(il.Conventions)["ties"] is str
    assert typing.get_type_hints(il.evaluation.Evaluation.mean)["return"] is float


def test_aliases_of_types_can_be_imported() -> None:
    from idealist.types import GivenJudgments, GivenRun, GivenRuns

    assert il.Judgments in typing.get_args(GivenJudgments)
    assert set(typing.get_args(GivenRun)) < set(typing.get_args(GivenRuns))
    assert typing.get_type_hints(il.explain)["judgments"] == GivenJudgments


@pytest.mark.parametrize("name", [name for name in il.__all__ if isinstance(getattr(il, name), FunctionType)])
def test_pydantic_wraps_every_verb(name: str) -> None:
    pydantic.validate_call(config={"arbitrary_types_allowed": True})(getattr(il, name))


def test_pydantic_checks_what_a_verb_is_given() -> None:
    checked = pydantic.validate_call(config={"arbitrary_types_allowed": True})(il.evaluate)
    assert checked({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR").mean("RR") == 1
    with pytest.raises(pydantic.ValidationError, match="threads"):
        checked({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", threads="many")  # type: ignore[arg-type]


def checked_types(function: Callable[..., Any]) -> Callable[..., Any]:
    """What beartype and its like do: annotations read one by one, text evaluated where the function was written."""
    written = inspect.unwrap(function)
    names = {name: eval(text, written.__globals__) for name, text in written.__annotations__.items()}

    def wrapper(**given: Any) -> Any:
        for name, value in given.items():
            kind = names[name]
            if isinstance(kind, type) and not isinstance(value, kind):
                raise TypeError(f"{name} is no {kind.__name__}")
        return function(**given)

    return wrapper


def test_a_wrapper_that_reads_annotations_itself() -> None:
    explained = checked_types(il.explain)
    assert explained(judgments={"q": {"a": 1}}, run={"q": {"a": 1.0}}, measure="RR", query="q").value == 1
    with pytest.raises(TypeError, match="query is no str"):
        explained(judgments={"q": {"a": 1}}, run={"q": {"a": 1.0}}, measure="RR", query=1)


def test_nothing_is_imported_before_annotations_are_read() -> None:
    code = """
import sys
import idealist as il
il.evaluate, il.compare, il.Measure, il.NDCG, il.evaluation.Evaluation
assert not {"typing", "numpy", "ast"} & set(sys.modules)
import typing
assert typing.get_type_hints(il.compare)["return"] is il.comparison.Comparison
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_ways_to_read_annotations_complete_the_names() -> None:
    ways: list[Callable[[dict[str, Any]], object]] = [
        lambda late: dict(late),
        lambda late: {**late},
        lambda late: list(late.values()),
        lambda late: list(late.items()),
        lambda late: late["x"],
        lambda late: late.get("x"),
        lambda late: late.copy(),
        lambda late: list(late.keys()),
    ]
    module = sys.modules["idealist.evaluation.aggregates"]
    for read in ways:
        vars(module).pop("Mapping", None)
        vars(module).pop("Sequence", None)
        late = LateAnnotations({"x": "Iterator[int]"}, __name__)
        assert late.module == __name__
        read(late)
        assert late.module == ""


def test_what_is_not_installed_is_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result can be typed where the library that draws it is not there."""
    results = importlib.import_module("idealist.base.results")
    monkeypatch.delattr(results, "Figure", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert named("idealist.base.results", "Figure") is Any
    monkeypatch.delattr(results, "Figure")


def test_nothing_of_other_packages_is_touched() -> None:
    class Mine(il.Measure):
        name = "Mine"

        def values(self, rankings: Nowhere) -> Any:  # type: ignore[name-defined]  # noqa: F821
            return rankings

    read_late(Mine)
    assert type(Mine.__dict__["values"].__annotations__) is dict
