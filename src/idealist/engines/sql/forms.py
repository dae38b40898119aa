"""Measures as SQL: one expression a query, over the columns of a plan; NULL where the measure is undefined."""

from __future__ import annotations

from idealist.data.numbers import ANY_GRADE
from idealist.engines.sql.gains import discount_sql
from idealist.engines.sql.names import number
from idealist.errors import InputError
from idealist.measures.families.binary import AP, RR, F, Hits, Judged, P, R, Rprec, Success, Unjudged
from idealist.measures.families.counts import NumNonrelJudgedRet, NumQ, NumRel, NumRelRet, NumRet
from idealist.measures.families.gain import CG, DCG, IDCG, NCG, NDCG, BinG
from idealist.measures.families.means import GMAP, GMBpref
from idealist.measures.families.pairs import Bpref
from idealist.measures.families.recall_levels import RelP
from idealist.measures.families.sets import SetAP
from idealist.measures.families.user_models import RBP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from idealist.engines.sql.plan import Plan
    from idealist.measures import Measure

    Form = Callable[[Any, Plan], str]
    AnyForm = TypeVar("AnyForm", bound=Form)

FORMS: dict[type[Measure], Form] = {}


def sql_form(*classes: type[Measure]) -> Callable[[AnyForm], AnyForm]:
    """Enters a function as the form of these measures."""

    def enter(form: AnyForm) -> AnyForm:
        FORMS.update(dict.fromkeys(classes, form))
        return form

    return enter


def _share(part: str, whole: str) -> str:
    """Undefined where the whole is 0."""
    return f"{part} / NULLIF({whole}, 0)"


def _where_positive(value: str, whole: str) -> str:
    return f"CASE WHEN {whole} > 0 THEN {value} END"


@sql_form(CG)
def cg(measure: CG, plan: Plan) -> str:
    return plan.dcg(measure.gain, "none", measure.k, "cg")


@sql_form(DCG)
def dcg(measure: DCG, plan: Plan) -> str:
    return plan.dcg(measure.gain, measure.discount, measure.k)


@sql_form(IDCG)
def idcg(measure: IDCG, plan: Plan) -> str:
    return plan.ideal_dcg(measure.gain, measure.discount, measure.k, measure.ideal)


@sql_form(NDCG, NCG)
def ndcg(measure: NDCG | NCG, plan: Plan) -> str:
    discount, name = (measure.discount, "dcg") if isinstance(measure, NDCG) else ("none", "cg")
    found = plan.dcg(measure.gain, discount, measure.k, name)
    best = plan.ideal_dcg(measure.gain, discount, measure.k, measure.ideal, f"ideal_{name}")
    if measure.ideal == "judged":
        return _share(found, best)
    # Nothing retrieved has a gain: a bad run, not an empty query, if something judged has one.
    judged = plan.ideal_dcg(measure.gain, discount, measure.k, "judged", f"ideal_{name}")
    return _where_positive(f"COALESCE({_share(found, best)}, 0)", judged)


@sql_form(BinG)
def binary_g(measure: BinG, plan: Plan) -> str:
    relevant, so_far = plan.relevant(measure.level), plan.relevant_so_far(measure.level)
    found = plan.sum_to(None, f"{relevant} * LN(2) / LN(rank - {so_far} + 2)", "bin_g")
    return _share(found, plan.total_relevant(measure.level))


@sql_form(P)
def precision(measure: P, plan: Plan) -> str:
    hits = plan.hits(measure.level, measure.k)
    if measure.k is not None:
        return f"{hits} / {measure.k}"
    return f"COALESCE({_share(hits, plan.retrieved())}, 0)"


@sql_form(R)
def recall(measure: R, plan: Plan) -> str:
    return _share(plan.hits(measure.level, measure.k), plan.total_relevant(measure.level))


@sql_form(F)
def f_measure(measure: F, plan: Plan) -> str:
    weight, relevant = measure.beta * measure.beta, plan.total_relevant(measure.level)
    length = plan.retrieved() if measure.k is None else str(measure.k)
    hits = plan.hits(measure.level, measure.k)
    value = f"{number(1 + weight)} * {hits} / ({number(weight)} * {relevant} + {length})"
    return _where_positive(value, relevant)


@sql_form(AP, GMAP)
def average_precision(measure: AP, plan: Plan) -> str:
    relevant = plan.total_relevant(measure.level)
    found = plan.sum_to(measure.k, plan.precision(measure.level), "precision_sum")
    if measure.divisor == "found":
        shared = _share(found, plan.hits(measure.level, measure.k))
        return _where_positive(f"COALESCE({shared}, 0)", relevant)
    if measure.divisor == "reachable" and measure.k is not None:
        return _share(found, f"LEAST({relevant}, {measure.k})")
    return _share(found, relevant)


