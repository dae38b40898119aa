"""Segments with known shares of the traffic: means that give each its share, and what that saves."""

from __future__ import annotations

from idealist.data.grouped import bytewise
from idealist.data.segments import segment_of
from idealist.data.values import as_within
from idealist.errors import InputError
from idealist.evaluation.weighing import weighting_note
from idealist.frozen import Frozen
from idealist.kernels import Values
from idealist.wording import count_of, count_queries, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from idealist.comparison.contrast import Contrast
    from idealist.evaluation import Evaluation
    from idealist.statistics.interval import Interval


class KnownShares(Frozen):
    """The shares of segments in the traffic, which add up to 1; the segment of every query; and the weights that queries have
    without shares, if they have any."""

    shares: Mapping[str, float]
    segments: Mapping[str, str]
    weights: Mapping[str, float] | None = None


class Saved(Frozen):
    """By how much the shares of segments make an interval narrower, and how many more queries would have done so; both below 0
    where they make it wider."""

    width: float
    queries: int


def known_shares(
    shares: Any, segments: Mapping[str, str] | None, evaluation: Evaluation
) -> KnownShares | None:
    """Shares by segment, of the queries of an evaluation; None without any."""
    if shares is None:
        return None
    if segments is None:
        raise InputError(
            "shares are of segments, and there are none",
            hint="give the segment of every query (--segments FILE)",
        )
    if evaluation.machine is not None:
        raise InputError(
            "shares of segments are for judgments of people alone, and there is a machine",
            hint="leave the shares or the machine out",
        )
    if not hasattr(shares, "items") or not shares:
        raise InputError(
            f"shares must be a mapping from segments to numbers, not {shares!r:.60}",
            hint='{"head": 0.7, "tail": 0.3}',
        )
    stated = {
        str(name): as_within(share, f"the share of {name!r}", 0, ends="()") for name, share in shares.items()
    }
    total = sum(stated.values())
    by_name = {name: stated[name] / total for name in sorted(stated, key=bytewise)}
    weights = None
    if evaluation.weights is not None:
        weights = dict(zip(evaluation.queries, evaluation.weights, strict=True))
    return KnownShares(by_name, segments, weights)


def with_shares(evaluation: Evaluation, known: KnownShares) -> Evaluation:
    """The evaluation with weights that give every segment its share: the queries of one divide it alike, or by the weights
    that they have."""
    queries = evaluation.queries
    names = [segment_of(query, known.segments) for query in queries]
    before = [1.0] * len(queries) if evaluation.weights is None else list(evaluation.weights)
    totals = dict.fromkeys(known.shares, 0.0)
    for name, weight in zip(names, before, strict=True):
        if name not in totals:
            raise InputError(
                f"segment {name!r} has no share", hint="give the share of the traffic of every segment"
            )
        totals[name] += weight
    for name, total in totals.items():
        if not total > 0:
            raise InputError(
                f"segment {name!r} has a share of the traffic, but no query that counts",
                hint="judge queries of it, or give it and another segment one name, with the sum of their shares",
            )
    shares = known.shares
    weights = [shares[name] * weight / totals[name] for name, weight in zip(names, before, strict=True)]
    label = f"shares of segments: {', '.join(f'{name} {percent(share)}' for name, share in shares.items())}"
    if evaluation.weighted:
        label += f"; within segments by {evaluation.weighted_by}"
    notes = list(evaluation.notes)
    if evaluation.weighted:
        own = weighting_note(evaluation.weighted_by, before)
        notes = [note for note in notes if note != own]
    return evaluation.replaced(
        _weights=Values(weights),
        weighted_by=label,
        notes=(*notes, weighting_note(label, weights)),
    )


def saved_by(interval: Interval, before: Interval, n: int) -> Saved:
    """What an interval over n queries saves beside the one before; a width falls as 1/√n.

    >>> from idealist.statistics.interval import Interval
    >>> saved_by(Interval(0.0, 0.2, 0.95), Interval(0.0, 0.3, 0.95), 40).queries  # 40 · (1.5² − 1)
    50
    """
    width, width_before = interval.high - interval.low, before.high - before.low
    queries = round(n * ((width_before / width) ** 2 - 1)) if width > 0 else 0
    return Saved(width_before - width, queries)


def remark_saved(contrasts: Iterable[Contrast]) -> str:
    """What shares save, contrast by contrast."""
    parts = []
    for contrast in contrasts:
        saved, what = contrast.saved, "nothing"
        if contrast.paired.strata is None:
            what = "nothing, as not every query has a value"
        elif saved is not None and saved.queries > 0:
            what = f"{saved.width:.4f} narrower, as by {count_of(saved.queries, 'more query')}"
        elif saved is not None and saved.queries < 0:
            what = f"nothing: {-saved.width:.4f} wider, as by {count_queries(-saved.queries)} fewer"
        parts.append(f"{contrast.system} by {contrast.measure.label} {what}")
    return f"what shares of segments save, beside the intervals without shares: {'; '.join(parts)}"
