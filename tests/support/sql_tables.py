"""Tables for SQL, and what `evaluate` says of them."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from hypothesis import strategies as st

from idealist import Conventions, Judgments, Run, evaluate
from idealist.engines import sql
from idealist.engines.sql.sql_query import column_names
from idealist.measures import parse_all

# Bytewise order is neither that of numbers nor that of a dictionary; an apostrophe and a percent sign are text as well.
IDS = ["9", "10", "b", "B", "a", "é", "中", "🙂", "o'x", "a%s", "a b", "c-1", "c1"]
QUERIES = ["1", "10", "2", "q", "Ü"]
# Few, so that there are ties; two are equal in single precision, and 0 has two signs.
SCORE_LEVELS = [-1.5, -0.0, 0.0, 0.1, 0.1 + 1e-9, 0.5, 1e6, 2.0**60]
GRADE_LEVELS = [-2, -1, 0, 0, 1, 1, 2, 3, 0.5]
SCORES, GRADES = st.sampled_from(SCORE_LEVELS), st.sampled_from(GRADE_LEVELS)

Rows = list[tuple[str, str, float]]

# Every measure that SQL can say, with parameters that take other paths; `level` below 0 counts pooled documents.
MEASURES = [
    "CG@3",
    "CG(gain=exp)",
    "DCG",
    "DCG(gain={-2:-3,-1:0,0:0,0.5:0.25,1:1,2:5,3:7},discount=zipf)@4",
    "DCG(discount=letor)",
    "DCG(discount=jarvelin(3))@5",
    "DCG(discount=rbp(0.8))",
    "DCG(discount=[1,0.75,0.5])@2",
    "IDCG@2",
    "IDCG(ideal=retrieved,gain=exp)",
    "nDCG@10",
    "nDCG(gain=exp)@2",
    "nDCG(gain=binary,ideal=retrieved)@3",
    "NCG@2",
    "NCG(ideal=retrieved)",
    "P@3",
    "P(level=2)",
    "P(level=-1)@2",
    "R@2",
    "R",
    "F@3",
    "F(beta=2)",
    "AP",
    "AP(level=2)@3",
    "AP(divisor=reachable)@2",
    "AP(divisor=found)",
    "GMAP",
    "RR",
    "RR@2",
    "RR(level=2)",
    "Rprec",
    "Success@1",
    "Success@3",
    "Success(level=3)",
    "Hits@4",
    "Judged@2",
    "Judged",
    "Unjudged@3",
    "Unjudged",
    "NumQ",
    "NumRet",
    "NumRel(level=2)",
    "NumRelRet",
    "NumNonrelJudgedRet",
    "SetAP",
    "RBP",
    "RBP(p=0.5,level=2)@3",
    "RelP@2",
    "RelP",
    *(
        "NPV",
        "TBG@3",
        "TBG(total=true)",
        "U-measure",
        "U-measure(L=3)",
        "SDCG@4",
        "INSQ",
        "SET",
        "SET(power=0.3)@3",
    ),
    *(
        "RBP(max_grade=4)",
        "XDCG",
        "XDCG(max_grade=8)@2",
        "Fidelity",
        "NumUnjudgedRet",
        "RprecMult@1.5",
        "RprecMult(cut=nearest)",
    ),
    *(
        "Utility",
        "Utility(coefficients=[3,-2,-1,0])",
        "AUC",
        "AUC(level=2)",
        "RankingLoss",
        "Lower",
        "Lower(of=AP)",
    ),
    *("Condensed", "Condensed(of=AP)", "Condensed(of=RR@2)", "Condensed(of=Success@2)"),
    *(
        "ExpectedDepth",
        "ExpectedDepth(of=RBP(p=0.5))",
        "ExpectedCost",
        "ExpectedTotalCost(of=P@3)",
        "ExpectedTotalUtility(of=SDCG)",
    ),
    *("Residual", "Residual(of=P@3)", "Residual(below=with-unjudged)"),
]
# Those without a mean over the orders of tied documents.
ORDERED = [
    *(
        "binG",
        "Bpref",
        "Bpref(level=2)",
        "GMBpref",
        "AP(divisor=found)@2",
        "Accuracy",
        "Accuracy@3",
        "pAUC",
        "pAUC(max_fpr=0.5)",
    ),
    *("CoverageError", "infAP", "YAAP", "IPrec", "IPrec@0.5", "IPrec(cut=nearest)@0.3", "IPrecAvg"),
    *(
        "ERR",
        "ERR(max_grade=5)@2",
        "nERR",
        "nERR@3",
        "Q",
        "Q(beta=0.5,divisor=reachable)@3",
        "Q(gain=exp,level=2)",
    ),
    *("Q(divisor=found)@2", "nDCGRel", "RnDCG", "RnDCG(discount=zipf)", "G", "G(gain=exp)"),
    *("BPM", "BPM(T=0.5)@3", "BPMDynamic@20", "INST@20", "INST(T=2)@4", "IFT@10", "IFTGoal@10", "IFTRate@5"),
    *("NERR8@7", "NERR9@3", "NERR10@20", "NERR11@4"),
    *("ExpectedDepth(of=AP)", "ExpectedDepth(of=RR@4)", "Residual(of=INST@4)", "Residual(of=AP)"),
]
# Those that take unjudged documents for the best, which no order of ties by grade does.
FILLED = ["Upper", "Upper(of=AP)", "Upper(of=RBP)", "Upper(of=DCG(gain=exp))", "Gap", "Gap(of=RR)"]
# A few that between them ask for every operation that SQL has, for databases that are slow to plan.
REPRESENTATIVE = [
    *(
        "nDCG@10",
        "nDCG(gain=exp)@2",
        "nDCG(gain=binary,ideal=retrieved)@3",
        "DCG(discount=rbp(0.8))",
        "DCG(discount=jarvelin(3))@5",
    ),
    *(
        "DCG(gain={-2:-3,-1:0,0:0,0.5:0.25,1:1,2:5,3:7},discount=zipf)@4",
        "P@3",
        "R@2",
        "F(beta=2)",
        "AP",
        "AP(level=2)@3",
    ),
    *(
        "GMAP",
        "RR",
        "RR(level=2)",
        "Rprec",
        "Success@3",
        "Unjudged@3",
        "NumRelRet",
        "RBP(p=0.5,level=2)@3",
        "RBP(max_grade=4)",
    ),
    *("U-measure(L=3)", "AUC", "Condensed(of=AP)", "Residual(of=P@3)"),
]
REPRESENTATIVE_ORDERED = [
    *(
        "Bpref",
        "ERR",
        "nERR@3",
        "Q",
        "nDCGRel",
        "RnDCG",
        "G",
        "binG",
        "IPrecAvg",
        "CoverageError",
        "pAUC",
        "YAAP",
    ),
    *("INST(T=2)@4", "IFT@10", "BPMDynamic@20", "ExpectedDepth(of=AP)"),
]
# Of the measures that need only grades, those that SQL cannot say, and what they lack.
REFUSED = {
    "Compat": "ideal_ranks is not an operation of SQL",
    "EEL": "it needs the length of the longest list",
    "GAUC": "it needs all queries together",
    "PNR": "it needs a sum over the documents above of which another number is less",
    "Sampled(of=RR,items=7,samples=3)": "it needs its numbers one by one",
}


def measures_for(conventions: Conventions) -> list[str]:
    if conventions.ties == "averaged":
        return MEASURES
    by_grade = conventions.ties in ("optimistic", "pessimistic")
    return [*MEASURES, *ORDERED, *([] if by_grade else FILLED)]


def representative_for(conventions: Conventions) -> list[str]:
    averaged = conventions.ties == "averaged"
    return REPRESENTATIVE if averaged else [*REPRESENTATIVE, *REPRESENTATIVE_ORDERED]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Rows of a run and of judgments, in any order, that have a query in common."""

    def rows(numbers: st.SearchStrategy[float]) -> Rows:
        keys = draw(
            st.lists(st.tuples(st.sampled_from(QUERIES), st.sampled_from(IDS)), unique=True, max_size=25)
        )
        return [(query, document, draw(numbers)) for query, document in keys]

    run, judged = rows(SCORES), rows(GRADES)
    shared = draw(st.sampled_from(QUERIES))
    for added, numbers in ((run, SCORES), (judged, GRADES)):
        if all(query != shared for query, _, _ in added):
            added.append((shared, draw(st.sampled_from(IDS)), draw(numbers)))
    return run, judged


