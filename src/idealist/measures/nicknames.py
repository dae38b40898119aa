"""trec_eval's names for sets of measures, and the parameters its measures have by default."""

from __future__ import annotations

CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
RECALLS = tuple(f"{tenths / 10:.2f}" for tenths in range(11))
MULTIPLES = tuple(f"{fifths / 5:.2f}" for fifths in range(1, 11))

# Measures that trec_eval prints once for each parameter, and the parameters if none are given.
PARAMETERS = {
    **dict.fromkeys(("P", "recall", "relative_P", "map_cut", "ndcg_cut", "P_avgjg"), CUTOFFS),
    "success": ("1", "5", "10"),
    "unj": ("5", "10", "20"),
    "iprec_at_recall": RECALLS,
    **dict.fromkeys(("Rprec_mult", "Rprec_mult_avgjg"), MULTIPLES),
}
TEXTS = ("runid", "relstring")  # text, not measures

_COUNTS = "runid num_q num_ret num_rel num_rel_ret"
_OFFICIAL = f"{_COUNTS} map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SET = "utility set_P set_recall set_relative_P set_map set_F"
_PREFS = (
    "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair "
    "prefs_avgjg"
)

# By name, the measures of a set as trec_eval 9 has it.
SETS = {
    "official": tuple(_OFFICIAL.split()),
    "set": tuple(f"{_COUNTS} {_SET}".split()),
    "all_trec": tuple(
        (
            f"{_OFFICIAL} relstring recall infAP gm_bpref 11pt_avg {_SET} ndcg relative_P Rprec_mult success "
            "map_cut ndcg_cut ndcg_rel Rndcg binG G num_nonrel_judged_ret"
        ).split()
    ),
    "all_prefs": tuple(
        (
            f"{_PREFS} prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret "
            "prefs_avgjg_Rnonrel_ret prefs_simp_imp prefs_pair_imp prefs_avgjg_imp"
        ).split()
    ),
    "prefs": tuple(_PREFS.split()),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
# What trec_eval 10 adds to them.
ADDED_IN_10 = {"all_trec": ("rbp", "rbp_resid", "unj")}


def _with_parameters(name: str) -> str:
    return " ".join(f"{name}_{value}" for value in PARAMETERS[name]) if name in PARAMETERS else name


# The text form of each set: its measures with their parameters.
NICKNAMES = {
    nickname: " ".join(_with_parameters(name) for name in names if name not in TEXTS)
    for nickname, names in SETS.items()
}
