"""RankLib's command line: every option, what it takes, and where it means something else here."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Option(Frozen):
    """An option: what it takes (`kind`; a flag takes nothing), what it is about, and what differs from RankLib's."""

    kind: str
    about: str
    differs: str = ""
    group: str = ""


RANKERS = (
    "MART",
    "RankNet",
    "RankBoost",
    "AdaRank",
    "Coordinate Ascent",
    "LambdaRank",
    "LambdaMART",
    "ListNet",
    "Random Forests",
    "Linear Regression",
)
TREES, NETWORKS, FOREST = "MART and LambdaMART", "networks", "Random Forests"
# In the order of the help. Names are told apart by their letters alone, but for -metric2t and -metric2T.
OPTIONS = {
    "-train": Option("file", "training data, as LETOR lines"),
    "-ranker": Option(
        "whole", f"which algorithm: {', '.join(f'{n} {name}' for n, name in enumerate(RANKERS))}"
    ),
    "-feature": Option("file", "a file of the features to use, a number a line"),
    "-metric2t": Option(
        "text", "the metric to train by: MAP, NDCG@k, DCG@k, P@k, RR@k, ERR@k (default: ERR@10)"
    ),
    "-metric2T": Option("text", "the metric to report (default: that of -metric2t)"),
    "-gmax": Option("number", "the highest grade, for ERR (default: 4)", "a grade above it is an error"),
    "-qrel": Option(
        "file", "judgments of all documents, for MAP and NDCG", "for what is reported, not for training"
    ),
    "-silent": Option("flag", "print no settings and no progress"),
    "-missingZero": Option(
        "flag", "features that are missing are 0", "those that other lines have always are"
    ),
    "-validate": Option("file", "validation data: the model that is best there is taken"),
    "-tvs": Option("share", "the share of the training queries that is trained on; the rest validates"),
    "-save": Option("file", "where the model is written, over a file that is there; its folder is made"),
    "-test": Option("file", "test data; may be repeated for the models of several folds"),
    "-tts": Option("share", "the share of the training queries that is trained on; the rest tests"),
    "-norm": Option("text", "normalise features by query: sum, zscore or linear"),
    "-kcv": Option("whole", "cross-validation with so many folds, in the order of the file"),
    "-kcvmd": Option("file", "the folder for the models of the folds, which is made"),
    "-kcvmn": Option("text", "the name of a fold's model, behind f1. and so on"),
    "-load": Option("file", "a model to test or rank with; may be repeated, one for each fold"),
    "-rank": Option("file", "data to rank: with -score or -indri"),
    "-score": Option(
        "file", "where scores are written, a line for each document; with -test, where they are read"
    ),
    "-indri": Option(
        "file",
        "where a ranking is written, as TREC lines",
        "the docid of the comment or its first word, not all of it",
    ),
    "-idv": Option("file", "where the value of each query is written"),
    "-thread": Option("whole", "threads (default: all cores)"),
    "-sparse": Option("flag", "how RankLib keeps vectors in memory", "without effect"),
    "-hr": Option("flag", "leave out queries without a relevant document"),
    "-seed": Option(
        "whole", "seed of random numbers (default: 0)", "RankLib has none: each of its runs differs"
    ),
    "-tree": Option(
        "whole", "trees (default: 1000), in each bag of Random Forests (default: 1)", group=TREES
    ),
    "-leaf": Option("whole", "leaves of a tree (default: 10; Random Forests: 100)", group=TREES),
    "-shrinkage": Option("number", "the learning rate (default: 0.1)", group=TREES),
    "-tc": Option(
        "whole",
        "threshold candidates (default: 256; RankBoost: 10; -1: all)",
        "quantiles, not equal steps, for trees",
        TREES,
    ),
    "-mls": Option("whole", "the least documents in a leaf (default: 1)", group=TREES),
    "-estop": Option(
        "whole", "stop after so many rounds without a gain on validation data (default: 100)", group=TREES
    ),
    "-epoch": Option("whole", "epochs (default: 100; ListNet: 1500)", group=NETWORKS),
    "-layer": Option("whole", "hidden layers (default: 1)", group=NETWORKS),
    "-node": Option("whole", "units of a hidden layer (default: 10)", group=NETWORKS),
    "-lr": Option(
        "number",
        "learning rate (default: 0.00005; ListNet: 0.00001)",
        "the default is 0.01; steps are Adam's",
        NETWORKS,
    ),
    "-round": Option("whole", "rounds (default: RankBoost 300, AdaRank 500)", group="RankBoost and AdaRank"),
    "-noeq": Option("flag", "do not set features aside that are chosen twice in a row", group="AdaRank"),
    "-max": Option(
        "whole", "how often a feature may be chosen in a row and change nothing (default: 5)", group="AdaRank"
    ),
    "-tolerance": Option(
        "number",
        "the loss that ends AdaRank (default: 0.002), the gain that coordinate ascent goes on for (0.001)",
        group="AdaRank and Coordinate Ascent",
    ),
    "-r": Option("whole", "restarts (default: 5)", group="Coordinate Ascent"),
    "-i": Option(
        "whole", "steps on each line (default: 25)", "passes over all features", "Coordinate Ascent"
    ),
    "-reg": Option(
        "number",
        "regularisation",
        "the square of the distance from even weights, not the distance",
        "Coordinate Ascent",
    ),
    "-bag": Option("whole", "bags (default: 300)", group=FOREST),
    "-srate": Option("share", "queries drawn for a bag, with replacement (default: 1)", group=FOREST),
    "-frate": Option("share", "features drawn for a node (default: 0.3)", group=FOREST),
    "-rtype": Option("whole", "what is bagged: 0 MART (default), 6 LambdaMART", group=FOREST),
    "-L2": Option("number", "the penalty on squared weights (default: 1e-10)", group="Linear Regression"),
}
REFUSED = {
    "-nf": "it is for experiments of RankLib's authors",
    "-keep": "it is for experiments of RankLib's authors",
    "-t": "it is for experiments of RankLib's authors",
    "-all": "it belongs to RankLib's Analyzer: `idealist compare QRELS BASELINE RUN` compares rankings written by -indri",
    "-base": "it belongs to RankLib's Analyzer: `idealist compare QRELS BASELINE RUN` compares rankings written by -indri",
    "-np": "it belongs to RankLib's Analyzer: `idealist compare` has --tests",
    "-input": "it belongs to RankLib's FeatureManager: `idealist features` has statistics, and -kcv makes folds",
    "-output": "it belongs to RankLib's FeatureManager: `idealist features` has statistics, and -kcv makes folds",
    "-shuffle": "it belongs to RankLib's FeatureManager: shuffle the queries of the file before",
    "-feature_stats": "it belongs to RankLib's FeatureManager: `idealist model show FILE` shows what a model uses",
}
METAVARS = {"file": "FILE", "text": "NAME", "whole": "N", "number": "X", "share": "SHARE"}
SEVERAL = ("-load", "-test")
CASED = ("-metric2t", "-metric2T")


