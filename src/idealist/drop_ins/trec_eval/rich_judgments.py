"""trec_eval's other formats of judgments, groups of judges (qrels_jg) and preferences (prefs, qrels_prefs), and the values that need them.

prefs_pair, its shares added up in trec_eval's order: pairs of two retrieved documents by their ranks, then pairs
of a retrieved and another one.

prefs_avgjg_Rnonrel as trec_eval's program has it, which is not what its description says: where documents that
are not relevant outnumber the relevant ones, they are held against each other too.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import nan

from idealist import kernels
from idealist.conventions import Conventions, match_options
from idealist.data import Rankings, Run
from idealist.data.preferences import preference_rankings
from idealist.drop_ins.trec_eval.getopt import Stopped
from idealist.drop_ins.trec_eval.measure_catalogue import atof, atol
from idealist.drop_ins.trec_eval.text_reader import (
    FORMATS,
    Inputs,
    Source,
    as_bytes,
    as_text,
    judgment_rows,
    quit_in,
    read_file,
    read_results,
    twice,
    unreadable_judgments,
)
from idealist.errors import InputError
from idealist.measures.families.preferences import GroupOrder, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data.judgments import RichJudgments
    from idealist.data.preferences import Group
    from idealist.drop_ins.trec_eval.getopt import Settings
    from idealist.drop_ins.trec_eval.measure_catalogue import Column

    Groups = dict[str, dict[str, dict[str, float]]]
    Subgroups = dict[str, dict[str, dict[str, dict[str, float]]]]


def pair_values(rankings: Rankings, base: str) -> list[float]:
    """One number for each query; `base` is trec_eval's name of the measure."""
    ranked = preference_rankings(rankings)
    return [
        _share(_counts(groups, position_of), retrieved, base)
        for groups, position_of, retrieved in zip(
            ranked.groups, ranked.position, ranked.retrieved, strict=True
        )
    ]


def _counts(groups: list[Group], position_of: dict[str, int]) -> Any:
    """How many groups prefer the document of the row to that of the column, by place."""
    import numpy as np

    counts = np.zeros((len(position_of), len(position_of)), dtype=np.int32)
    for group in groups:
        positions = np.array([position_of[document] for document in group.documents])
        counts[positions[:, None], positions] += group.preferred()
    return counts


def _share(counts: Any, retrieved: int, base: str) -> float:
    import numpy as np

    right, stated = np.triu(counts), np.triu(counts + counts.T, 1)
    shares = np.divide(right, stated, out=np.zeros(stated.shape), where=stated > 0)
    parts = (
        [slice(None, retrieved)]
        if base.endswith("_ret")
        else [slice(None, retrieved), slice(retrieved, None)]
    )
    ordered = [shares[:retrieved, part].ravel() for part in parts]
    pairs = sum(int(np.count_nonzero(stated[:retrieved, part])) for part in parts)
    if base == "prefs_pair":
        pairs += int(np.count_nonzero(stated[retrieved:]))
    # One after the other; a plain sum would add them up in halves.
    added = np.add.accumulate(np.concatenate([np.zeros(1), *ordered]))[-1]
    return float(added) / pairs if pairs else 0.0


def balanced_values(rankings: Rankings, retrieved_only: bool) -> list[float]:
    """One number for each query."""
    ranked = preference_rankings(rankings)
    values = []
    for groups, position_of, retrieved in zip(ranked.groups, ranked.position, ranked.retrieved, strict=True):
        added = 0.0
        for group in groups:
            fulfilled, possible = _Balanced(group, position_of, retrieved, retrieved_only).counts()
            added += fulfilled / possible if possible else nan
        values.append(added / len(groups) if added > 0 else 0.0)
    return values


