"""Idealist measures rankings: every one is held against its ideal list."""

from __future__ import annotations

from importlib import import_module

from idealist import conventions
from idealist.conventions import Conventions
from idealist.data import Judgments, Rankings, Run
from idealist.errors import IdealistError, InputError, MissingDependency, UnknownMeasure
from idealist.evaluation import Evaluation, evaluate
from idealist.evaluation.explanation import Explanation, explain, explain_grades
from idealist.io import read_judgments, read_run
from idealist.measures import Measure, parse
from idealist.results import show_with

__version__ = "0.1.0"
# Results are shown by what stands right of them; only this module, the front, may import both.
show_with(lambda: import_module("idealist.report.views"))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.checking import CheckResult, Finding, check
    from idealist.comparison.comparing import compare, compare_evaluations
    from idealist.comparison.contrast import Contrast
    from idealist.comparison.pareto import best_system, hypervolume, pareto_front
    from idealist.comparison.result import Comparison
    from idealist.comparison.segmentation import Segment, segments, worst_segment
    from idealist.data.clicks import ClickLog
    from idealist.data.grouped import GroupedJudgments
    from idealist.data.items import Items
    from idealist.data.objectives import Objectives
    from idealist.data.preferences import Preferences
    from idealist.data.profiles import Profiles
    from idealist.data.provenance import Provenance
    from idealist.data.sampled import SampledJudgments
    from idealist.data.votes import Votes
    from idealist.decision.verdict import Guard, Verdict, decide
    from idealist.evaluation.agreement import agree
    from idealist.evaluation.joining import join_evaluations
    from idealist.evaluation.saving import read_evaluation
    from idealist.evaluation.ties import TieBounds
    from idealist.fusion import TunedFusion, fuse, tune_fusion
    from idealist.io.clicks import read_clicks
    from idealist.io.groups import read_groups
    from idealist.io.items import read_items
    from idealist.io.objectives import read_objectives
    from idealist.io.preferences import read_preferences
    from idealist.io.profiles import read_profiles
    from idealist.io.strata import read_strata
    from idealist.io.systems import read_runs
    from idealist.io.votes import read_votes
    from idealist.io.writing import write_judgments, write_run
    from idealist.measures.families.adaptive_models import (
        BPM,
        IFT,
        INST,
        NERR8,
        NERR9,
        NERR10,
        NERR11,
        BPMDynamic,
        IFTGoal,
        IFTRate,
    )
    from idealist.measures.families.agreement import (
        RBO,
        Compat,
        Jaccard,
        KendallTau,
        Overlap,
        Spearman,
        TauAP,
        WeightedTau,
    )
    from idealist.measures.families.binary import AP, RR, F, Hits, Judged, P, R, Rprec, Success, Unjudged
    from idealist.measures.families.catalogue import Coverage, Entropy, Gini
    from idealist.measures.families.clicks import IPSDCG, SNIPSDCG, ClippedClicks
    from idealist.measures.families.counts import NumNonrelJudgedRet, NumQ, NumRel, NumRelRet, NumRet
    from idealist.measures.families.diversity import (
        APIA,
        DNDCG,
        ERRIA,
        IA,
        NERRIA,
        NNRBP,
        NRBP,
        PIA,
        AlphaDCG,
        AlphaNDCG,
        DSharpNDCG,
        StRecall,
    )
    from idealist.measures.families.expectations import (
        ExpectedCost,
        ExpectedDepth,
        ExpectedTotalCost,
        ExpectedTotalUtility,
        Residual,
    )
    from idealist.measures.families.fairness import (
        AWRF,
        EEL,
        NDKL,
        ExposureParity,
        ExposureToUtility,
        GroupExposure,
        MaxSkew,
        MinSkew,
    )
    from idealist.measures.families.gain import CG, DCG, IDCG, NCG, NDCG, RNDCG, BinG, G, NDCGRel
    from idealist.measures.families.incomplete import (
        Condensed,
        Gap,
        InfAP,
        InfNDCG,
        Lower,
        Sampled,
        Upper,
        XInfAP,
    )
    from idealist.measures.families.items import (
        EFD,
        EILD,
        EPC,
        ILD,
        Calibration,
        CategoryCoverage,
        CategoryEntropy,
        Novelty,
        Popularity,
        Serendipity,
        TailShare,
    )
    from idealist.measures.families.judgment_groups import APAvgJG, PAvgJG, RprecMultAvgJG
    from idealist.measures.families.means import GMAP, GMBpref
    from idealist.measures.families.objectives import Mix, MultiObjective
    from idealist.measures.families.pairs import AUC, PNR, Accuracy, Bpref, CoverageError, RankingLoss
    from idealist.measures.families.personal import PersonalNDCG
    from idealist.measures.families.preferences import (
        NumPrefs,
        NumPrefsFulfilled,
        PrefsAvgJG,
        PrefsAvgJGRnonrel,
        PrefsPair,
        PrefsSimple,
    )
    from idealist.measures.families.recall_levels import IPrec, IPrecAvg, RelP, RprecMult
    from idealist.measures.families.sets import YAAP, SetAP, Utility
    from idealist.measures.families.user_models import ERR, INSQ, NERR, NPV, RBP, SDCG, SET, TBG, Q, UMeasure
    from idealist.planning.document_sampling import grade_sample, sample_documents
    from idealist.planning.next_judgments import next_documents, open_differences
    from idealist.planning.pooling import pool_documents
    from idealist.planning.query_sampling import sample_queries
    from idealist.planning.sampling_error import sampling_errors
    from idealist.planning.votes import detectable_gsb, needed_judgments
    from idealist.presets import Difference, Search, find_conventions, why
    from idealist.statistics.intervals import Interval, mean_interval
    from idealist.statistics.power import detectable_difference, needed_queries
    from idealist.votes.raters import rater_agreement
    from idealist.votes.result import GSB
    from idealist.votes.voting import gsb, gsb_from

