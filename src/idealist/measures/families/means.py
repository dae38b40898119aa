"""Means that are not arithmetic: one number over queries, in which the worst queries count most."""

from __future__ import annotations

from idealist.measures.families.binary import AP
from idealist.measures.families.pairs import Bpref


class GMAP(AP, name="GMAP", aliases={"gm_map": {}}):
    """AP, of which the mean over queries is geometric.

    exp(mean of ln AP), an AP below 0.00001 counting as that. Robertson, CIKM 2006.

    >>> from idealist import evaluate
    >>> judged, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1}, "2": {"a": 2, "b": 1}}
    >>> result = evaluate(judged, run, ["AP", "GMAP"])
    >>> result.aggregate("AP"), round(result.aggregate("GMAP"), 4)  # AP is 1 and 1/2: their mean, and √½
    (0.75, 0.7071)
    """

    aggregate = "geometric"


class GMBpref(Bpref, name="GMBpref", aliases={"gm_bpref": {}}):
    """Bpref, of which the mean over queries is geometric.

    exp(mean of ln Bpref), a Bpref below 0.00001 counting as that. Buckley, trec_eval, 2008.

    >>> from idealist import evaluate
    >>> judged, run = {"1": {"a": 1}, "2": {"a": 1, "b": 0}}, {"1": {"a": 1}, "2": {"b": 1}}
    >>> round(evaluate(judged, run, "GMBpref").aggregate("GMBpref"), 4)  # Bpref is 1 and 0: √0.00001
    0.0032
    """

    aggregate = "geometric"
