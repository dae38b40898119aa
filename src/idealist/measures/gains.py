"""What a grade is worth: a name, a table from grade to gain, or any function of the grade."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from idealist import kernels
from idealist.base.frozen import FrozenTable
from idealist.base.values import as_number
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.data import Rankings

    Gain = str | Mapping[Any, float] | Callable[[float], float]

NAMES = {"linear": "the grade", "exp": "2^grade - 1", "binary": "1 for every grade above 0"}
HIGHEST_EXPONENT = 1023  # 2^1024 is beyond a double


class GainTable(FrozenTable):
    """A table from grade to gain, lowest grade first."""

    __slots__ = ()

    def __init__(self, gains: Mapping[Any, Any]) -> None:
        number = {
            as_number(grade, "a grade of the gain table", finite=True): as_number(
                gain, f"the gain of grade {grade!r}", finite=True
            )
            for grade, gain in gains.items()
        }
        if not number:
            raise InputError("the gain table must not be empty", hint="for example {1:3,2:9}")
        super().__init__(dict(sorted(number.items())))

    def __str__(self) -> str:
        return "{" + ",".join(f"{number_text(g)}:{number_text(v)}" for g, v in self.items()) + "}"


def hint_of_table(gain: Mapping[float, float]) -> str:
    """What to do about a grade that a gain table lacks.

    >>> hint_of_table(GainTable({0: 0, 1.5: 3}))
    'add it: the table has 0, 1.5'
    """
    return f"add it: the table has {', '.join(map(number_text, gain))}"


def number_text(number: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def read_gain(value: Any) -> Any:
    """The canonical form of a gain, from what a caller gave or wrote."""
    if isinstance(value, str):
        text = value.strip()
        if text in NAMES:
            return text
        if text.startswith("{") and text.endswith("}"):
            return GainTable(_table_entries(text[1:-1]))
    elif isinstance(value, Mapping):
        return GainTable(value)
    elif callable(value):
        return value
    raise InputError(
        f"gain={value!r} is unknown",
        hint=f"{' or '.join(NAMES)}, a table such as {{0:0,1:1,2:5}}, or a function of the grade",
    )


def _table_entries(text: str) -> dict[float, float]:
    entries: dict[float, float] = {}
    for entry in text.split(","):
        grade, colon, gain = entry.partition(":")
        try:
            if not colon:
                raise ValueError
            key = float(grade)
            if key in entries:
                raise InputError(
                    f"the gain table has grade {number_text(key)} twice", hint="give each grade one gain"
                )
            entries[key] = float(gain)
        except InputError:
            raise
        except ValueError:
            raise InputError(
                f"{entry.strip()!r} in a gain table is not grade:gain", hint="for example {1:3,2:9}"
            ) from None
    return entries


def gain_function(gain: Gain) -> Callable[[float], float]:
    """The gain of one grade, as a function."""
    if gain == "linear":
        return lambda grade: grade
    if gain == "exp":
        return lambda grade: 2.0**grade - 1.0
    if gain == "binary":
        return lambda grade: float(grade > 0)
    if isinstance(gain, Mapping):
        return gain.__getitem__
    assert callable(gain)
    return gain


def gain_rule(gain: Gain) -> Callable[[Any], Any]:
    """The gain of a grade by arithmetic and comparisons, as `kernels.worths` takes it; KeyError where a table has none. The
    `grades` of a table are those it has."""
    function = gain_function(gain)

    def checked(grade: Any) -> Any:
        number = function(grade)
        numeric = isinstance(grade, float)
        return (
            as_number(number, f"the gain of grade {number_text(grade)}", finite=True) if numeric else number
        )

    if not isinstance(gain, Mapping):
        return checked

    def of_table(grade: Any) -> float:
        for known, worth in gain.items():
            if grade == known:
                return worth
        raise KeyError(grade)

    of_table.grades = tuple(gain)  # type: ignore[attr-defined]
    return of_table


@lru_cache(maxsize=8)
def _named_gain(gain: str, negative_counts: bool) -> kernels.Gain:
    return kernels.Gain(gain, negative_counts, [])


def native_gain(gain: Gain, rankings: Rankings) -> kernels.Gain:
    """A gain as the kernels take it, after making sure that every grade has one."""
    negative_counts = rankings.conventions.negative == "keep"
    if gain == "exp" and rankings.native.highest_grade() > HIGHEST_EXPONENT:
        raise InputError(
            f"grade {rankings.native.highest_grade():g} is too high for gain=exp: 2^grade is infinite",
            hint="use gain=linear or a table",
        )
    if gain in ("linear", "exp"):
        return _named_gain(gain, negative_counts)
    try:
        worth = kernels.worths(rankings.native, gain_rule(gain), negative_counts)
    except KeyError as error:
        if not isinstance(gain, Mapping):
            raise
        absent = error.args[0]
        query = next(ranking.query for ranking in rankings if absent in ranking.judged)
        raise InputError(
            f"query {query!r} has grade {number_text(absent)}, which the gain table lacks",
            hint=hint_of_table(gain),
        ) from None
    refuse_bounds_of_falling_gains(worth.table, rankings.conventions.ties)
    return worth


def refuse_grades_above(max_grade: float, rankings: Rankings) -> None:
    """For measures whose scale of grades is stated: a grade beyond it has no place there."""
    highest = rankings.native.highest_grade()
    if highest > max_grade:
        query = next(ranking.query for ranking in rankings if ranking.judged and ranking.judged[0] == highest)
        raise InputError(
            f"query {query!r} has grade {number_text(highest)}, above max_grade={number_text(max_grade)}",
            hint=f"state the highest grade of the scale, such as max_grade={number_text(highest)}",
        )


def refuse_bounds_of_falling_gains(table: Sequence[tuple[float, float]], ties: str) -> None:
    """The best and the worst order of tied documents are by grade, which must then be the order by gain,
    an unjudged document's 0 standing below grade 0."""
    if ties not in ("optimistic", "pessimistic"):
        return
    gains = [gain for _, gain in table]
    rises = gains == sorted(gains) and all((gain >= 0) == (grade >= 0) for grade, gain in table if gain)
    if not rises:
        raise InputError(
            f"ties={ties} needs a gain that rises with the grade, and is not negative from grade 0 up",
            hint="choose another rule for ties, such as ties=averaged",
        )
