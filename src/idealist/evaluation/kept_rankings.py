"""The judged documents of runs in saved evaluations: what guards need to say whether unjudged ones could turn a verdict."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode

from idealist import kernels
from idealist.data.run_snapshots import RunSnapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.evaluation.result import Evaluation

MOST_BYTES = 1 << 30  # of one run: its judged documents take 16 each


def rankings_record(evaluation: Evaluation) -> dict[str, str]:
    """By system, its rankings packed and compressed, as text: down to where the measures look. Nothing where they are not
    at hand, or where all documents above the cut-off are judged."""
    depths = [measure.depth for measure in evaluation.measures]
    depth = None if None in depths else max(filter(None, depths), default=None)
    return {
        system: b64encode(zlib.compress(kernels.packed(_cut(run.rankings, depth)))).decode()
        for system, run in evaluation.runs.items()
        if run.rankings is not None
    }


def _cut(rankings: kernels.Rankings, depth: int | None) -> kernels.Rankings:
    return rankings if depth is None else kernels.cut_short(rankings, depth)


def runs_of_record(record: Mapping[str, Any]) -> dict[str, RunSnapshot]:
    """The runs of a saved evaluation, which are not at hand, with their rankings."""
    runs = {}
    for system, text in record.items():
        unpacker = zlib.decompressobj()
        try:
            content = unpacker.decompress(b64decode(text, validate=True), MOST_BYTES)
        except zlib.error as error:
            raise ValueError(f"the rankings of {system} are damaged: {error}") from None
        runs[system] = RunSnapshot(None)
        runs[system].rankings = kernels.unpacked(content)
    return runs
