"""Means without every query's value: the same numbers, in the memory of one measure."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import idealist as il
from idealist.evaluation.measuring import measured

QUERIES = [f"q{at}" for at in range(30)]
JUDGED = {q: {"a": at % 3, "b": 1, "c": -1 if at % 5 == 0 else 2} for at, q in enumerate(QUERIES)}
RUNS = {
    "old": {q: {"a": 1.0, "b": float(at % 3), "x": 1.0} for at, q in enumerate(QUERIES[3:])},
    "new": {q: {"a": 1.0, "c": float(at % 2), "y": 0.5} for at, q in enumerate(QUERIES)},
}
MEASURES = ["nDCG@2", "AP", "RR", "GMAP", "NumRel", "infAP", "P@1"]


@pytest.mark.parametrize("weights", [None, {q: 1.0 + at for at, q in enumerate(QUERIES)}])
@pytest.mark.parametrize("ties", ["id-descending", "averaged", "optimistic"])
def test_the_same_numbers(ties: str, weights: Any) -> None:
    asked = [m for m in MEASURES if ties != "averaged" or m != "infAP"]
    how: dict[str, Any] = {"conventions": il.Conventions(ties=ties, empty="skip"), "weights": weights}
    kept = il.evaluate(JUDGED, RUNS, asked, **how)
    short = measured(JUDGED, RUNS, asked, keep=False, weight_by=None, threads=None, **how)
    assert short.to_json(by_query=False) == kept.to_json(by_query=False)
    assert str(short) == str(kept)
    assert [short.tied(system) for system in RUNS] == [kept.tied(system) for system in RUNS]
    for refuse in (lambda: short.by_query("AP", "new"), lambda: short.mean("AP", "new")):
        with pytest.raises(il.InputError, match="this evaluation has no values of queries"):
            refuse()


def test_measures_share_their_memory(tmp_path: Path) -> None:
    """50,000 values of 8 bytes are 0.4 MB, and each measure has three such: as it is, and for both orders of ties.
    Of 300 measures that would be 360 MB."""
    count = 50_000
    (tmp_path / "x.qrels").write_text("".join(f"{q} 0 {'ab'[q % 2]} 1\n" for q in range(count)))
    (tmp_path / "x.run").write_text("".join(f"{q} Q0 a 1 1 t\n{q} Q0 b 2 1 t\n" for q in range(count)))
    program = (
        "import json, resource, sys; from idealist import cli; cli.main(json.loads(sys.argv[1])); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )

    def megabytes(measures: int) -> float:
        asked = [text for k in range(1, measures + 1) for text in ("-m", f"P@{k}")]
        arguments = ["evaluate", str(tmp_path / "x.qrels"), str(tmp_path / "x.run"), *asked]
        command = [sys.executable, "-c", program, json.dumps(arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        unit = 1 if sys.platform == "darwin" else 1024
        return int(done.stderr.split()[-1]) * unit / 1e6

    assert megabytes(300) < megabytes(1) + 60
