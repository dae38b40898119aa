"""The public names: each is imported when somebody asks for it."""

from idealist import (
    comparison as comparison,
)
from idealist import (
    conventions as conventions,
)
from idealist import (
    decision as decision,
)
from idealist import (
    evaluation as evaluation,
)
from idealist import (
    fusion as fusion,
)
from idealist import (
    plan as plan,
)
from idealist import (
    presets as presets,
)
from idealist import (
    statistics as statistics,
)
from idealist import (
    votes as votes,
)
from idealist.checking import CheckResult as CheckResult
from idealist.checking import check as check
from idealist.comparison.comparing import compare as compare
from idealist.comparison.comparing import compare_evaluations as compare_evaluations
from idealist.comparison.contrast import Contrast as Contrast
from idealist.comparison.result import Comparison as Comparison
from idealist.conventions import Conventions as Conventions
from idealist.data import Judgments as Judgments
from idealist.data import Rankings as Rankings
from idealist.data import Run as Run
from idealist.data.clicks import ClickLog as ClickLog
from idealist.data.grouped import GroupedJudgments as GroupedJudgments
from idealist.data.items import Items as Items
from idealist.data.objectives import Objectives as Objectives
from idealist.data.preferences import Preferences as Preferences
from idealist.data.profiles import Profiles as Profiles
from idealist.data.sampled import SampledJudgments as SampledJudgments
from idealist.data.votes import Votes as Votes
from idealist.decision.verdict import Verdict as Verdict
from idealist.errors import (
    IdealistError as IdealistError,
)
from idealist.errors import (
    InputError as InputError,
)
from idealist.errors import (
    MissingDependency as MissingDependency,
)
from idealist.errors import (
    UnknownMeasure as UnknownMeasure,
)
from idealist.evaluation import Evaluation as Evaluation
from idealist.evaluation import evaluate as evaluate
from idealist.evaluation.agreement import agree as agree
from idealist.evaluation.explanation import (
    Explanation as Explanation,
)
from idealist.evaluation.explanation import (
    explain as explain,
)
from idealist.evaluation.explanation import (
    explain_grades as explain_grades,
)
from idealist.evaluation.saving import read_evaluation as read_evaluation
from idealist.fusion import fuse as fuse
from idealist.io import read_judgments as read_judgments
from idealist.io import read_run as read_run
from idealist.io.clicks import read_clicks as read_clicks
from idealist.io.groups import read_groups as read_groups
from idealist.io.items import read_items as read_items
from idealist.io.objectives import read_objectives as read_objectives
from idealist.io.preferences import read_preferences as read_preferences
from idealist.io.profiles import read_profiles as read_profiles
from idealist.io.strata import read_strata as read_strata
from idealist.io.systems import read_runs as read_runs
from idealist.io.votes import read_votes as read_votes
from idealist.io.writing import write_judgments as write_judgments
from idealist.io.writing import write_run as write_run
from idealist.measures import Measure as Measure
from idealist.measures import parse as parse
from idealist.measures.families.adaptive_models import (
    BPM as BPM,
)
from idealist.measures.families.adaptive_models import (
    IFT as IFT,
)
from idealist.measures.families.adaptive_models import (
    INST as INST,
)
from idealist.measures.families.adaptive_models import (
    NERR8 as NERR8,
)
from idealist.measures.families.adaptive_models import (
    NERR9 as NERR9,
)
from idealist.measures.families.adaptive_models import (
    NERR10 as NERR10,
)
from idealist.measures.families.adaptive_models import (
    NERR11 as NERR11,
)
from idealist.measures.families.adaptive_models import (
    BPMDynamic as BPMDynamic,
)
from idealist.measures.families.adaptive_models import (
    IFTGoal as IFTGoal,
)
from idealist.measures.families.adaptive_models import (
    IFTRate as IFTRate,
)
from idealist.measures.families.agreement import (
    RBO as RBO,
)
from idealist.measures.families.agreement import (
    Compat as Compat,
)
from idealist.measures.families.agreement import (
    Jaccard as Jaccard,
)
from idealist.measures.families.agreement import (
    KendallTau as KendallTau,
)
from idealist.measures.families.agreement import (
    Overlap as Overlap,
)
from idealist.measures.families.agreement import (
    Spearman as Spearman,
)
from idealist.measures.families.agreement import (
    TauAP as TauAP,
)
from idealist.measures.families.agreement import (
    WeightedTau as WeightedTau,
)
from idealist.measures.families.binary import (
    AP as AP,
)
from idealist.measures.families.binary import (
    RR as RR,
)
from idealist.measures.families.binary import (
    F as F,
)
from idealist.measures.families.binary import (
    Hits as Hits,
)
from idealist.measures.families.binary import (
    Judged as Judged,
)
from idealist.measures.families.binary import (
    P as P,
)
from idealist.measures.families.binary import (
    R as R,
)
from idealist.measures.families.binary import (
    Rprec as Rprec,
)
from idealist.measures.families.binary import (
    Success as Success,
)
from idealist.measures.families.binary import (
    Unjudged as Unjudged,
)
from idealist.measures.families.catalogue import Coverage as Coverage
from idealist.measures.families.catalogue import Entropy as Entropy
from idealist.measures.families.catalogue import Gini as Gini
from idealist.measures.families.clicks import (
    IPSDCG as IPSDCG,
)
from idealist.measures.families.clicks import (
    SNIPSDCG as SNIPSDCG,
)
from idealist.measures.families.clicks import (
    ClippedClicks as ClippedClicks,
)
from idealist.measures.families.counts import (
    NumNonrelJudgedRet as NumNonrelJudgedRet,
)
from idealist.measures.families.counts import (
    NumQ as NumQ,
)
from idealist.measures.families.counts import (
    NumRel as NumRel,
)
from idealist.measures.families.counts import (
    NumRelRet as NumRelRet,
)
from idealist.measures.families.counts import (
    NumRet as NumRet,
)
from idealist.measures.families.diversity import (
    APIA as APIA,
)
from idealist.measures.families.diversity import (
    DNDCG as DNDCG,
)
from idealist.measures.families.diversity import (
    ERRIA as ERRIA,
)
from idealist.measures.families.diversity import (
    IA as IA,
)
from idealist.measures.families.diversity import (
    NERRIA as NERRIA,
)
from idealist.measures.families.diversity import (
    NNRBP as NNRBP,
)
from idealist.measures.families.diversity import (
    NRBP as NRBP,
)
from idealist.measures.families.diversity import (
    PIA as PIA,
)
from idealist.measures.families.diversity import (
    AlphaDCG as AlphaDCG,
)
from idealist.measures.families.diversity import (
    AlphaNDCG as AlphaNDCG,
)
from idealist.measures.families.diversity import (
    DSharpNDCG as DSharpNDCG,
)
from idealist.measures.families.diversity import (
    StRecall as StRecall,
)
from idealist.measures.families.expectations import (
    ExpectedCost as ExpectedCost,
)
from idealist.measures.families.expectations import (
    ExpectedDepth as ExpectedDepth,
)
from idealist.measures.families.expectations import (
    ExpectedTotalCost as ExpectedTotalCost,
)
from idealist.measures.families.expectations import (
    ExpectedTotalUtility as ExpectedTotalUtility,
)
from idealist.measures.families.expectations import (
    Residual as Residual,
)
from idealist.measures.families.fairness import (
    AWRF as AWRF,
)
from idealist.measures.families.fairness import (
    EEL as EEL,
)
from idealist.measures.families.fairness import (
    NDKL as NDKL,
)
from idealist.measures.families.fairness import (
    ExposureParity as ExposureParity,
)
from idealist.measures.families.fairness import (
    ExposureToUtility as ExposureToUtility,
)
from idealist.measures.families.fairness import (
    GroupExposure as GroupExposure,
)
from idealist.measures.families.fairness import (
    MaxSkew as MaxSkew,
)
from idealist.measures.families.fairness import (
    MinSkew as MinSkew,
)
from idealist.measures.families.gain import (
    CG as CG,
)
from idealist.measures.families.gain import (
    DCG as DCG,
)
from idealist.measures.families.gain import (
    IDCG as IDCG,
)
from idealist.measures.families.gain import (
    NCG as NCG,
)
from idealist.measures.families.gain import (
    NDCG as NDCG,
)
from idealist.measures.families.gain import (
    RNDCG as RNDCG,
)
from idealist.measures.families.gain import (
    BinG as BinG,
)
from idealist.measures.families.gain import (
    G as G,
)
from idealist.measures.families.gain import (
    NDCGRel as NDCGRel,
)
from idealist.measures.families.incomplete import (
    Condensed as Condensed,
)
from idealist.measures.families.incomplete import (
    Gap as Gap,
)
from idealist.measures.families.incomplete import (
    InfAP as InfAP,
)
from idealist.measures.families.incomplete import (
    InfNDCG as InfNDCG,
)
from idealist.measures.families.incomplete import (
    Lower as Lower,
)
from idealist.measures.families.incomplete import (
    Sampled as Sampled,
)
from idealist.measures.families.incomplete import (
    Upper as Upper,
)
from idealist.measures.families.incomplete import (
    XInfAP as XInfAP,
)
from idealist.measures.families.items import (
    EFD as EFD,
)
from idealist.measures.families.items import (
    EILD as EILD,
)
from idealist.measures.families.items import (
    EPC as EPC,
)
from idealist.measures.families.items import (
    ILD as ILD,
)
from idealist.measures.families.items import (
    Calibration as Calibration,
)
from idealist.measures.families.items import (
    CategoryCoverage as CategoryCoverage,
)
from idealist.measures.families.items import (
    CategoryEntropy as CategoryEntropy,
)
from idealist.measures.families.items import (
    Novelty as Novelty,
)
from idealist.measures.families.items import (
    Popularity as Popularity,
)
from idealist.measures.families.items import (
    Serendipity as Serendipity,
)
from idealist.measures.families.items import (
    TailShare as TailShare,
)
from idealist.measures.families.judgment_groups import (
    APAvgJG as APAvgJG,
)
from idealist.measures.families.judgment_groups import (
    PAvgJG as PAvgJG,
)
from idealist.measures.families.judgment_groups import (
    RprecMultAvgJG as RprecMultAvgJG,
)
from idealist.measures.families.means import GMAP as GMAP
from idealist.measures.families.means import GMBpref as GMBpref
from idealist.measures.families.objectives import Mix as Mix
from idealist.measures.families.objectives import MultiObjective as MultiObjective
from idealist.measures.families.pairs import (
    AUC as AUC,
)
from idealist.measures.families.pairs import (
    PNR as PNR,
)
from idealist.measures.families.pairs import (
    Accuracy as Accuracy,
)
from idealist.measures.families.pairs import (
    Bpref as Bpref,
)
from idealist.measures.families.pairs import (
    CoverageError as CoverageError,
)
from idealist.measures.families.pairs import (
    RankingLoss as RankingLoss,
)
from idealist.measures.families.personal import PersonalNDCG as PersonalNDCG
from idealist.measures.families.preferences import (
    NumPrefs as NumPrefs,
)
from idealist.measures.families.preferences import (
    NumPrefsFulfilled as NumPrefsFulfilled,
)
from idealist.measures.families.preferences import (
    PrefsAvgJG as PrefsAvgJG,
)
from idealist.measures.families.preferences import (
    PrefsAvgJGRnonrel as PrefsAvgJGRnonrel,
)
from idealist.measures.families.preferences import (
    PrefsPair as PrefsPair,
)
from idealist.measures.families.preferences import (
    PrefsSimple as PrefsSimple,
)
from idealist.measures.families.recall_levels import (
    IPrec as IPrec,
)
from idealist.measures.families.recall_levels import (
    IPrecAvg as IPrecAvg,
)
from idealist.measures.families.recall_levels import (
    RelP as RelP,
)
from idealist.measures.families.recall_levels import (
    RprecMult as RprecMult,
)
from idealist.measures.families.sets import YAAP as YAAP
from idealist.measures.families.sets import SetAP as SetAP
from idealist.measures.families.sets import Utility as Utility
from idealist.measures.families.user_models import (
    ERR as ERR,
)
from idealist.measures.families.user_models import (
    INSQ as INSQ,
)
from idealist.measures.families.user_models import (
    NERR as NERR,
)
from idealist.measures.families.user_models import (
    NPV as NPV,
)
from idealist.measures.families.user_models import (
    RBP as RBP,
)
from idealist.measures.families.user_models import (
    SDCG as SDCG,
)
from idealist.measures.families.user_models import (
    SET as SET,
)
from idealist.measures.families.user_models import (
    TBG as TBG,
)
from idealist.measures.families.user_models import (
    Q as Q,
)
from idealist.measures.families.user_models import (
    UMeasure as UMeasure,
)
from idealist.presets import Difference as Difference
from idealist.presets import why as why
from idealist.votes.result import GSB as GSB
from idealist.votes.voting import gsb as gsb

__all__: list[str]
__version__: str