__all__ = [
    "AP",
    "APIA",
    "AUC",
    "AWRF",
    "BPM",
    "CG",
    "DCG",
    "DNDCG",
    "EEL",
    "EFD",
    "EILD",
    "EPC",
    "ERR",
    "ERRIA",
    "GMAP",
    "GSB",
    "IA",
    "IDCG",
    "IFT",
    "ILD",
    "INSQ",
    "INST",
    "IPSDCG",
    "NCG",
    "NDCG",
    "NDKL",
    "NERR",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NERRIA",
    "NNRBP",
    "NPV",
    "NRBP",
    "PIA",
    "PNR",
    "RBO",
    "RBP",
    "RNDCG",
    "RR",
    "SDCG",
    "SET",
    "SNIPSDCG",
    "TBG",
    "YAAP",
    "APAvgJG",
    "Accuracy",
    "AlphaDCG",
    "AlphaNDCG",
    "BPMDynamic",
    "BinG",
    "Bpref",
    "Calibration",
    "CategoryCoverage",
    "CategoryEntropy",
    "CheckResult",
    "ClickLog",
    "ClippedClicks",
    "Comparison",
    "Compat",
    "Condensed",
    "Contrast",
    "Conventions",
    "Coverage",
    "CoverageError",
    "DSharpNDCG",
    "Difference",
    "Entropy",
    "Evaluation",
    "ExpectedCost",
    "ExpectedDepth",
    "ExpectedTotalCost",
    "ExpectedTotalUtility",
    "Explanation",
    "ExposureParity",
    "ExposureToUtility",
    "F",
    "Finding",
    "G",
    "GMBpref",
    "Gap",
    "Gini",
    "GroupExposure",
    "GroupedJudgments",
    "Guard",
    "Hits",
    "IFTGoal",
    "IFTRate",
    "IPrec",
    "IPrecAvg",
    "IdealistError",
    "InfAP",
    "InfNDCG",
    "InputError",
    "Interval",
    "Items",
    "Jaccard",
    "Judged",
    "Judgments",
    "KendallTau",
    "Lower",
    "MaxSkew",
    "Measure",
    "MinSkew",
    "MissingDependency",
    "Mix",
    "MultiObjective",
    "NDCGRel",
    "Novelty",
    "NumNonrelJudgedRet",
    "NumPrefs",
    "NumPrefsFulfilled",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "Objectives",
    "Overlap",
    "P",
    "PAvgJG",
    "PersonalNDCG",
    "Popularity",
    "Preferences",
    "PrefsAvgJG",
    "PrefsAvgJGRnonrel",
    "PrefsPair",
    "PrefsSimple",
    "Profiles",
    "Provenance",
    "Q",
    "R",
    "RankingLoss",
    "Rankings",
    "RelP",
    "Residual",
    "Rprec",
    "RprecMult",
    "RprecMultAvgJG",
    "Run",
    "Sampled",
    "SampledJudgments",
    "Search",
    "Segment",
    "Serendipity",
    "SetAP",
    "Spearman",
    "StRecall",
    "Success",
    "TailShare",
    "TauAP",
    "TieBounds",
    "TunedFusion",
    "UMeasure",
    "Unjudged",
    "UnknownMeasure",
    "Upper",
    "Utility",
    "Verdict",
    "Votes",
    "WeightedTau",
    "XInfAP",
    "agree",
    "best_system",
    "check",
    "compare",
    "compare_evaluations",
    "conventions",
    "decide",
    "detectable_difference",
    "detectable_gsb",
    "evaluate",
    "explain",
    "explain_grades",
    "find_conventions",
    "fuse",
    "grade_sample",
    "gsb",
    "gsb_from",
    "hypervolume",
    "join_evaluations",
    "mean_interval",
    "needed_judgments",
    "needed_queries",
    "next_documents",
    "open_differences",
    "pareto_front",
    "parse",
    "pool_documents",
    "rater_agreement",
    "read_clicks",
    "read_evaluation",
    "read_groups",
    "read_items",
    "read_judgments",
    "read_objectives",
    "read_preferences",
    "read_profiles",
    "read_run",
    "read_runs",
    "read_strata",
    "read_votes",
    "sample_documents",
    "sample_queries",
    "sampling_errors",
    "segments",
    "tune_fusion",
    "why",
    "worst_segment",
    "write_judgments",
    "write_run",
]

