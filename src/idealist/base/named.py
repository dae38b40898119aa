"""Things that are chosen by a name, and arguments under the names that other tools give them.

A kind of them is a base class, one of the kind a subclass with a name, and your own a class of a few lines. `all` lists a kind, `named`
finds the class of a name, `parse` makes the object of a text such as `rrf(k=10)`, and `str` gives the text again.
"""

from __future__ import annotations

from functools import wraps
from importlib import import_module

from idealist.base.annotations import read_late
from idealist.base.frozen import Frozen
from idealist.base.values import as_kind
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar, ParamSpec, Self, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")


class Registered:
    """The base of kinds whose classes are found by name. A subclass with `kind` is a kind; one of it, with `name`, can be named.

    >>> class Fruit(Registered, kind="fruit"):
    ...     pass
    >>> class Apple(Fruit, name="apple", other_names=("pomme",)):
    ...     pass
    >>> Fruit.named("Apple").name, Fruit.named("pomme").name, list(Fruit.all())
    ('apple', 'apple', ['apple'])
    >>> Fruit.named("appel")
    Traceback (most recent call last):
    idealist.errors.InputError: there is no fruit 'appel'
    hint: did you mean apple? Name one of: apple
    """

    # What messages call one of the kind.
    kind: ClassVar[str]
    name: ClassVar[str]
    # The modules of the package where the classes are, in the order of lists, each with their names where these should be known
    # before it is imported. A module is imported when a name of it is asked for.
    modules: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    # What other tools call them, by the plain form of that name.
    other_names: ClassVar[dict[str, str]] = {}
    _classes: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(
        cls, kind: str | None = None, name: str | None = None, other_names: Iterable[str] = (), **others: Any
    ) -> None:
        super().__init_subclass__(**others)
        if kind is not None:
            cls.kind = kind
            cls._classes, cls.other_names = {}, dict(cls.other_names)
        if name is not None:
            if not _packaged(cls) and plain(name) in map(plain, cls._ours()):
                raise InputError(f"a {cls.kind} of idealist is called {name!r}", hint="choose another name")
            cls.name = name
            cls._classes[plain(name)] = cls
            cls.other_names.update((plain(other), plain(name)) for other in other_names)

    @classmethod
    def all(cls) -> dict[str, type[Self]]:
        """Every class of the kind by its name: those of the package in their order, then others."""
        for module in cls.modules:
            import_module(module)
        order = {module: place for place, module in enumerate(cls.modules)}
        classes = sorted(cls._classes.values(), key=lambda found: order.get(found.__module__, len(order)))
        return {found.name: found for found in classes}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the kind. Modules whose names are known are not imported."""
        ours = cls._ours()
        return (*ours, *(found.name for found in cls._classes.values() if found.name not in ours))

    @classmethod
    def _ours(cls) -> list[str]:
        """The names of the package."""
        if all(cls.modules.values()):
            return [name for names in cls.modules.values() for name in names]
        return [name for name, found in cls.all().items() if _packaged(found)]

    @classmethod
    def named(cls, name: Any) -> type[Self]:
        """The class of a name, in capitals or not, with hyphens, underscores or neither."""
        key = plain(name)
        for module, names in (("", ()), *cls.modules.items()):
            key = cls.other_names.get(key, key)
            if module and (not names or key in map(plain, names)):
                import_module(module)
                key = cls.other_names.get(key, key)
            if key in cls._classes:
                found: type[Self] = cls._classes[key]
                return found
        raise InputError(f"there is no {cls.kind} {name!r}", hint=one_of(name, cls.names()))


class Named(Registered, Frozen):
    """The base of kinds whose objects have parameters: the fields of a class, which its text states where they are not as usual.

    A parameter is read by `readers`, and otherwise as what its default is: a number, a whole number, true or false, numbers, text.

    >>> class Spice(Named, kind="spice"):
    ...     pass
    >>> class Pepper(Spice, name="pepper"):
    ...     grains: int = 3
    ...     colour: str = "black"
    >>> Spice.parse("pepper(grains=5)"), str(Pepper(colour="white")), str(Spice.parse("Pepper"))
    (Pepper(grains=5), 'pepper(colour=white)', 'pepper')
    >>> Spice.parse("pepper(grain=5)")
    Traceback (most recent call last):
    idealist.errors.InputError: the spice pepper has no parameter 'grain'
    hint: did you mean grains? It has grains, colour
    """

    # How parameters are read, by name; what they are called in messages comes first.
    readers: ClassVar[Mapping[str, Callable[[str, Any], Any]]] = {}
    # Parameters that are learned from data, which texts do not hold.
    learned: ClassVar[tuple[str, ...]] = ()
    # Whether the text states all parameters, those that are as usual, too.
    says_all: ClassVar[bool] = False

    @classmethod
    def parse(cls, given: Any, defaults: Mapping[str, Any] | None = None, /, **parameters: Any) -> Self:
        """The object of a text, a class or an object, with these parameters in the place of its own. `defaults` are for parameters
        that a text does not state, where there are such parameters; an object is complete."""
        if isinstance(given, cls):
            for parameter in parameters:
                given._require_parameter(parameter)
            return given.replace(**parameters) if parameters else given
        stated: dict[str, Any] = {}
        if isinstance(given, type) and issubclass(given, cls):
            found: type[Self] = given
        elif isinstance(given, str):
            name, stated = call_in(given, cls.kind)
            found = cls.named(name)
        else:
            raise InputError(
                f"a {cls.kind} must be an object or its text, not {given!r}",
                hint=f"for example {cls.names()[0]!r}",
            )
        stated |= parameters
        for parameter in stated:
            found._require_parameter(parameter)
        open_to = {field: value for field, value in (defaults or {}).items() if field in found.fields}
        return found(**{**open_to, **stated})

    @classmethod
    def _require_parameter(cls, parameter: str) -> None:
        if parameter not in cls.fields or parameter in cls.learned:
            open_fields = [field for field in cls.fields if field not in cls.learned]
            hint = one_of(parameter, open_fields, "It has") if open_fields else "it has none"
            raise InputError(f"the {cls.kind} {cls.name} has no parameter {parameter!r}", hint=hint)

    def _checked(self, field: str, value: Any) -> Any:
        title = f"{getattr(self, 'name', type(self).__name__)}: {field}"
        default = getattr(type(self), field, None)
        if default is None and (value is None or value == "none"):
            return None
        if field in self.readers:
            return self.readers[field](title, value)
        if field in self.learned or default is None:
            return value
        return as_kind(value, title, type(default))

    def _stated(self) -> list[str]:
        """The parameters that are not as usual."""
        return [field for field in self.fields if getattr(self, field) != getattr(type(self), field, None)]

    def __str__(self) -> str:
        fields = self.fields if self.says_all else self._stated()
        stated = [
            f"{field}={_text(value)}"
            for field in fields
            if field not in self.learned and (value := getattr(self, field)) is not None
        ]
        return f"{self.name}({','.join(stated)})" if stated else self.name

    def __repr__(self) -> str:
        stated = (
            f"{field}=…" if field in self.learned else f"{field}={getattr(self, field)!r}"
            for field in self._stated()
        )
        return f"{type(self).__name__}({', '.join(stated)})"


def call_in(text: str, kind: str) -> tuple[str, dict[str, str]]:
    """The name in a text, and the parameters in brackets behind it.

    >>> call_in("randomisation(rounds=500, seed=7)", "test")
    ('randomisation', {'rounds': '500', 'seed': '7'})
    """
    name, bracket, inside = text.strip().partition("(")
    if bracket and (not inside.endswith(")") or text.count("(") != text.count(")")):
        raise InputError(
            f"the {kind} {text!r}: a bracket is not closed", hint="for example name(parameter=7)"
        )
    stated: dict[str, str] = {}
    for part in top_level(inside[:-1], ","):
        field, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise InputError(
                f"the {kind} {text!r}: {field!r} is not name=value", hint="for example name(parameter=7)"
            )
        if field in stated:
            raise InputError(f"the {kind} {text!r}: {field} is stated twice", hint="state it once")
        stated[field] = value
    return name.strip(), stated


def top_level(text: str, separators: str) -> list[str]:
    """The parts between separators that stand outside brackets.

    >>> top_level("nDCG(gain={0:0,1:5}), P@5", ",")
    ['nDCG(gain={0:0,1:5})', 'P@5']
    """
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "({[") - (character in ")}]")
        if depth == 0 and character in separators:
            parts.append(text[begin:at])
            begin = at + 1
    return [part.strip() for part in (*parts, text[begin:]) if part.strip()]


def plain(name: Any) -> str:
    """A name as names are compared.

    >>> plain("Team_Draft"), plain("approx-NDCG")
    ('teamdraft', 'approxndcg')
    """
    return "".join(character for character in str(name).lower() if character.isalnum())


def one_of(name: Any, names: Iterable[str], before: str = "Name one of:") -> str:
    """The hint where a name is unknown: the nearest, and all.

    >>> one_of("borad", ["borda", "rrf"])
    'did you mean borda? Name one of: borda, rrf'
    """
    from difflib import get_close_matches

    by_plain_name = {plain(known): known for known in names}
    near = get_close_matches(plain(name), by_plain_name, 1)
    known = f"{before} {', '.join(by_plain_name.values())}"
    return f"did you mean {by_plain_name[near[0]]}? {known}" if near else known[0].lower() + known[1:]


def _packaged(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == __name__.partition(".")[0]


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ":".join(map(_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


# What verbs of several runs, and those of one, have under other names elsewhere.
OF_RUNS = {
    "qrels": "judgments",
    "qrel": "judgments",
    "run": "runs",
    "measure": "measures",
    "metric": "measures",
    "metrics": "measures",
    "k": "a cut-off is part of the measure: nDCG@10, or NDCG(k=10)",
}
OF_ONE_RUN = {
    "qrels": "judgments",
    "qrel": "judgments",
    "runs": "run",
    "measures": "measure",
    "metric": "measure",
    "metrics": "measure",
    "k": "a cut-off is part of the measure: nDCG@10, or NDCG(k=10)",
}


def other_names(**names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator that refuses arguments under other names and says ours, or what to write instead. The types of what it returns can be read.

    >>> @other_names(metrics="measures")
    ... def evaluate(measures: str = "AP") -> str:
    ...     return measures
    >>> evaluate(measures="RR")
    'RR'
    >>> evaluate(metrics="RR")
    Traceback (most recent call last):
    idealist.errors.InputError: evaluate: there is no argument metrics
    hint: it is called measures: measures='RR'
    >>> @other_names(k="the cut-off is part of the measure, nDCG@10")
    ... def mean(measures: str = "nDCG") -> str:
    ...     return measures
    >>> mean(k=10)
    Traceback (most recent call last):
    idealist.errors.InputError: mean: there is no argument k
    hint: the cut-off is part of the measure, nDCG@10
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            __tracebackhide__ = True  # pytest shows the line of the test
            for other, ours in names.items():
                if other in kwargs:
                    given = kwargs[other]
                    shown = repr(given) if isinstance(given, (str, int, float)) else "…"
                    called = f"it is called {ours}: {ours}={shown}" if ours.isidentifier() else ours
                    raise InputError(f"{function.__name__}: there is no argument {other}", hint=called)
            return function(*args, **kwargs)

        read_late(checked)
        return checked

    return decorate
