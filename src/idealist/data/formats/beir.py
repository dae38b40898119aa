"""BEIR folders: corpus.jsonl, queries.jsonl, and judgments by split as qrels/SPLIT.tsv."""

from __future__ import annotations

import os

from idealist.data.compression import without_ending
from idealist.data.formats.format import Format
from idealist.data.source_names import PART_MARK
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.collection import Collection
    from idealist.data.formats.format import Progress
    from idealist.data.reading import ReadRequest
    from idealist.data.writing import Destination

DEFAULT = "test"
OTHERS = ("corpus.jsonl", "queries.jsonl")


class Beir(Format):
    name = "beir"
    label = "BEIR folders"
    about = "the judgments of a folder with `corpus.jsonl`, `queries.jsonl` and `qrels/`: `FOLDER` or `FOLDER::test`"
    carries = ("judgments",)
    options = ("columns", "encoding")
    part = "split"
    writes = ("judgments",)
    written = "judgments as BEIR's TSV: query-id, corpus-id, score"

    def file_of(self, request: ReadRequest) -> ReadRequest:
        """Of the split that is named, of the only one, or of `test`."""
        split, file = chosen_split(request.path, request.part, request.kind)
        return request.of_file(file, f"{request.path}{PART_MARK}{split}")

    def write(
        self, collection: Collection, destination: Destination, force: bool, progress: Progress | None
    ) -> None:
        from idealist.data.targets import write_text

        write_text(
            collection,
            destination,
            layout="tsv",
            first_line="query-id\tcorpus-id\tscore\n",
            misfit="TSV as it is read here cannot carry ids that are empty, have line ends in them, or are not UTF-8",
            force=force,
            progress=progress,
        )


FORMAT = Beir()


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


def chosen_split(folder: str, part: str | None, kind: str = "judgments") -> tuple[str, str]:
    """The split, and its file."""
    if not os.path.isdir(folder):
        raise InputError("there is no such folder", source=folder, hint="check the path")
    split_files = splits(folder)
    others = [name for name in OTHERS if os.path.exists(os.path.join(folder, name))]
    if not split_files and not others:
        raise InputError("this is a folder, not a file", source=folder, hint="name a file in it")
    if kind == "run":
        raise InputError(
            "this is a BEIR folder: it has judgments, and no run",
            source=folder,
            hint="name the file of a run",
        )
    if not split_files:
        raise InputError(
            f"there are no judgments in this folder, only {' and '.join(others)}",
            source=folder,
            hint="BEIR has them as qrels/test.tsv",
        )
    split = part or (next(iter(split_files)) if len(split_files) == 1 else DEFAULT)
    if split not in split_files:
        problem = (
            f"there is no split {split!r}" if part else "there are several splits, and none is called test,"
        )
        split_names = ", ".join(f"{folder}{PART_MARK}{name}" for name in split_files)
        raise InputError(f"{problem} in this BEIR folder", source=folder, hint=f"there are {split_names}")
    return split, split_files[split]
