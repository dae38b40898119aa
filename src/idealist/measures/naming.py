"""Measures by name: the families, trec_eval's names for sets of measures, and the text form, such as `nDCG(gain=exp)@10` or `ndcg_cut_10`.

The families of measures. Two are always there; the others are imported when something of theirs is asked
for, so that a command that needs none of them does not wait for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from os.path import isfile

from idealist.base.named import top_level
from idealist.errors import InputError, UnknownMeasure, shortened
from idealist.measures.measure import Measure, parsed_before, registered, unstated
from idealist.measures.measure_parameters import PARAMETERS, Parameter, parameter_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


# In the order `idealist measures` lists them, and in which a name is looked for.
FAMILIES = (
    "gain",
    "binary",
    "counts",
    "sets",
    "recall_levels",
    "pairs",
    "means",
    "incomplete",
    "user_models",
    "adaptive_models",
    "expectations",
    "rated",
    "diversity",
    "nuggets",
    "judgment_groups",
    "preferences",
    "personal",
    "sessions",
    "instructions",
    "confidence",
    "objectives",
    "fairness",
    "items",
    "popularity_bias",
    "catalogue",
    "clicks",
    "agreement",
)


def growing_registry() -> Iterator[dict[str, type[Measure]]]:
    """The measures known so far, then again after every further family."""
    yield registered()
    for family in FAMILIES:
        import_module(f"idealist.measures.families.{family}")
        yield registered()


def registry() -> dict[str, type[Measure]]:
    """All measures by name, family by family."""
    *_, measures = growing_registry()
    family_order = {family: at for at, family in enumerate(FAMILIES)}
    return dict(
        sorted(measures.items(), key=lambda pair: family_order.get(pair[1].family, len(family_order)))
    )


CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
RECALLS = tuple(f"{tenths / 10:.2f}" for tenths in range(11))
MULTIPLES = tuple(f"{fifths / 5:.2f}" for fifths in range(1, 11))

# Measures that trec_eval prints once for each parameter, and the parameters if none are given.
DEFAULT_PARAMETERS = {
    **dict.fromkeys(("P", "recall", "relative_P", "map_cut", "ndcg_cut", "P_avgjg"), CUTOFFS),
    "success": ("1", "5", "10"),
    "unj": ("5", "10", "20"),
    "iprec_at_recall": RECALLS,
    **dict.fromkeys(("Rprec_mult", "Rprec_mult_avgjg"), MULTIPLES),
}
TEXTS = ("runid", "relstring")  # text, not measures

_COUNTS = "runid num_q num_ret num_rel num_rel_ret"
_OFFICIAL = f"{_COUNTS} map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SET = "utility set_P set_recall set_relative_P set_map set_F"
_PREFS = (
    "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair "
    "prefs_avgjg"
)

# By name, the measures of a set as trec_eval 9 has it.
SETS = {
    "official": tuple(_OFFICIAL.split()),
    "set": tuple(f"{_COUNTS} {_SET}".split()),
    "all_trec": tuple(
        (
            f"{_OFFICIAL} relstring recall infAP gm_bpref 11pt_avg {_SET} ndcg relative_P Rprec_mult success "
            "map_cut ndcg_cut ndcg_rel Rndcg binG G num_nonrel_judged_ret"
        ).split()
    ),
    "all_prefs": tuple(
        (
            f"{_PREFS} prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret "
            "prefs_avgjg_Rnonrel_ret prefs_simp_imp prefs_pair_imp prefs_avgjg_imp"
        ).split()
    ),
    "prefs": tuple(_PREFS.split()),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
# What trec_eval 10 adds to them.
ADDED_IN_10 = {"all_trec": ("rbp", "rbp_resid", "unj")}


def _with_parameters(name: str) -> str:
    return (
        " ".join(f"{name}_{value}" for value in DEFAULT_PARAMETERS[name])
        if name in DEFAULT_PARAMETERS
        else name
    )


# The text form of each set: its measures with their parameters.
NICKNAMES = {
    nickname: " ".join(_with_parameters(name) for name in names if name not in TEXTS)
    for nickname, names in SETS.items()
}


# ir_measures' names for parameters, and its names for gain and discount together.
PARAMETER_ALIASES = {
    "rel": "level",
    "cutoff": "k",
    "gains": "gain",
    "min_rel": "min_grade",
    "max_rel": "max_grade",
}
SPACES = ", \t\n"
PRIMES = ("'", "′")
NUMBER = "0123456789.,-"  # what one or several numbers are written with
LONGEST = 10_000  # characters of one measure
DEEPEST = 50  # measures within measures
REMEMBERED = 1000  # texts that are not parsed again
LONGEST_NAME = 100  # of a name that similar ones are looked for
DCG_STYLES = {"log2": {"gain": "linear"}, "exp-log2": {"gain": "exp"}}


def parse(text: str | Measure, *, defaults: Mapping[str, Any] | None = None) -> Measure:
    """The measure that a text names, or the measure itself.

    `defaults` are for parameters that neither the text nor the object states, where the measure has them.

    >>> parse("nDCG(gain=exp)@10")
    NDCG(k=10, gain='exp')
    >>> parse("map_cut_100") == parse("AP@100")
    True
    """
    if isinstance(text, Measure):
        return text.with_unstated(defaults) if defaults else text
    if isinstance(text, type) and issubclass(text, Measure):
        raise InputError(f"{text.__name__} is a class of measures", hint=f"write {text.__name__}()")
    if not isinstance(text, str):
        raise InputError(
            f"a measure must be an object or its text form, not {text!r}",
            hint="for example 'nDCG@10'; of an object of another library, give str(…)",
        )
    if defaults:
        return _measure_of(text, defaults)
    measures = parsed_before()
    measure = measures.get(text)
    if measure is None:
        measure = _measure_of(text, {})
        if len(measures) >= REMEMBERED:
            measures.clear()
        measures[text] = measure
    return measure


def _measure_of(text: str, defaults: Mapping[str, Any]) -> Measure:
    _refuse_huge(text)
    plain, level = _without_level(text.strip())
    name, inside, behind = _split(plain)
    if name.endswith(PRIMES):  # nDCG′: of the list without its unjudged documents
        return parse(f"Condensed(of={plain.replace(name, name[:-1], 1)})", defaults=defaults)
    parts = [part.partition("=") for part in top_level(inside, ",")]
    cls, parameters, number = _look_up(name, [field.strip() for field, _, _ in parts], behind is None)
    written = {
        field: value for field, value in parameters.items() if isinstance(value, str) and "{}" in value
    }
    stated: list[tuple[str, str]] = []
    for field, equals, value in parts:
        if not equals:
            raise InputError(f"{text!r}: {field!r} is not name=value", hint=_parameters(cls))
        stated += _parameter(cls, field.strip(), _unquoted(value.strip()), text).items()
    if number is not None:
        stated.append((next(iter(written), cls.at), number))
    stated = [(field, written.get(field, "{}").replace("{}", value)) for field, value in stated]
    if behind is not None:
        stated.append((cls.at, behind))
    if level is not None:
        stated += _parameter(cls, "level", level, text).items()
    fields = [field for field, _ in stated]
    if len(set(fields)) < len(fields):
        twice = next(field for field in fields if fields.count(field) > 1)
        raise InputError(f"{text!r}: {twice} appears twice", hint="state it once")
    parameters = {field: value for field, value in parameters.items() if field not in written} | dict(stated)
    if isinstance(parameters.get("of"), str):
        parameters["of"] = parse(parameters["of"], defaults=defaults)
    measure = _made(cls, {**unstated(cls, defaults), **parameters}, text)
    return measure.with_unstated(defaults)


def _refuse_huge(text: str) -> None:
    if len(text) > LONGEST:
        raise InputError(
            f"a measure's text has at most {LONGEST:,} characters, not {len(text):,}: {shortened(text, 60)!r}",
            hint=f"at most {LONGEST:,}; several are apart by spaces or commas",
        )
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth > DEEPEST:
            raise InputError(
                f"{shortened(text, 60)!r}: brackets are nested more than {DEEPEST} deep",
                hint="write a simpler measure",
            )


def parse_all(
    texts: str | Measure | Iterable[str | Measure], *, defaults: Mapping[str, Any] | None = None
) -> tuple[Measure, ...]:
    """One measure or several, each once; a text may hold several, apart by spaces or commas, and trec_eval's
    names for sets of measures, such as all_trec."""
    if isinstance(texts, (str, Measure)):
        texts = [texts]
    parsed: dict[Measure, None] = {}
    items: Iterable[Any] = texts if isinstance(texts, Iterable) else [texts]
    for text in items:
        parts = _measures_in(text) if isinstance(text, str) else [text]
        for part in parts:
            parsed.update((measure_parsed, None) for measure_parsed in _parsed(part, defaults))
    if not parsed:
        raise InputError("no measure was named", hint="for example nDCG@10")
    for name, value in (defaults or {}).items():
        if parameter_name(name) in PARAMETERS:
            PARAMETERS[parameter_name(name)].read(value)
        elif not any(name in measure.fields for measure in parsed):
            raise InputError(
                f"no measure has a parameter {name!r}", hint=f"name one of: {', '.join(PARAMETERS)}"
            )
    if len({str(measure) for measure in parsed}) < len(parsed):
        raise InputError(
            "two different measures have the same text", hint="give their functions different names"
        )
    return tuple(parsed)


def _parsed(text: Any, defaults: Mapping[str, Any] | None) -> list[Measure]:
    """The measure of a text, or those of trec_eval's way to ask for several: P.5,10."""
    try:
        return [parse(text, defaults=defaults)]
    except InputError:
        numbered = _one_for_each_number(text) if isinstance(text, str) else []
        if not numbered:
            raise
        return [parse(part, defaults=defaults) for part in numbered]


