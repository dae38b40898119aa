"""Signatures as a reader needs them: the fields of a value object, and a number where a default is a constant's name."""

from __future__ import annotations

import ast
from typing import Any

from griffe import (
    AliasResolutionError,
    Class,
    Expr,
    Extension,
    Function,
    Parameter,
    ParameterKind,
    Parameters,
)

# The class of value objects (idealist.base.frozen): annotated names in the body of a class are its parameters.
VALUES = "Frozen"


def is_value(cls: Class) -> bool:
    return any(base.name == VALUES for base in cls.mro())


class Signatures(Extension):  # type: ignore[misc]  # griffe is not there where types are checked
    """Gives value objects the signature that their fields make, and parameters the values of their defaults."""

    def on_class(self, *, cls: Class, **_: object) -> None:
        if not is_value(cls) or "__init__" in cls.members:
            return
        # What griffe labels so is neither a property nor a ClassVar.
        fields = {
            attribute.name: attribute
            for owner in [*reversed(cls.mro()), cls]
            if is_value(owner)
            for attribute in owner.members.values()
            if attribute.is_attribute and attribute.annotation and "instance-attribute" in attribute.labels
        }
        parameters = [Parameter("self", kind=ParameterKind.positional_or_keyword)]
        parameters += [
            Parameter(
                name,
                annotation=field.annotation,
                kind=ParameterKind.positional_or_keyword,
                default=field.value,
            )
            for name, field in fields.items()
        ]
        cls.set_member("__init__", Function("__init__", parameters=Parameters(*parameters), parent=cls))

    def on_function(self, *, func: Function, loader: Any, **_: object) -> None:
        for parameter in func.parameters:
            if isinstance(parameter.default, Expr) and str(parameter.default).isupper():
                try:
                    value = str(loader.modules_collection[parameter.default.canonical_path].value)
                    ast.literal_eval(value)
                except (KeyError, AttributeError, AliasResolutionError, ValueError, SyntaxError):
                    continue
                parameter.default = value
