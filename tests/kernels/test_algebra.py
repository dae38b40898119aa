"""The operations that measures are written in: each is described once, and other backends have it in the same words."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import ROOT

from idealist import InputError, Rankings, backends, kernels
from idealist.kernels import _native, algebra

CORE = {
    node.name: {
        method.name: [argument.arg for argument in method.args.posonlyargs[1:]]
        for method in node.body
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_")
    }
    for node in ast.parse((ROOT / "src/idealist/kernels/_native.pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef)
}


def arguments(function: Any) -> list[str]:
    """The names of the arguments behind the first, which is the lists or `self`."""
    return list(inspect.signature(function).parameters)[1:]


def classes(suffix: str) -> Iterator[type[Any]]:
    """The classes of all backends whose names end so."""
    for _, name, _ in pkgutil.walk_packages(backends.__path__, "idealist.backends."):
        try:
            module = importlib.import_module(name)
        except ImportError:  # of PyTorch
            continue
        for cls in vars(module).values():
            own = isinstance(cls, type) and cls.__module__ == name
            if own and cls.__name__.endswith(suffix) and not cls.__name__.startswith("_"):
                yield cls


@pytest.mark.parametrize("name", kernels.OPERATIONS)
def test_every_operation_is_described(name: str) -> None:
    function = getattr(algebra, name)
    assert getattr(kernels, name) is function
    assert doctest.DocTestParser().get_examples(function.__doc__), "an operation has an example"
    (native,) = (signature for signature, _, _ in getattr(_native, name).__nb_signature__)
    node = ast.parse(f"{native}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert arguments(function) == [argument.arg for argument in node.args.posonlyargs[1:]]
    assert all(
        parameter.kind is parameter.POSITIONAL_ONLY
        for parameter in inspect.signature(function).parameters.values()
    )


def test_operations_are_the_functions_of_lists() -> None:
    functions = vars(algebra).items()
    of_lists = [name for name, it in functions if inspect.isfunction(it) and "lists" in arguments_of(it)[:1]]
    assert sorted(of_lists) == list(kernels.OPERATIONS)


def arguments_of(function: Any) -> list[str]:
    return [] if function.__name__.startswith("_") else list(inspect.signature(function).parameters)


def test_backends_have_operations_with_the_same_arguments() -> None:
    """Or they do not have them, and `kernels` refuses them by name."""
    for cls in classes("Lists"):
        if not hasattr(cls, "backend"):
            continue
        for name in kernels.OPERATIONS:
            if hasattr(cls, name):
                method = getattr(cls, name)
                assert arguments(method) == arguments(getattr(algebra, name)), f"{cls.__qualname__}.{name}"


@pytest.mark.parametrize("kind", ["Places", "Values"])
def test_backends_have_the_methods_of_numbers(kind: str) -> None:
    for cls in classes(kind):
        for name, said in CORE[kind].items():
            assert hasattr(cls, name), f"{cls.__module__}.{cls.__qualname__} has no {name}"
            if getattr(getattr(cls, name), "__wrapped__", None) is getattr(getattr(kernels, kind), name):
                continue  # it hands what it is given on to the core
            assert arguments(getattr(cls, name)) == said, f"{cls.__module__}.{cls.__qualname__}.{name}"


class NoLists:
    """Lists of a backend without operations."""

    backend = "none"


@pytest.mark.parametrize("name", kernels.OPERATIONS)
def test_an_operation_that_a_backend_lacks_is_refused_by_name(name: str) -> None:
    nothing: list[Any] = [None] * len(arguments(getattr(algebra, name)))
    with pytest.raises(InputError, match=f"^{name} is not an operation of none"):
        getattr(kernels, name)(NoLists(), *nothing)


def test_what_are_no_lists_is_a_mistake_of_types() -> None:
    with pytest.raises(TypeError, match="rankings: Rankings"):
        kernels.grades(Rankings.from_grades([[1]]))  # type: ignore[arg-type]