def _one_for_each_number(text: str) -> list[str]:
    first, *others = text.split(",")
    if not others or any(not other or other.strip(NUMBER) for other in others):
        return []
    for at, character in enumerate(first):
        if character in "@_." and at + 1 < len(first) and not first[at + 1 :].strip(NUMBER):
            return [first, *(first[: at + 1] + other for other in others)]
    return []


def _without_level(text: str) -> tuple[str, str | None]:
    """ranx writes the relevance level behind everything else: map@100-l2."""
    head, mark, level = text.rpartition("-l")
    return (head, level) if mark and head and level.isdigit() else (text, None)


def _set(text: str) -> str:
    """The measures of a set, by its name in trec_eval; anything else as it is."""
    if not text.islower():
        return text

    return NICKNAMES.get(text, text)


def _measures_in(text: str) -> list[str]:
    """The texts of the measures in a text, sets of them by their names in trec_eval; a bare number is one more
    for the measure before it."""
    measures: list[list[str]] = []
    parts = [text_part for name in top_level(text, SPACES) for text_part in top_level(_set(name), SPACES)]
    for part in parts:
        if measures and not part.strip(NUMBER):
            measures[-1].append(part)
        else:
            measures.append([part])
    return [",".join(text_part) for text_part in measures]


def _split(text: str) -> tuple[str, str, str | None]:
    """The name, what stands in brackets, and the cut-off."""
    head, at, cutoff = text.rpartition("@")
    if not at or ")" in cutoff:
        head, at, cutoff = text, "", ""
    name, bracket, inside = head.strip().partition("(")
    if head.count("(") != head.count(")") or (bracket and not inside.endswith(")")):
        raise InputError(f"{text!r}: a bracket is not closed", hint="for example nDCG(gain=exp)@10")
    if at and not cutoff.strip():
        raise InputError(f"{text!r}: no cut-off behind @", hint="for example nDCG@10")
    return name.strip(), inside[:-1], cutoff.strip() or None


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value


