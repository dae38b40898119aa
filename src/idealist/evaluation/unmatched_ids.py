"""What ids of a run and of judgments that hardly meet differ in, as far as a sample of the run tells."""

from __future__ import annotations

from collections import Counter

from idealist.data.id_spelling import Spelled, differ_in, difference, plain, readings
from idealist.data.run import Run, UnreadRun
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from idealist.data import Judgments

    Kind = tuple[tuple[str, ...], str]

SAMPLE = 2_000  # documents of the run that are looked at


def advice_on_ids(run: object, judgments: Judgments, *, encoding_alone: bool = False) -> str:
    """How many ids would meet, and what joins them; "" where none would. With `encoding_alone`, of those that differ in
    their encoding."""
    found = _differences(_sample(run), judgments)
    if encoding_alone:
        found = Counter({kind: count for kind, count in found.items() if "encoding" in kind[0]})
    return _advice(found)


def _sample(run: object) -> Mapping[str, Iterable[str]]:
    if isinstance(run, (Run, UnreadRun)):
        return run.first_ids(SAMPLE)
    return run if isinstance(run, dict) else {}


def _differences(sample: Mapping[str, Iterable[str]], judgments: Judgments) -> Counter[Kind]:
    """How many ids of the sample that are not judged would be, by what they differ in: spellings, and for that of
    another encoding which."""
    found: Counter[Kind] = Counter()
    queries = Spelled(judgments)
    left = SAMPLE
    for query, documents in sample.items():
        judged_query = query if query in judgments else queries.find(str(query))
        if left <= 0:
            break
        if judged_query is None:
            left -= 1
            continue
        if judged_query != query:
            found.update(_kinds(str(query), judged_query))
        judged_documents, retrieved = judgments[judged_query], set(documents)
        spelled = Spelled(document for document in judged_documents if document not in retrieved)
        for document in documents:
            left -= 1
            if document not in judged_documents and (like := spelled.find(str(document))) is not None:
                found.update(_kinds(str(document), like))
            if left <= 0:
                break
    return found


def _kinds(text: str, judged: str) -> Iterator[Kind]:
    names = difference(text, judged)
    if names == ("encoding",):
        meant = (encoding for encoding, reading in readings(text) if plain(reading) == plain(judged))
        is_bytes = any("\udc80" <= letter <= "\udcff" for letter in text)
        yield names, next(meant, "") if is_bytes else ""
    elif names:
        yield names, ""


def _advice(found: Counter[Kind]) -> str:
    """How many ids would meet, and what joins them."""
    if not found:
        return ""
    (names, encoding), count = found.most_common(1)[0]
    remedy = (
        f"--encoding run={encoding} (encoding={encoding!r} of read_run)"
        if encoding
        else f"`idealist check --judgments JUDGMENTS RUN --fix COPY --join-ids {','.join(names)}`"
    )
    return (
        f": of the first {SAMPLE:,} at least {count_of(count, 'id')} would meet, which differ only in "
        f"{differ_in(names)}; {remedy} joins them"
    )
