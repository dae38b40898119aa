"""trec_eval's other formats of judgments: groups of judges (qrels_jg) and preferences (prefs, qrels_prefs)."""

from __future__ import annotations

from idealist import kernels
from idealist.conventions import Conventions, match_options
from idealist.data import Rankings, Run
from idealist.errors import InputError
from idealist.integrations.trec_eval.inputs import Inputs, Source, read_file
from idealist.integrations.trec_eval.numbers import atof, atol
from idealist.integrations.trec_eval.options import Stopped
from idealist.integrations.trec_eval.text import (
    FORMATS,
    as_bytes,
    as_text,
    judgment_rows,
    quit_in,
    read_results,
    twice,
    unreadable_judgments,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.judgments import RichJudgments
    from idealist.integrations.trec_eval.catalogue import Column
    from idealist.integrations.trec_eval.options import Settings

    Groups = dict[str, dict[str, dict[str, float]]]
    Subgroups = dict[str, dict[str, dict[str, dict[str, float]]]]


NO_DOCUMENT = b"no document"  # in the place of a list that was cut to nothing


class RichInputs(Inputs):
    """Rankings beside judgments that know more than one grade for a document."""

    def __init__(self, rankings: Rankings, tag: str, faults: dict[str, str]) -> None:
        super().__init__(rankings.native, tag, faults)
        self.rankings = rankings

    def values(self, column: Column, settings: Settings) -> list[float]:
        """One number for each judged query."""
        if column.base.startswith("prefs_avgjg_Rnonrel"):
            from idealist.integrations.trec_eval.balanced import balanced_values

            return balanced_values(self.rankings, column.base.endswith("_ret"))
        if column.base.startswith("prefs_pair"):
            from idealist.integrations.trec_eval.pairs import pair_values

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