class _Balanced:
    """One group of one query: its documents by place."""

    def __init__(
        self, group: Group, position_of: dict[str, int], retrieved: int, retrieved_only: bool
    ) -> None:
        import numpy as np

        self.retrieved, self.retrieved_only = retrieved, retrieved_only
        ordered = sorted(group.documents, key=position_of.__getitem__)
        self.places = [position_of[document] for document in ordered]
        self.levels = [_last_level(group, document) for document in ordered]
        self.shown = bisect_left(self.places, retrieved)
        self.matrix = None
        if group.worse is not None:
            number = {document: index for index, document in enumerate(group.documents)}
            order = [number[document] for document in ordered]
            self.matrix = group.preferred()[order][:, order]
        self.order = GroupOrder(np.array(self.levels), self.matrix, self.shown)

    def counts(self) -> tuple[int, int]:
        """How many preferences are fulfilled, and how many there are."""
        retrieved_levels = self.levels[: self.shown]
        relevant, relevant_retrieved = _relevant(self.levels), _relevant(retrieved_levels)
        considered = retrieved_levels if self.retrieved_only else self.levels
        needed = relevant_retrieved if self.retrieved_only else relevant
        others = sum(level <= 0 if self.matrix is None else level == 0 for level in considered)
        if needed >= others:
            tally = Tally(self.order)
            over = "retrieved" if self.retrieved_only else "all"
            added = needed - others
            return tally.fulfilled(over) + relevant_retrieved * added, tally.possible(over) + relevant * added
        if self.matrix is None:
            return self._by_classes(needed)
        return self._by_matrix(relevant)

    def _by_classes(self, needed: int) -> tuple[int, int]:
        classes: dict[float, list[int]] = {}
        for position, level in zip(self.places, self.levels, strict=True):
            if position < self.retrieved or not self.retrieved_only:
                classes.setdefault(level, []).append(position)
        levels = sorted(set(self.levels), reverse=True)
        ordered = [classes.get(level, []) for level in levels]
        last = [
            position for position, level in zip(self.places, self.levels, strict=True) if level == levels[-1]
        ]
        balanced = [
            position for position in last[:needed] if position < self.retrieved or not self.retrieved_only
        ]
        pairs = [(better, worse) for index, better in enumerate(ordered) for worse in ordered[index + 1 : -1]]
        pairs += [(better, balanced) for better in ordered]
        fulfilled = sum(self._above(better, worse) for better, worse in pairs)
        return fulfilled, sum(len(better) * len(worse) for better, worse in pairs)

    def _above(self, better: list[int], worse: list[int]) -> int:
        """In how many pairs the first document is retrieved, and stands above the second."""
        return sum(
            len(worse) - bisect_right(worse, position) for position in better if position < self.retrieved
        )

    def _by_matrix(self, relevant: int) -> tuple[int, int]:
        import numpy as np

        mask, others = [], 0
        for level in self.levels:
            others += level == 0
            mask.append(level != 0 or others <= relevant)
        tally = Tally(self.order.only(np.array(mask)))
        over = "retrieved" if self.retrieved_only else "all"
        return tally.fulfilled(over), tally.possible(over)


def _relevant(levels: list[float]) -> int:
    return sum(level > 0 for level in levels)


def _last_level(group: Group, document: str) -> float:
    """The level in the last subgroup, bytewise, that has the document."""
    names = sorted(group.subgroups, key=lambda name: name.encode("utf-8", "surrogateescape"), reverse=True)
    return next(group.subgroups[name][document] for name in names if document in group.subgroups[name])


NO_DOCUMENT = b"no document"  # in the place of a list that was cut to nothing


class RichInputs(Inputs):
    """Rankings beside judgments that know more than one grade for a document."""

    def __init__(self, rankings: Rankings, tag: str, faults: dict[str, str]) -> None:
        super().__init__(rankings.native, tag, faults)
        self.rankings = rankings

    def values(self, column: Column, settings: Settings) -> list[float]:
        """One number for each judged query."""
        if column.base.startswith("prefs_avgjg_Rnonrel"):
            return balanced_values(self.rankings, column.base.endswith("_ret"))
        if column.base.startswith("prefs_pair"):
            return pair_values(self.rankings, column.base)
        if column.measure is None:
            raise Stopped(f"trec_eval: no value of '{column.name}' can be calculated\n", 4)
        return list(column.measure.values(self.rankings).filled(0.0))