# Public names that are imported when somebody asks for them; measures are found by their family.
ELSEWHERE = {
    "CheckResult": "idealist.checking",
    "ClickLog": "idealist.data.clicks",
    "Comparison": "idealist.comparison.result",
    "Contrast": "idealist.comparison.contrast",
    "Difference": "idealist.presets",
    "Finding": "idealist.checking",
    "GSB": "idealist.votes.result",
    "GroupedJudgments": "idealist.data.grouped",
    "Guard": "idealist.decision.verdict",
    "Interval": "idealist.statistics.intervals",
    "Items": "idealist.data.items",
    "Objectives": "idealist.data.objectives",
    "Preferences": "idealist.data.preferences",
    "Profiles": "idealist.data.profiles",
    "Provenance": "idealist.data.provenance",
    "SampledJudgments": "idealist.data.sampled",
    "Search": "idealist.presets",
    "Segment": "idealist.comparison.segmentation",
    "TieBounds": "idealist.evaluation.ties",
    "TunedFusion": "idealist.fusion",
    "Verdict": "idealist.decision.verdict",
    "Votes": "idealist.data.votes",
    "agree": "idealist.evaluation.agreement",
    "best_system": "idealist.comparison.pareto",
    "check": "idealist.checking",
    "compare": "idealist.comparison.comparing",
    "compare_evaluations": "idealist.comparison.comparing",
    "decide": "idealist.decision.verdict",
    "detectable_difference": "idealist.statistics.power",
    "detectable_gsb": "idealist.planning.votes",
    "find_conventions": "idealist.presets",
    "fuse": "idealist.fusion",
    "grade_sample": "idealist.planning.document_sampling",
    "gsb": "idealist.votes.voting",
    "gsb_from": "idealist.votes.voting",
    "hypervolume": "idealist.comparison.pareto",
    "join_evaluations": "idealist.evaluation.joining",
    "mean_interval": "idealist.statistics.intervals",
    "needed_judgments": "idealist.planning.votes",
    "needed_queries": "idealist.statistics.power",
    "next_documents": "idealist.planning.next_judgments",
    "open_differences": "idealist.planning.next_judgments",
    "pareto_front": "idealist.comparison.pareto",
    "pool_documents": "idealist.planning.pooling",
    "rater_agreement": "idealist.votes.raters",
    "read_clicks": "idealist.io.clicks",
    "read_evaluation": "idealist.evaluation.saving",
    "read_groups": "idealist.io.groups",
    "read_items": "idealist.io.items",
    "read_objectives": "idealist.io.objectives",
    "read_preferences": "idealist.io.preferences",
    "read_profiles": "idealist.io.profiles",
    "read_runs": "idealist.io.systems",
    "read_strata": "idealist.io.strata",
    "read_votes": "idealist.io.votes",
    "sample_documents": "idealist.planning.document_sampling",
    "sample_queries": "idealist.planning.query_sampling",
    "sampling_errors": "idealist.planning.sampling_error",
    "segments": "idealist.comparison.segmentation",
    "tune_fusion": "idealist.fusion",
    "why": "idealist.presets",
    "worst_segment": "idealist.comparison.segmentation",
    "write_judgments": "idealist.io.writing",
    "write_run": "idealist.io.writing",
}


def __getattr__(name: str) -> object:
    if name in ELSEWHERE:
        return getattr(import_module(ELSEWHERE[name]), name)
    if name in __all__:
        from idealist.measures.registry import measure_class

        if cls := measure_class(name):
            return cls
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
