"""`idealist ranklib`: RankLib's options in, training, testing or ranking, and its lines and files out."""

from __future__ import annotations

import sys

import numpy as np

from idealist.data.detection import open_source
from idealist.data.reading import read_judgments
from idealist.data.targets import Target, refuse_inputs
from idealist.drop_ins.ranklib import ranklib_data as data
from idealist.drop_ins.ranklib.ranklib_metrics import parse_metric
from idealist.drop_ins.ranklib.ranklib_options import OPTIONS, RANKERS, help_text, read_settings
from idealist.drop_ins.ranklib.ranklib_training import TRAINERS, USUAL_RANKER, Training, double_text, rounded
from idealist.errors import InputError
from idealist.learn.models.model_storage import load_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import ndarray

    from idealist.data.features import Features
    from idealist.drop_ins.ranklib.ranklib_metrics import Metric
    from idealist.drop_ins.ranklib.ranklib_options import Settings
    from idealist.learn.trainers.trainer import Progress

USUAL_METRIC = "ERR@10"
FOR_TRAINING = (
    "-validate",
    "-tvs",
    "-tts",
    "-kcv",
    "-kcvmd",
    "-kcvmn",
    "-save",
    "-feature",
    "-ranker",
    "-metric2t",
)
FOR_MODELS = ("-load", "-rank", "-score", "-indri", "-idv")
INDRI_DIGITS = 5


def run(arguments: Sequence[str], progress: Progress | None = None) -> int:
    """Runs the command and gives its exit status."""
    if not arguments or arguments[0].lower() in ("-help", "--help", "-h"):
        sys.stdout.write(help_text())
        return 0
    settings = read_settings(arguments)
    highest = settings.get("-gmax", 4.0)
    trained_by = parse_metric(settings.get("-metric2t", USUAL_METRIC), highest)
    reported = (
        parse_metric(settings["-metric2T"], highest) if settings["-metric2T"] is not None else trained_by
    )
    if settings["-norm"] is not None:
        _refuse_normalisation(settings["-norm"])
    judged = None if settings["-qrel"] is None else read_judgments(settings["-qrel"])
    if not settings["-silent"]:
        _introduce(settings, trained_by, reported)
    if settings["-train"] is not None:
        training = Training(
            settings, trained_by, reported, judged, _say, _note, None if settings["-silent"] else progress
        )
        if not settings["-silent"]:
            _say(
                f"Parameters: {', '.join(f'{name} {value}' for name, value in training.trainer.parameters().items())}"
            )
        training.run()
        return 0
    for written in ("-score", "-indri") if settings["-rank"] is not None else ("-idv",):
        refuse_inputs(settings[written], settings.inputs())
    if settings["-rank"] is not None:
        _rank(settings)
    elif settings["-test"]:
        _test(settings, reported, judged)
    else:
        raise InputError(
            "there is nothing to do",
            hint="-train FILE trains, -load MODEL -test FILE tests, -load MODEL -rank FILE ranks",
        )
    return 0


def _say(text: str) -> None:
    print(text, flush=True)


def _refuse_normalisation(how: str) -> None:
    from idealist.drop_ins.ranklib.ranklib_data import NORMALISATIONS

    if how.lower() not in NORMALISATIONS:
        raise InputError(f"-norm must be one of {', '.join(NORMALISATIONS)}, not {how}")


def _introduce(settings: Settings, trained_by: Metric, reported: Metric) -> None:
    """What was understood, and on standard error what means something else than in RankLib, or nothing."""
    training = settings["-train"] is not None
    ranker = settings.get("-ranker", USUAL_RANKER)
    if training:
        _say(f"Training data: {settings['-train']}")
        for option, label in (
            ("-validate", "Validation data"),
            ("-feature", "Features"),
            ("-save", "Model file"),
        ):
            if settings[option] is not None:
                _say(f"{label}: {settings[option]}")
        _say(f"Ranking method: {RANKERS[ranker]}")
        _say(f"Train metric: {trained_by}")
    for path in settings["-load"] if not training else ():
        _say(f"Model file: {path}")
    for path in settings["-test"]:
        _say(f"Test data: {path}")
    if training or settings["-test"]:
        _say(f"Test metric: {reported}")
    _say(f"Feature normalization: {settings.get('-norm', 'No')}")
    if training and settings["-kcv"] is not None and settings["-test"]:
        _note("-test is not measured with -kcv, whose folds are the test data")
    if not training and len(settings["-load"]) > 1 and len(settings["-test"]) < 2:
        _note(f"the queries are cut into {len(settings['-load'])} folds, and each model scores its own")
    idle = FOR_MODELS if training else FOR_TRAINING
    known = {*TRAINERS[ranker][1]}
    for name in settings.given:
        if name in idle and not (name == "-metric2t" and settings["-metric2T"] is None):
            _note(f"{name} changes nothing {'in training' if training else 'without -train'}")
        elif OPTIONS[name].group and name not in known:
            _note(f"{name} changes nothing for {RANKERS[ranker]}")
        elif OPTIONS[name].differs:
            _note(f"{name}: {OPTIONS[name].differs}")