@sql_form(RR)
def reciprocal_rank(measure: RR, plan: Plan) -> str:
    found = plan.sum_to(measure.k, f"{plan.first_relevant(measure.level)} / rank", "first_reciprocal_rank")
    return _where_positive(found, plan.total_relevant(measure.level))


@sql_form(Rprec)
def r_precision(measure: Rprec, plan: Plan) -> str:
    relevant = plan.total_relevant(measure.level)
    within = (
        f"CASE WHEN rank <= {plan.total_at_ranks(relevant)} THEN {plan.relevant(measure.level)} ELSE 0 END"
    )
    return _share(plan.sum_to(None, within, "hits_at_all_relevant"), relevant)


@sql_form(Success)
def success(measure: Success, plan: Plan) -> str:
    found = plan.sum_to(measure.k, plan.first_relevant(measure.level), "any_relevant")
    return _where_positive(found, plan.total_relevant(measure.level))


@sql_form(Hits)
def hits(measure: Hits, plan: Plan) -> str:
    return plan.hits(measure.level, measure.k)


@sql_form(Judged)
def judged(measure: Judged, plan: Plan) -> str:
    return f"COALESCE({_share(plan.judged_to(ANY_GRADE, measure.k), plan.retrieved(measure.k))}, 0)"


@sql_form(Unjudged)
def unjudged(measure: Unjudged, plan: Plan) -> str:
    retrieved = plan.retrieved(measure.k)
    count = f"({retrieved} - {plan.judged_to(0.0, measure.k)})"
    return f"COALESCE({_share(count, retrieved)}, 0)" if measure.k is None else f"{count} / {measure.k}"


@sql_form(NumQ)
def number_of_queries(measure: NumQ, plan: Plan) -> str:
    return plan.as_double("1")


@sql_form(NumRet)
def number_retrieved(measure: NumRet, plan: Plan) -> str:
    return plan.retrieved()


@sql_form(NumRel)
def number_relevant(measure: NumRel, plan: Plan) -> str:
    return plan.total_relevant(measure.level)


@sql_form(NumRelRet)
def number_relevant_retrieved(measure: NumRelRet, plan: Plan) -> str:
    return plan.hits(measure.level, None)


@sql_form(NumNonrelJudgedRet)
def number_not_relevant_retrieved(measure: NumNonrelJudgedRet, plan: Plan) -> str:
    judged = plan.judged_to(min(0.0, measure.level), None)
    return f"{judged} - {plan.hits(measure.level, None)}"


@sql_form(SetAP)
def set_average_precision(measure: SetAP, plan: Plan) -> str:
    hits, relevant = plan.hits(measure.level, None), plan.total_relevant(measure.level)
    shared = _share(f"{hits} * {hits}", f"{plan.retrieved()} * {relevant}")
    return _where_positive(f"COALESCE({shared}, 0)", relevant)


@sql_form(RelP)
def relative_precision(measure: RelP, plan: Plan) -> str:
    hits, relevant = plan.hits(measure.level, measure.k), plan.total_relevant(measure.level)
    length = plan.retrieved() if measure.k is None else str(measure.k)
    return _where_positive(f"COALESCE({_share(hits, f'LEAST({relevant}, {length})')}, 0)", relevant)


@sql_form(Bpref, GMBpref)
def binary_preference(measure: Bpref, plan: Plan) -> str:
    relevant = plan.total_relevant(measure.level)
    judged = plan.total_relevant(min(0.0, measure.level))
    above = plan.judged_not_relevant_above(measure.level)
    r, n = plan.total_at_ranks(relevant), f"({plan.total_at_ranks(judged)} - {relevant})"
    # With none judged not relevant, none stands above.
    outranked = f"COALESCE(LEAST({above}, {r}) / NULLIF(LEAST({n}, {r}), 0), 0)"
    found = plan.sum_to(None, f"{plan.relevant(measure.level)} * (1 - {outranked})", "preferred")
    return _share(found, relevant)


@sql_form(RBP)
def rank_biased_precision(measure: RBP, plan: Plan) -> str:
    if measure.max_grade is not None or measure.scale != "stated":
        raise InputError(
            "a scale of grades cannot be written as SQL",
            hint="leave max_grade and scale out, and state level",
        )
    seen = discount_sql(f"rbp({measure.p!r})", "rank", measure.k, plan.dialect)
    found = plan.sum_to(measure.k, f"{plan.relevant(measure.level)} * {seen}", "expected_gain")
    return f"{number(1 - measure.p)} * {found}"
