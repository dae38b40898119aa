"""BEIR folders: corpus.jsonl, queries.jsonl, and judgments by split as qrels/SPLIT.tsv."""

from __future__ import annotations

import os

from idealist.errors import InputError
from idealist.io.compression import without_ending
from idealist.io.reading import PART, Wanted

DEFAULT = "test"


def splits(folder: str) -> dict[str, str]:
    """The files of judgments in a BEIR folder, by split; none if it is no such folder."""
    judged = os.path.join(folder, "qrels")
    try:
        files = sorted(os.listdir(judged))
    except OSError:
        return {}
    plain = {file: without_ending(file) for file in files}
    return {
        name.removesuffix(".tsv"): os.path.join(judged, file)
        for file, name in plain.items()
        if name.endswith(".tsv")
    }


def choose_split(wanted: Wanted) -> Wanted:
    """The file of the split that is named, of the only one, or of `test`; `source` says which."""
    if not os.path.isdir(wanted.path):
        raise InputError("there is no such folder", source=wanted.path, hint="check the path")
    found = splits(wanted.path)
    parts = [
        name for name in ("corpus.jsonl", "queries.jsonl") if os.path.exists(os.path.join(wanted.path, name))
    ]
    if wanted.kind == "run" and (found or parts):
        raise InputError(
            "this is a BEIR folder: it has judgments, and no run",
            source=wanted.path,
            hint="name a run's file",
        )
    if not found and not parts:
        raise InputError("this is a directory, not a file", source=wanted.path, hint="name a file in it")
    if not found:
        raise InputError(
            f"there are no judgments in this folder, only {' and '.join(parts)}",
            source=wanted.path,
            hint="BEIR has them as qrels/test.tsv",
        )
    split = wanted.part or (next(iter(found)) if len(found) == 1 else DEFAULT)
    if split not in found:
        what = f"there is no split {split!r}" if wanted.part else "there are several splits, and none is test"
        raise InputError(
            f"{what} in this BEIR folder",
            source=wanted.path,
            hint="; ".join(f"{wanted.path}{PART}{one}" for one in found),
        )
    chosen = Wanted(found[split], wanted.kind, columns=wanted.columns, format=None)
    wanted.source = f"{wanted.path}{PART}{split}"
    return chosen