def _note(text: str) -> None:
    if sys.stderr is not None:
        print(f"note: {text}", file=sys.stderr)


def _scored(settings: Settings, features: Features) -> Iterator[tuple[Features, ndarray]]:
    """Features with the scores of the model, or, of several models, the queries of each fold with those of its model."""
    models = [load_model(path) for path in settings["-load"]]
    parts = [features]
    if len(models) > 1:
        parts = [features.of_queries(tested) for _, tested in data.folds(features, len(models))]
    for part, model in zip(parts, models, strict=True):
        yield part, model.scores(data.for_model(part, model, settings))


def _test(settings: Settings, metric: Metric, judged: object) -> None:
    tables = [data.read_data(path, settings) for path in settings["-test"]]
    models = settings["-load"]
    if len(tables) > 1 and len(tables) != len(models):
        raise InputError(
            f"there are {len(tables)} files to test and {len(models)} models",
            hint="give one file, or one for each model",
        )
    parts: list[tuple[Features, ndarray]] = []
    if not models:
        for table in tables:
            given = settings["-score"]
            # Without a model and without scores the order of the file is what is measured.
            falling = -np.arange(len(table), dtype=np.float64)
            parts.append((table, falling if given is None else _read_scores(given, len(table))))
    elif len(tables) > 1:
        for table, path in zip(tables, models, strict=True):
            model = load_model(path)
            parts.append((table, model.scores(data.for_model(table, model, settings))))
    else:
        parts = list(_scored(settings, tables[0]))
    queries = [query for features, _ in parts for query in features.queries]
    values = np.concatenate([metric.values(features, scores, judged) for features, scores in parts])  # type: ignore[arg-type]
    mean = float(values.mean())
    _say(f"{metric} on test data: {double_text(rounded(mean, 4))}")
    if settings["-idv"] is not None:
        rows = zip([*queries, "all"], [*values.tolist(), mean], strict=True)
        _write(settings["-idv"], [f"{metric}   {query}   {double_text(value)}" for query, value in rows])
        _say(f"Per-ranked list performance saved to: {settings['-idv']}")


def _rank(settings: Settings) -> None:
    if settings["-score"] is None and settings["-indri"] is None:
        raise InputError("-rank writes nothing", hint="-score FILE writes scores, -indri FILE a ranking")
    features = data.read_data(settings["-rank"], settings)
    if settings["-load"]:
        parts = list(_scored(settings, features))
    elif settings["-indri"] is not None and settings["-score"] is None:
        parts = [(features, 1.0 - 0.0001 * data.places(features))]
    else:
        raise InputError("-score needs a model", hint="-load MODEL names one")
    if settings["-score"] is not None:
        _write(settings["-score"], _score_lines(parts))
    if settings["-indri"] is not None:
        ids = dict(zip(features.queries, data.document_names(settings["-rank"], features), strict=True))
        _write(settings["-indri"], _indri_lines(parts, ids))


def _score_lines(parts: Sequence[tuple[Features, ndarray]]) -> Iterator[str]:
    for features, scores in parts:
        starts = features.starts
        for place, query in enumerate(features.queries):
            for number, score in enumerate(scores[starts[place] : starts[place + 1]].tolist()):
                yield f"{query}\t{number}\t{double_text(score)}"


def _indri_lines(parts: Sequence[tuple[Features, ndarray]], ids: dict[str, list[str]]) -> Iterator[str]:
    for features, scores in parts:
        starts = features.starts
        for place, query in enumerate(features.queries):
            own = scores[starts[place] : starts[place + 1]]
            for rank, number in enumerate(np.argsort(-own, kind="stable").tolist(), 1):
                score = double_text(rounded(float(own[number]), INDRI_DIGITS))
                yield f"{query} Q0 {ids[query][number]} {rank} {score} indri"


def _read_scores(path: str, count: int) -> ndarray:
    """A score a line: the last word of each."""
    with open_source(path, None) as opened:
        lines = [line.decode("utf-8", "replace").split() for line in opened.content().splitlines()]
    words = [(number, line[-1]) for number, line in enumerate(lines, 1) if line]
    scores = []
    for number, word in words:
        try:
            scores.append(float(word))
        except ValueError:
            raise InputError(
                f"{word[:40]!r} is not a score",
                source=path,
                line=number,
                hint="the last word of a line is its score, as -score writes it",
            ) from None
    if len(scores) != count:
        raise InputError(
            f"there are {len(scores):,} scores for {count:,} documents",
            source=path,
            hint="a line for each document of the test data",
        )
    return np.array(scores)


def _write(path: str, lines: Iterator[str] | Sequence[str]) -> None:
    # RankLib replaces a file that is there, and so do scripts that call it expect.
    with (
        Target(path, force=True) as unfinished,
        open(unfinished, "w", encoding="utf-8", newline="\n") as file,
    ):
        file.writelines(f"{line}\n" for line in lines)
