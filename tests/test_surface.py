"""Each public name is a promise."""

from __future__ import annotations

import copy
import pickle

import idealist
from idealist.measures import registry

NAMES = """
AP APAvgJG APIA AUC AWRF Accuracy AlphaDCG AlphaNDCG BPM BPMDynamic BinG Bpref CG Calibration
CategoryCoverage CategoryEntropy CheckResult ClickLog ClippedClicks Comparison Compat Condensed Contrast
Conventions Coverage CoverageError DCG DNDCG DSharpNDCG Difference EEL EFD EILD EPC ERR ERRIA Entropy
Evaluation ExpectedCost ExpectedDepth ExpectedTotalCost ExpectedTotalUtility Explanation ExposureParity
ExposureToUtility F Finding G GMAP GMBpref GSB Gap Gini GroupExposure GroupedJudgments Guard Hits IA IDCG
IFT IFTGoal IFTRate ILD INSQ INST IPSDCG IPrec IPrecAvg IdealistError InfAP InfNDCG InputError Interval
Items Jaccard Judged Judgments KendallTau Lower MaxSkew Measure MinSkew MissingDependency Mix MultiObjective
NCG NDCG NDCGRel NDKL NERR NERR10 NERR11 NERR8 NERR9 NERRIA NNRBP NPV NRBP Novelty NumNonrelJudgedRet
NumPrefs NumPrefsFulfilled NumQ NumRel NumRelRet NumRet Objectives Overlap P PAvgJG PIA PNR PersonalNDCG
Popularity Preferences PrefsAvgJG PrefsAvgJGRnonrel PrefsPair PrefsSimple Profiles Provenance Q R RBO RBP
RNDCG RR RankingLoss Rankings RelP Residual Rprec RprecMult RprecMultAvgJG Run SDCG SET SNIPSDCG Sampled
SampledJudgments Search Segment Serendipity SetAP Spearman StRecall Success TBG TailShare TauAP TieBounds
TunedFusion UMeasure Unjudged UnknownMeasure Upper Utility Verdict Votes WeightedTau XInfAP YAAP agree
best_system check compare compare_evaluations conventions decide detectable_difference detectable_gsb
evaluate explain explain_grades find_conventions fuse grade_sample gsb gsb_from hypervolume join_evaluations
mean_interval needed_judgments needed_queries next_documents open_differences pareto_front parse pool_documents rater_agreement
read_clicks read_evaluation read_groups read_items read_judgments read_objectives read_preferences
read_profiles read_run read_runs read_strata read_votes sample_documents sample_queries sampling_errors segments tune_fusion why worst_segment
write_judgments write_run
"""


def test_public_names() -> None:
    assert sorted(idealist.__all__) == sorted(NAMES.split())
    assert all(hasattr(idealist, name) for name in idealist.__all__)


def test_every_measure_is_public() -> None:
    for cls in registry().values():
        assert getattr(idealist, cls.__name__) is cls


def test_errors_are_one_tree() -> None:
    assert idealist.InputError.__bases__ == (idealist.IdealistError, ValueError)
    assert issubclass(idealist.UnknownMeasure, idealist.InputError)
    assert idealist.MissingDependency.__bases__ == (idealist.IdealistError, ImportError)
    error = idealist.InputError("wrong", source="x.run", line=3, hint="mend it")
    assert str(error) == "x.run, line 3: wrong\nhint: mend it"


def test_errors_travel_between_processes() -> None:
    for cls in (idealist.InputError, idealist.UnknownMeasure):
        error = cls("wrong", source="x.run", line=3, hint="mend it")
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert type(again) is cls
            assert (str(again), again.source, again.line) == (str(error), "x.run", 3)