def _names(measures: Mapping[str, type[Measure]]) -> dict[str, tuple[type[Measure], dict[str, Any]]]:
    """Every name and alias in lower case, with its class and the parameters it stands for."""
    key = tuple(measures.items())
    if key not in _NAMES:
        names: dict[str, tuple[type[Measure], dict[str, Any]]] = {}
        for name, cls in measures.items():
            for alias, parameters in {name: {}, **cls.aliases}.items():
                names.setdefault(alias.lower(), (cls, dict(parameters)))
        if len(_NAMES) > 100:  # where measures are made on the fly
            _NAMES.clear()
        _NAMES[key] = names
    return _NAMES[key]


# What was made of each state of the registry: thousands of measures are looked up in one.
_NAMES: dict[Any, dict[str, tuple[type[Measure], dict[str, Any]]]] = {}


def _look_up(
    name: str, fields: list[str], may_end_in_number: bool
) -> tuple[type[Measure], dict[str, Any], str | None]:
    """The class, the parameters its name stands for, and the number at the end of the name."""
    for measures in growing_registry():
        names = _names(measures)
        if entry := names.get(f"{name}({','.join(fields)})".lower()) or names.get(name.lower()):
            return *entry, None
        for head, number in _numbered(name) if may_end_in_number else ():
            if entry := names.get(head.lower()):
                return *entry, number
    raise UnknownMeasure(f"no measure is called {name!r}", hint=_suggestion(name))


