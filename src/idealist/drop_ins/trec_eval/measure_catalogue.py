"""What trec_eval 9 and 10 measure: the order of their measures, the parameters each takes, and the columns that a request such as `P.5,10` stands for."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.conventions import TREC_EVAL_9, TREC_EVAL_10
from idealist.errors import InputError
from idealist.measures.naming import ADDED_IN_10, DEFAULT_PARAMETERS, SETS, TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Match
    from typing import Any

    from idealist.measures import Measure


LONGEST = 2**63 - 1
DIGITS = len(str(LONGEST))
_INTEGER = r"[ \t\n\v\f\r]*([+-]?)([0-9]+)"
_REAL = (
    r"(?i)[ \t\n\v\f\r]*(?:"
    r"(?P<hex>[+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)"
    r"|(?P<plain>[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|infinity|inf|nan))"
    r")"
)


def atol(text: str) -> int:
    """The whole number a text begins with, within 64 bits.

    >>> atol("1.9"), atol(" -2x"), atol("x")
    (1, -2, 0)
    >>> atol("9" * 5000) == 2**63 - 1, atol("-" + "9" * 5000) == -(2**63)
    (True, True)
    """
    if len(text) < DIGITS and text.isascii() and text.isdigit():
        return int(text)
    match = _match(_INTEGER, text)
    if not match:
        return 0
    sign, digits = match[1], match[2].lstrip("0")
    number = LONGEST + 1 if len(digits) > DIGITS else int(digits or "0")
    return max(-LONGEST - 1, -number) if sign == "-" else min(LONGEST, number)


def atof(text: str) -> float:
    """The real number a text begins with: decimal, hexadecimal, infinite or nan.

    >>> atof("1.5e1x"), atof("0x1p3"), atof("1e400"), atof("score")
    (15.0, 8.0, inf, 0.0)
    """
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    match = _match(_REAL, text)
    if not match:
        return 0.0
    if match["hex"]:
        try:
            return float.fromhex(match["hex"])
        except OverflowError:
            return float("-inf" if match["hex"].startswith("-") else "inf")
    return float(match["plain"])


def _match(pattern: str, text: str) -> Match[str] | None:
    import re  # not for the usual numbers

    return re.match(pattern, text)


# Measures are printed in this order, whatever the order of the requests.
_ORDER = """
    runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relstring recall
    infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel Rndcg ndcg_cut map_cut relative_P
    success set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret
    prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg
    prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret prefs_simp_imp
    prefs_pair_imp prefs_avgjg_imp map_avgjg P_avgjg Rprec_mult_avgjg yaap rbp rbp_resid unj