def read_rich_inputs(settings: Settings) -> RichInputs:
    """Both files, the judgments first."""
    path, results = settings.files
    form = settings.judgment_format
    data = read_file(path, unreadable_judgments(path, form))
    faults: dict[str, str] = {}
    judged: RichJudgments
    if form == "qrels_jg":
        from idealist.data.grouped import GroupedJudgments

        judged = GroupedJudgments(_read_groups(data, path, settings.version))
    else:
        judged = _preferences(_read_subgroups(data, path, form, settings.version, faults), faults)
    source = Source(results, settings.version)
    try:
        scored, tag = read_results(source.read(), source.name, settings.version)
    finally:
        source.close()
    plain = judged.plain()
    run = _run(scored, list(plain), settings, faults, ascending=form != "qrels_jg")
    conventions = Conventions()
    if settings.judged_only and form == "qrels_jg":
        conventions = conventions.replace(unjudged="removed", negative="unjudged")
    options = match_options(conventions)
    native = kernels.match(run.rows, plain.rows, options, kernels.thread_count(None))
    rankings = Rankings(native, conventions, run=run, judgments=plain)
    rankings.tables = {judged.need: judged}
    return RichInputs(rankings, tag, faults)


def _run(
    scored: dict[str, list[tuple[bytes, float]]],
    queries: list[str],
    settings: Settings,
    faults: dict[str, str],
    ascending: bool,
) -> Run:
    """The judged queries' documents, their places in the place of their scores."""
    where = "form_prefs_counts" if ascending else "form_res_qrels"
    ranked = {}
    for query in queries:
        documents = scored.get(query, [])
        if ascending:
            documents.sort(key=lambda entry: entry[0])
            documents.sort(key=lambda entry: -entry[1])
        top = [document for document, _ in documents[: max(0, settings.depth)]]
        if (document := twice(top)) is not None:
            faults[query] = f"trec_eval.{where}: duplicate docs {as_text(document)}"
        if documents:
            listed = top or [NO_DOCUMENT]
            ranked[query] = {as_text(document): float(-position) for position, document in enumerate(listed)}
    return Run(ranked or {"no query": {"no document": 0.0}})


def _read_groups(data: bytes, path: str, version: int) -> Groups:
    queries: Groups = {}
    repeated = []
    for query, group, document, grade in judgment_rows(data, path, "qrels_jg", version):
        grades = queries.setdefault(as_text(query), {}).setdefault(as_text(group), {})
        if as_text(document) in grades:
            repeated.append((query, group, document))
        grades[as_text(document)] = float(atol(as_text(grade)))
    if repeated:
        raise quit_in(path, f"trec_eval.get_qrels: duplicate docs {as_text(min(repeated)[2])}")
    return queries


def _read_subgroups(data: bytes, path: str, form: str, version: int, faults: dict[str, str]) -> Subgroups:
    queries: Subgroups = {}
    has_subgroups = FORMATS[form][3] == 5
    for fields in judgment_rows(data, path, form, version):
        query, group, *between, document, level = map(as_text, fields)
        subgroup = between[0] if has_subgroups else "0"
        levels = queries.setdefault(query, {}).setdefault(group, {}).setdefault(subgroup, {})
        if document in levels:
            faults[query] = (
                f"trec_eval.form_prefs_counts: doc '{document}' is there twice for query '{query}', group "
                f"'{group}', subgroup '{subgroup}'\n"
            )
        levels[document] = atof(level)
    return dict(sorted(queries.items(), key=lambda entry: as_bytes(entry[0])))


def _preferences(queries: Subgroups, faults: dict[str, str]) -> RichJudgments:
    """The preferences; a query that contradicts itself is a fault, and has none."""
    from idealist.data.preferences import Preferences

    try:
        return Preferences(queries)
    except InputError:
        pass
    sound: Subgroups = {}
    for query, groups in queries.items():
        try:
            Preferences({query: groups})
            sound[query] = groups
        except InputError as error:
            faults.setdefault(query, f"trec_eval.form_prefs_counts: {error.message}\n")
            documents = {d: 1.0 for group in groups.values() for levels in group.values() for d in levels}
            sound[query] = {"0": {"0": documents}}
    return Preferences(sound)
