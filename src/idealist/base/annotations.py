"""Annotations whose names are looked up when somebody reads them.

Modules import the names of their annotations under `if TYPE_CHECKING`, where they cost a command no time. Whoever asks for the
types of a public function or class when a program runs (`typing.get_type_hints`, `inspect`, pydantic, beartype) needs these
names in the module all the same: they are put there then, as the same lines of the module say.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from _collections_abc import dict_items, dict_keys, dict_values
    from collections.abc import Iterator
    from typing import Any

    Annotations = dict[str, Any]
else:
    Annotations = dict

OURS = __name__.partition(".")[0]


class LateAnnotations(Annotations):
    """The annotations of a function or class of a module, as text. Before they are read, the module gets the names in them."""

    __slots__ = ("module",)

    def __init__(self, annotations: dict[str, Any], module: str) -> None:
        super().__init__(annotations)
        self.module = module

    def _complete(self) -> None:
        module, self.module = self.module, ""
        if module:
            for text in super().values():
                _complete_names(module, text)

    def items(self) -> dict_items[str, Any]:
        self._complete()
        return super().items()

    def values(self) -> dict_values[str, Any]:
        self._complete()
        return super().values()

    def keys(self) -> dict_keys[str, Any]:
        self._complete()
        return super().keys()

    def __iter__(self) -> Iterator[str]:
        self._complete()
        return super().__iter__()

    def __getitem__(self, name: str) -> Any:
        self._complete()
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._complete()
        return super().get(name, default)

    def copy(self) -> dict[str, Any]:
        return dict(self)


def read_late(thing: Any) -> None:
    """Gives a public function or class annotations that are readable, a class with its methods and bases."""
    if isinstance(thing, FunctionType):
        _read_function_late(thing)
    elif isinstance(thing, type):
        for base in thing.__mro__:
            if base.__module__.partition(".")[0] == OURS:
                _read_class_late(base)


def _read_function_late(function: Any) -> None:
    """Of a function, and of the one that it wraps."""
    inner = function
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    annotations = inner.__annotations__
    if type(annotations) is dict:
        annotations = inner.__annotations__ = LateAnnotations(annotations, inner.__module__)
    if inner is not function:
        function.__annotations__ = annotations


def _read_class_late(cls: type) -> None:
    if sys.version_info >= (3, 14):
        annotations = cls.__annotations__  # never a base's there
    else:
        annotations = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - inspect is not imported here
    if type(annotations) is not dict:
        return  # it has been here
    cls.__annotations__ = LateAnnotations(annotations, cls.__module__)
    for member in vars(cls).values():
        for function in (
            member,
            getattr(member, "__func__", None),  # of a class method
            getattr(member, "fget", None),  # of a property
            getattr(member, "func", None),  # of a cached one
        ):
            if isinstance(function, FunctionType):
                _read_function_late(function)


def _complete_names(module: str, annotation: Any) -> None:
    """Gives a module the names that an annotation of it has."""
    import ast

    if isinstance(annotation, str):
        for node in ast.walk(ast.parse(annotation, mode="eval")):
            if isinstance(node, ast.Name):
                named(module, node.id)
            elif isinstance(node, ast.Constant):
                _complete_names(module, node.value)


def named(module: str, name: str) -> Any:
    """What a name stands for in the annotations of a module of ours; None where it has no such name, as for builtins.

    >>> named("idealist.conventions", "Mapping"), named("idealist.conventions", "str")
    (<class 'collections.abc.Mapping'>, None)
    """
    namespace = vars(import_module(module))
    if name not in namespace and (statement := _typing_statements(module).get(name)) is not None:
        import ast

        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            namespace[name] = _imported(statement, name)
        else:
            _execute(statement, module)
    return namespace.get(name)


_statements: dict[str, dict[str, ast.stmt]] = {}


def _typing_statements(module: str) -> dict[str, ast.stmt]:
    """The statements of a module below `if TYPE_CHECKING`, by the names that they give."""
    import ast

    if module not in _statements:
        found = import_module(module)
        source = found.__spec__.loader.get_data(found.__file__).decode()  # type: ignore[union-attr]
        _statements[module] = {
            name: statement
            for block in ast.parse(source).body
            if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
            for statement in block.body
            for name in _names_given(statement)
        }
    return _statements[module]


def _names_given(statement: ast.stmt) -> list[str]:
    import ast

    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef)):
        return [statement.name]
    return [
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def _imported(statement: ast.Import | ast.ImportFrom, name: str) -> Any:
    """What an import gives; Any where its library is not installed, so that nobody can have given such a thing."""
    import ast
    from typing import Any

    alias = next(alias for alias in statement.names if name in (alias.asname, alias.name.partition(".")[0]))
    try:
        if isinstance(statement, ast.Import):
            return import_module(alias.name if alias.asname else name)
        module = str(statement.module)
        if module.partition(".")[0] == OURS and (found := named(module, alias.name)) is not None:
            return found
        found = getattr(import_module(module), alias.name, None)
        return import_module(f"{module}.{alias.name}") if found is None else found
    except ImportError:
        return Any


def _execute(statement: ast.stmt, module: str) -> None:
    """Runs a statement of a module that is not an import: an alias of a type, or a protocol."""
    import __future__

    import ast

    given = _names_given(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and node.id not in given:
            named(module, node.id)
    tree = ast.Module([statement], type_ignores=[])
    flags = __future__.annotations.compiler_flag
    exec(compile(tree, module, "exec", flags, dont_inherit=True), vars(import_module(module)))