class Settings:
    """The options that were given, by name; `settings["-tree"]` is None where it was not."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given

    def __getitem__(self, name: str) -> Any:
        return self.given.get(name, () if name in SEVERAL else None)

    def get(self, name: str, usual: Any) -> Any:
        value = self[name]
        return usual if value is None else value

    def inputs(self) -> list[str]:
        """The files that are read."""
        named = [self[name] for name in ("-train", "-validate", "-rank", "-qrel", "-feature")]
        if self["-rank"] is None:
            named.append(self["-score"])
        return [path for path in (*named, *self["-test"], *self["-load"]) if path is not None]


def read_settings(arguments: Sequence[str]) -> Settings:
    """The settings of a command line; an error names the option."""
    names = {name.lower(): name for name in OPTIONS if name not in CASED}
    given: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        name = argument if argument in CASED else names.get(argument.lower())
        if name is None:
            raise _unknown(argument)
        option = OPTIONS[name]
        value: Any = True
        if option.kind != "flag":
            text = next(rest, None)
            if text is None:
                raise InputError(f"{name} needs a value, and none follows it", hint=option.about)
            value = _value(name, option.kind, text)
        if name in SEVERAL:
            given[name] = (*given.get(name, ()), value)
        elif name in given and option.kind != "flag":
            raise InputError(f"{name} is given twice", hint="leave one of them out")
        else:
            given[name] = value
    return Settings(given)


def _unknown(argument: str) -> InputError:
    reason = REFUSED.get(argument.lower())
    if reason is not None:
        return InputError(f"{argument} is not taken here", hint=reason)
    return InputError(f"{argument!r} is not an option of RankLib", hint="`idealist ranklib -help` lists them")


def _value(name: str, kind: str, text: str) -> Any:
    if kind in ("file", "text"):
        return text
    try:
        number = int(text) if kind == "whole" else float(text)
    except ValueError:
        raise InputError(
            f"{name} takes a {'whole ' if kind == 'whole' else ''}number, not {text!r}"
        ) from None
    if kind == "share" and not 0 < number <= 1:
        raise InputError(f"{name} takes a share between 0 and 1, not {text}")
    if number != number or number in (float("inf"), float("-inf")):
        raise InputError(f"{name} takes a finite number, not {text}")
    least = {"-tc": -1, "-thread": -1, "-seed": 0, "-estop": 0, "-layer": 0, "-ranker": 0, "-rtype": 0}.get(
        name, 1
    )
    if kind == "whole" and number < least:
        raise InputError(f"{name} must be {least} or more, not {text}")
    if kind == "number" and number < 0:
        raise InputError(f"{name} must be 0 or more, not {text}")
    if name == "-ranker" and number >= len(RANKERS):
        raise InputError(f"-ranker must be 0 to {len(RANKERS) - 1}, not {text}", hint=OPTIONS[name].about)
    if name == "-rtype" and number not in (0, 6):
        raise InputError(f"-rtype must be 0 (MART) or 6 (LambdaMART), not {text}")
    return number


def help_text() -> str:
    """All options, a line each, by what they belong to."""
    lines = [
        "usage: idealist ranklib -train FILE [options]",
        "       idealist ranklib -load MODEL [options]",
        "",
    ]
    heading = ""
    for name, option in OPTIONS.items():
        if option.group != heading:
            heading = option.group
            lines += ["", f"{heading}:"]
        taken = "" if option.kind == "flag" else f" {METAVARS[option.kind]}"
        differs = f" [here: {option.differs}]" if option.differs else ""
        lines.append(f"  {name + taken:<20} {option.about}{differs}")
    return "\n".join(lines) + "\n"