"""
_NEW_IN_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")

# Measures that take cut-offs or shares are in DEFAULT_PARAMETERS. These take one list of numbers, which becomes a part
# of the printed name; and these a gain for some grades, and 10's rbp a persistence `p` beside it.
NUMBERS = ("relstring", "utility", "11pt_avg", "set_F")
PAIRS = ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "rbp", "rbp_resid")
RELSTRING_LENGTH = 10
PERSISTENCE = 0.9

CONVENTIONS = {9: TREC_EVAL_9, 10: TREC_EVAL_10}


class UnfitRequest(InputError):
    """A request that trec_eval refuses: `status` is its exit status, `lines` what it says."""

    def __init__(self, lines: list[str], status: int, hint: str = "") -> None:
        super().__init__(lines[-1], hint=hint)
        self.lines = lines
        self.status = status


class ListedGains(Frozen):
    """Gains for some grades; every other grade is its own gain.

    >>> gain = ListedGains(((1, 3.0),))
    >>> gain(1), gain(2)
    (3.0, 2.0)
    """

    pairs: tuple[tuple[int, float], ...]

    def __call__(self, grade: float) -> float:
        return next((gain for level, gain in self.pairs if level == grade), float(grade))


class Column(Frozen):
    """One line of trec_eval's output.

    `name` is printed; `base` is trec_eval's name of the measure; `parameter` what it was given: a cut-off, a
    share, a tuple of numbers, a tuple of pairs, or None. `summary` says how queries are put together: "mean";
    "sum", printed as a whole number; "geometric", printed for all queries only; or "text".
    """

    name: str
    base: str
    parameter: Any = None
    summary: str = "mean"
    version: int = 9
    level: int = 1

    @property
    def measure(self) -> Measure | None:
        """Our measure; None for the texts `runid` and `relstring`, and for parameters that make no sense to us,
        such as a recall of 2."""
        try:
            return None if self.base in TEXTS else _measure(self)
        except InputError:
            return None


def supported_measures(version: int = 9) -> tuple[str, ...]:
    """The names of trec_eval's measures, in its order.

    >>> len(supported_measures(9)), len(supported_measures(10))
    (52, 57)
    """
    return tuple(name for name in _ORDER.split() if version > 9 or name not in _NEW_IN_10)


def supported_nicknames(version: int = 9) -> dict[str, tuple[str, ...]]:
    """The names of sets of measures, and the measures of each.

    >>> supported_nicknames()["qrels_jg"]
    ('runid', 'num_q', 'map_avgjg', 'P_avgjg', 'Rprec_mult_avgjg')
    """
    return {
        nickname: (*names, *(ADDED_IN_10.get(nickname, ()) if version > 9 else ()))
        for nickname, names in SETS.items()
    }


def requested(requests: Iterable[str], version: int = 9) -> dict[str, str | None]:
    """The measures that requests ask for, in trec_eval's order, with the parameters given to each. Parameters
    given to a measure for the second time do not count."""
    measures, nicknames = supported_measures(version), supported_nicknames(version)
    marked: set[str] = set()
    parameters_of: dict[str, str] = {}
    for request in requests:
        name, dot, parameters = request.partition(".")
        refusal = f"trec_eval: illegal measure '{name}'"
        if dot and not parameters:
            raise UnfitRequest([f"trec_eval: improper measure in parameter '{name}'", refusal], 1)
        if dot:
            parameters_of.setdefault(name, parameters)
        if name not in nicknames and name not in measures:
            raise UnfitRequest([refusal], 1, hint="`idealist trec-eval -h` lists its measures")
        marked.update(nicknames.get(name, (name,)))
    return {name: parameters_of.get(name) for name in measures if name in marked}


def columns(requests: Iterable[str], version: int = 9, level: int = 1) -> list[Column]:
    """The columns that requests ask for, in trec_eval's order, documents of at least this grade being relevant.

    >>> [column.name for column in columns(["ndcg", "P.10,5"])]
    ['P_5', 'P_10', 'ndcg']
    >>> columns(["ndcg_cut.10"])[0].measure
    NDCG(k=10)
    """
    return [
        column
        for name, parameters in requested(requests, version).items()
        for column in columns_of(name, parameters, version, level)
    ]


def columns_of(name: str, parameters: str | None, version: int = 9, level: int = 1) -> list[Column]:
    """The columns of one measure, with parameters as they are written behind its name."""
    if name in DEFAULT_PARAMETERS:
        values = _cuts(name, parameters or ",".join(DEFAULT_PARAMETERS[name]))
        return [_column(_cut_name(name, value), name, value, version, level) for value in values]
    label = name if parameters is None or name not in NUMBERS + PAIRS else f"{name}_{parameters}"
    parameter: Any = None
    if name in NUMBERS and parameters is not None:
        parameter = tuple(atof(number) for number in parameters.split(","))
    elif name in PAIRS:
        parameter = () if parameters is None else _pairs(name, parameters)
    return [_column(label, name, parameter, version, level)]


def is_share(name: str) -> bool:
    """Whether the parameters of a measure are real numbers, not ranks."""
    return "." in DEFAULT_PARAMETERS[name][0]


def _cut_name(name: str, value: float) -> str:
    if not is_share(name):
        return f"{name}_{value}"
    return f"{name}_{value:.2f}"[: len(name) + 9]  # there is no more room for it


def _cuts(name: str, parameters: str) -> list[Any]:
    share = is_share(name)
    values = sorted(atof(number) if share else atol(number) for number in parameters.split(","))
    refusal = f"trec_eval: Cannot initialize measure '{name}'"
    if not share and values[0] <= 0:
        raise UnfitRequest(["trec_eval: Negative cutoff detected", refusal], 2)
    if len(set(values)) < len(values):
        raise UnfitRequest(["trec_eval: duplicate cutoffs detected", refusal], 2)
    return values


def _pairs(name: str, parameters: str) -> tuple[tuple[str, float], ...]:
    pairs = []
    for part in parameters.split(","):
        key, equals, value = part.partition("=")
        if not equals or "=" in value:
            lines = [
                f"trec_eval: malformed pair parameters in '{parameters}'",
                f"trec_eval: Cannot initialize measure '{name}'",
            ]
            raise UnfitRequest(lines, 2)
        pairs.append((key, atof(value)))
    return tuple(pairs)


def gains_of(pairs: tuple[tuple[str, float], ...], version: int) -> tuple[tuple[int, float], ...]:
    """The pairs that are a grade and its gain: in 10 those whose name is a whole number."""
    return tuple((atol(key), gain) for key, gain in pairs if version < 10 or _is_integer(key))


def _is_integer(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit()


def _column(label: str, name: str, parameter: Any, version: int, level: int) -> Column:
    summary = "mean"
    if name in TEXTS:
        summary = "text"
    elif name.startswith("gm_"):
        summary = "geometric"
    elif name.startswith(("num_", "prefs_num_")):
        summary = "sum"
    return Column(label, name, parameter, summary, version, level)


def _measure(column: Column) -> Measure:
    from idealist.measures import parse

    name, parameter = column.base, column.parameter
    changes: dict[str, Any] = {"level": column.level}
    if name in ("rbp", "rbp_resid"):
        measure = parse(f"{name}_{dict(parameter).get('p', PERSISTENCE)!r}")
    elif name in DEFAULT_PARAMETERS and not is_share(name):
        measure = parse(f"{name}_{parameter}")
    elif name in NUMBERS and parameter is not None:
        measure = parse(f"{name}_{','.join(repr(number) for number in parameter)}")
    else:
        measure = parse(name)
    if name in DEFAULT_PARAMETERS and is_share(name):
        changes[measure.at] = parameter
    if "cut" in measure.fields:
        nearest = column.version > 9 and name in ("iprec_at_recall", "11pt_avg")
        changes["cut"] = "nearest" if nearest else "nine-tenths"
    if name in PAIRS and (gains := gains_of(parameter, column.version)):
        changes["gain"] = ListedGains(gains)
    return measure.replace(**{field: to for field, to in changes.items() if field in measure.fields})
