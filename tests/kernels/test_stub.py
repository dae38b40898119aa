"""The stub says what the extension has, and the extension says what the stub does: importing it has checked every signature."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import ROOT

import idealist
from idealist import kernels
from idealist.kernels import _native

STUB = ast.parse((ROOT / "src/idealist/kernels/_native.pyi").read_text(encoding="utf-8"))


def public_names() -> Iterator[tuple[str, Any]]:
    """Everything of the module, and of its classes."""
    for name, thing in vars(_native).items():
        if not name.startswith("_"):
            yield name, thing
            members = vars(thing).items() if isinstance(thing, type) else ()
            yield from ((f"{name}.{member}", it) for member, it in members if not member.startswith("_"))


NAMES = dict(public_names())
OF_NUMBERS = [name for name in NAMES if name.startswith(("Places.", "Values.", "Rankings."))]


def test_module_and_stub_have_the_same_names() -> None:
    named = set()
    for node in STUB.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            named.add(node.name)
        if isinstance(node, ast.ClassDef):
            members = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
            named |= {f"{node.name}.{name}" for name in members if not name.startswith("_")}
    assert named == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_says_what_it_is(name: str) -> None:
    doc = NAMES[name].__doc__ or ""
    is_function = callable(NAMES[name]) and not isinstance(NAMES[name], type)
    signature, _, said = doc.partition("\n\n") if is_function else ("", "", doc)
    assert said.strip(), f"{name} has no docstring"
    assert not is_function or signature.startswith(f"{name.rpartition('.')[2]}("), signature
    assert "arg0" not in doc
    assert "(self, arg" not in doc


@pytest.mark.parametrize("name", ["Gain", "Places", "Rankings", "Values", *OF_NUMBERS])
def test_examples(name: str) -> None:
    """Of what measures compute with, everything has one, in which `idealist` and its `kernels` are known."""
    names = {"idealist": idealist, "kernels": kernels}
    example = doctest.DocTestParser().get_doctest(NAMES[name].__doc__ or "", names, name, None, 0)
    assert example.examples, f"{name} has no example"
    assert doctest.DocTestRunner().run(example).failed == 0


def test_a_wrong_call_says_the_names_of_the_arguments() -> None:
    with pytest.raises(TypeError, match="level: float, k: int"):
        _native.hits("lists", 1.0, None, 1)  # type: ignore[arg-type]
