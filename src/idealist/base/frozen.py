"""Immutable value objects whose fields are their parameters.

They are what frozen dataclasses are, without importing `dataclasses`: on the way from two files to
printed numbers that import alone would cost more time than all the rest.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from inspect import Signature
    from typing import Any, ClassVar, Self, dataclass_transform

    AnyMapping = Mapping[Any, Any]
else:
    AnyMapping = Mapping

    def dataclass_transform(**_: object):
        return lambda cls: cls


class _FrozenType(type):
    @property
    def __signature__(cls) -> Signature:
        """The fields as a signature, for `help` and editors."""
        from inspect import Parameter, Signature

        def parameter(name: str) -> Parameter:
            default = getattr(cls, name, Parameter.empty)
            return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)

        return Signature([parameter(name) for name in cls.fields])  # type: ignore[attr-defined]


def kept(value: Any) -> Any:
    """A dict as a table that cannot be changed, a list as a tuple."""
    kind = type(value)
    return FrozenTable(value) if kind is dict else tuple(value) if kind is list else value


@dataclass_transform(frozen_default=True)
class Frozen(metaclass=_FrozenType):
    """A value: equal when its type and fields are equal, hashable, and never changed once made. A dict that is given for a
    field is kept as a table that cannot be changed, a list as a tuple.

    Annotated names in the class body are the fields, in order; a value given there is the default.
    """

    fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        if sys.version_info >= (3, 14):
            own = cls.__annotations__  # never a base's there
        else:
            own = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - inspect is not imported here
        names = (name for name, kind in own.items() if "ClassVar" not in str(kind).partition("[")[0])
        cls.fields = (*cls.fields, *(name for name in names if name not in cls.fields))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        cls = type(self)
        fields = cls.fields
        if len(args) > len(fields):
            raise TypeError(f"{cls.__name__} takes at most {len(fields)} arguments, not {len(args)}")
        values = dict(zip(fields, args, strict=False))
        for field, value in kwargs.items():
            if field not in fields:
                known = ", ".join(fields) or "none"
                raise TypeError(f"{cls.__name__} has no parameter {field!r}; its parameters are: {known}")
            if field in values:
                raise TypeError(f"{cls.__name__} got {field!r} twice")
            values[field] = value
        # A class that checks nothing, with all its fields given: results are made so.
        if len(values) == len(fields) and cls._checked is Frozen._checked:
            self.__dict__.update({field: kept(value) for field, value in values.items()})
            return
        for field in fields:
            if field in values:
                value = values[field]
            elif hasattr(cls, field):
                value = getattr(cls, field)
            else:
                raise TypeError(f"{cls.__name__} needs {field!r}")
            self.__dict__[field] = kept(self._checked(field, value))

    def _checked(self, field: str, value: Any) -> Any:
        """The checked value of a field; raises for one that cannot be right."""
        return value

    def replace(self, **changes: Any) -> Self:
        """A copy with these fields changed; `copy.replace` of Python 3.13 gives the same."""
        return type(self)(**{**{field: getattr(self, field) for field in self.fields}, **changes})

    def __replace__(self, /, **changes: Any) -> Self:
        return self.replace(**changes)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; use replace({name}=…)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def _key(self) -> tuple[object, ...]:
        return tuple(map(self.__dict__.__getitem__, self.fields))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __repr__(self) -> str:
        stated = ", ".join(f"{field}={getattr(self, field)!r}" for field in self.fields)
        return f"{type(self).__name__}({stated})"


class FrozenTable(AnyMapping):
    """A mapping that is hashable and never changed once made."""

    __slots__ = ("_entries",)
    _entries: dict[Any, Any]

    def __init__(self, entries: Mapping[Any, Any]) -> None:
        object.__setattr__(self, "_entries", dict(entries))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __getitem__(self, key: Any) -> Any:
        return self._entries[key]

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(frozenset(self._entries.items()))

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return str(self._entries)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._entries,)