@st.composite
def conventions(draw: st.DrawFn, *, single: bool = True) -> Conventions:
    """Any choices but those that are errors."""
    return Conventions(
        ties=draw(
            st.sampled_from(
                ["id-descending", "id-ascending", "input-order", "averaged", "optimistic", "pessimistic"]
            )
        ),
        missing=draw(st.sampled_from(["zero", "skip"])),
        empty=draw(st.sampled_from(["zero", "one", "skip"])),
        negative=draw(st.sampled_from(["not-relevant", "unjudged", "keep"])),
        unjudged=draw(st.sampled_from(["not-relevant", "removed"])),
        precision=draw(st.sampled_from(["double", "single"] if single else ["double"])),
    )


def nested(rows: Rows) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for query, document, value in rows:
        out.setdefault(query, {})[document] = value
    return out


class Expected:
    """The values of `evaluate` under the names of the query's columns, None where it has none."""

    def __init__(self, run: Rows, judged: Rows, measures: list[str], conventions: Conventions) -> None:
        result = evaluate(Judgments(nested(judged)), Run(nested(run)), measures, conventions=conventions)
        self.columns = column_names(parse_all(measures, defaults=conventions.parameters))
        self.means = {name: _number(result.aggregate(measure)) for measure, name in self.columns.items()}
        self.by_query = {
            query: {name: _number(result.value(measure, query)) for measure, name in self.columns.items()}
            for query in result.queries
        }


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else value


