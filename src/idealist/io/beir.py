"""BEIR folders: corpus.jsonl, queries.jsonl, and judgments by split as qrels/SPLIT.tsv."""

from __future__ import annotations

import os

from idealist.errors import InputError
from idealist.io.compression import without_ending
from idealist.io.reading import PART, Wanted

DEFAULT = "test"
OTHERS = ("corpus.jsonl", "queries.jsonl")


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
    split, file = chosen_split(wanted.path, wanted.part, wanted.kind)
    wanted.source = f"{wanted.path}{PART}{split}"
    return Wanted(file, wanted.kind, columns=wanted.columns, groups=wanted.groups, encoding=wanted.encoding)


def chosen_split(folder: str, part: str | None, kind: str = "judgments") -> tuple[str, str]:
    """The split, and its file."""
    if not os.path.isdir(folder):
        raise InputError("there is no such folder", source=folder, hint="check the path")
    found = splits(folder)
    others = [name for name in OTHERS if os.path.exists(os.path.join(folder, name))]
    if not found and not others:
        raise InputError("this is a directory, not a file", source=folder, hint="name a file in it")
    if kind == "run":
        raise InputError(
            "this is a BEIR folder: it has judgments, and no run",
            source=folder,
            hint="name the file of a run",
        )
    if not found:
        raise InputError(
            f"there are no judgments in this folder, only {' and '.join(others)}",
            source=folder,
            hint="BEIR has them as qrels/test.tsv",
        )
    split = part or (next(iter(found)) if len(found) == 1 else DEFAULT)
    if split not in found:
        what = (
            f"there is no split {split!r}" if part else "there are several splits, and none is called test,"
        )
        named = ", ".join(f"{folder}{PART}{one}" for one in found)
        raise InputError(f"{what} in this BEIR folder", source=folder, hint=f"there are {named}")
    return split, found[split]