def _numbered(name: str) -> Iterator[tuple[str, str]]:
    """trec_eval's way: P_10, ndcg_cut.10, iprec_at_recall_0.10, utility.1,-1,0,0. Every name that may stand
    before a number, the longest first."""
    for at in range(len(name) - 1, 0, -1):
        if name[at] not in NUMBER:
            return
        if name[at - 1] in "_." and any(map(str.isdigit, number := name[at:])):
            yield name[:at], number
            yield name[: at - 1], number


# What people ask for by a property, and the measures that have it.
PROPERTIES = {
    "diversity": "ILD@10 (distances in a list), alpha-nDCG@10 (subtopics) or CategoryCoverage@10",
    "intralistdiversity": "ILD@10",
    "fairness": "AWRF@10 or GroupExposure@10",
    "popularitybias": "ARP@10 or APLT@10",
}


def _suggestion(name: str) -> str:
    if isfile(name):
        return f"{name} is a file: judgments come first, then runs, then measures, several runs in one list in Python"
    if len(name) > LONGEST_NAME:
        return "`idealist measures` lists them all"
    from difflib import get_close_matches

    property_measures = PROPERTIES.get(name.lower().replace("_", "").replace("-", ""))
    if property_measures:
        return f"that is a property, measured by {property_measures}; `idealist measures` says what they need"
    name_of_alias = {alias: cls.name for alias, (cls, _) in _names(registry()).items()}
    without = name.rstrip("0123456789")
    if without.lower() in name_of_alias:  # nDCG10
        return f"did you mean {name_of_alias[without.lower()]}@{name[len(without) :]}?"
    close = get_close_matches(name.lower(), name_of_alias, n=3, cutoff=0.5)
    if not close:
        return "`idealist measures` lists them all"
    letters = sorted(name.lower())
    close.sort(
        key=lambda alias: sorted(alias) != letters
    )  # two letters in the wrong order are the likeliest mistake
    return f"did you mean {' or '.join(dict.fromkeys(name_of_alias[alias] for alias in close))}?"


def _parameters(cls: type[Measure]) -> str:
    if not cls.fields:
        return f"{cls.name} has no parameters"
    return f"{cls.name} has the parameter{'s' * (len(cls.fields) > 1)} {', '.join(map(repr, cls.fields))}"


def _parameter(cls: type[Measure], field: str, value: str, text: str) -> dict[str, Any]:
    if field == "dcg" and "gain" in cls.fields:
        if value not in DCG_STYLES:
            raise InputError(
                f"{text!r}: dcg={value!r} is unknown", hint=f"name one of: {', '.join(DCG_STYLES)}"
            )
        return DCG_STYLES[value]
    if field == "judged_only":
        raise InputError(
            f"{text!r}: judged_only is a convention here, not a part of the measure",
            hint="use unjudged=removed (--unjudged removed)",
        )
    field = PARAMETER_ALIASES.get(field, field)
    if field not in cls.fields:
        raise InputError(f"{text!r}: {cls.name} has no parameter {field!r}", hint=_parameters(cls))
    return {field: value}


def _made(cls: type[Measure], parameters: dict[str, Any], text: str) -> Measure:
    if "k" in parameters and "k" not in cls.fields:
        raise InputError(f"{text!r}: {cls.name} has no cut-off", hint=_parameters(cls))
    try:
        if any(field not in PARAMETERS for field in parameters):
            from idealist.measures.own import read_own

            parameters = {field: read_own(cls, field, value) for field, value in parameters.items()}
        return cls(**parameters)
    except InputError as error:
        raise InputError(f"{text!r}: {error.message}", hint=error.hint) from None


def _read_parts(value: Any) -> Any:
    from idealist.measures.parameter_tables import read_parts

    return read_parts(value, parse)


# Parameters that are measures themselves.
PARAMETERS["of"] = Parameter(parse, str, "the measure it is about")
PARAMETERS["parts"] = Parameter(
    _read_parts,
    PARAMETERS["weights"].text,
    "measures and how much each counts: {nDCG@10:0.7,P@5:0.3}",
)