def refuse_difference(found: Mapping[str, Any], expected: Mapping[str, float | None], place: str) -> None:
    """Sums are in another order there: values agree to 12 digits."""
    assert list(found) == list(expected), place
    for name, value in expected.items():
        other = found[name]
        if value is None or other is None:
            assert value is other, f"{place}: {name} is {other}, not {value}"
        else:
            assert abs(other - value) <= 1e-12 * max(1.0, abs(value)), (
                f"{place}: {name} is {other}, not {value}"
            )


def queries_of(
    measures: list[str], dialect: str, conventions: Conventions, **options: Any
) -> tuple[str, str]:
    """The query of the means, and the one of the values by query."""
    if conventions.ties == "input-order":
        options["columns"] = {**options.get("columns", {}), "rank": "row_number"}
    return (
        sql.query(measures, dialect=dialect, conventions=conventions, **options),
        sql.query(measures, dialect=dialect, conventions=conventions, by_query=True, **options),
    )


# Every choice of every convention occurs, but those that are errors.
COMBINATIONS = [
    Conventions(),
    Conventions(ties="id-ascending", missing="skip", empty="one", negative="keep"),
    Conventions(ties="input-order", empty="skip", unjudged="removed", precision="single"),
    Conventions(ties="averaged", negative="unjudged"),
    Conventions(ties="averaged", missing="skip", empty="skip", negative="keep", unjudged="removed"),
    Conventions(ties="optimistic", empty="one", negative="keep"),
    Conventions(ties="pessimistic", missing="skip", unjudged="removed", precision="single"),
]


def random_rows(seed: int, queries: int) -> tuple[Rows, Rows]:
    """Rows of many queries, for databases that take longer to start than to add up; some queries are in one table alone."""
    random = Random(seed)

    def rows(numbers: list[float]) -> Rows:
        made = [
            (f"{query}", document, random.choice(numbers))
            for query in random.sample(range(queries), queries * 4 // 5)
            for document in random.sample(IDS, random.randint(1, len(IDS)))
        ]
        random.shuffle(made)
        return made

    return rows(SCORE_LEVELS), rows(GRADE_LEVELS)
