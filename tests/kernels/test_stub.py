"""The stub says what the extension has."""

from __future__ import annotations

import ast
import inspect
import re

from conftest import ROOT

from idealist.kernels import _native

STUB = ast.parse((ROOT / "src/idealist/kernels/_native.pyi").read_text(encoding="utf-8"))
INHERITED = {"__iter__", "__buffer__", "__init__", "__eq__"}


def arity(function: object) -> set[int]:
    """How many arguments a native function takes, by each of its signatures."""
    text = inspect.getdoc(function) or ""
    counts = set()
    for inside in re.findall(r"^\w+\((.*)\) ->", text, re.MULTILINE):
        bare = re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", inside))
        counts.add(len([part for part in bare.split(",") if part.strip() and part.strip() != "/"]))
    return counts


def parameters(node: ast.FunctionDef) -> int:
    return len(node.args.posonlyargs) + len(node.args.args)


def test_module_and_stub_have_the_same_names() -> None:
    named = {node.name for node in STUB.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert named == {name for name in vars(_native) if not name.startswith("__")}


def test_functions_take_what_the_stub_says() -> None:
    for node in STUB.body:
        if isinstance(node, ast.FunctionDef):
            assert arity(getattr(_native, node.name)) == {parameters(node)}, node.name


def test_methods_take_what_the_stub_says() -> None:
    for cls in (node for node in STUB.body if isinstance(node, ast.ClassDef)):
        native = getattr(_native, cls.name)
        methods = {node.name: node for node in cls.body if isinstance(node, ast.FunctionDef)}
        public = {name for name in vars(native) if not name.startswith("_")}
        assert {name for name in methods if not name.startswith("_")} == public, cls.name
        for name, node in methods.items():
            if name not in INHERITED and not isinstance(vars(native)[name], property):
                assert arity(getattr(native, name)) == {parameters(node)}, f"{cls.name}.{name}"
