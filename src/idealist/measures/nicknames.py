"""trec_eval's names for sets of measures, with the parameters they have there by default. Its `runid` and
`relstring` are text, not measures, and are left out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = [f"{tenths / 10:.2f}" for tenths in range(11)]
MULTIPLES = [f"{fifths / 5:.2f}" for fifths in range(1, 11)]


def _at(name: str, parameters: Iterable[object] = CUTOFFS) -> str:
    return " ".join(f"{name}_{one}" for one in parameters)


_COUNTS = "num_q num_ret num_rel num_rel_ret"
_OFFICIAL = f"{_COUNTS} map gm_map Rprec bpref recip_rank {_at('iprec_at_recall', RECALLS)} {_at('P')}"
_SET = "utility set_P set_recall set_relative_P set_map set_F"
_PREFS = (
    "num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg"
)

NICKNAMES = {
    "official": _OFFICIAL,
    "set": f"{_COUNTS} {_SET}",
    "all_trec": (
        f"{_OFFICIAL} {_at('recall')} infAP gm_bpref 11pt_avg {_SET} dcg ideal_dcg ndcg {_at('relative_P')} "
        f"{_at('Rprec_mult', MULTIPLES)} {_at('success', (1, 5, 10))} {_at('map_cut')} {_at('ndcg_cut')} "
        "ndcg_rel Rndcg binG G num_nonrel_judged_ret"
    ),
    "prefs": _PREFS,
    "all_prefs": (
        f"{_PREFS} prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret "
        "prefs_simp_imp prefs_pair_imp prefs_avgjg_imp"
    ),
    "qrels_jg": f"num_q map_avgjg {_at('P_avgjg')} {_at('Rprec_mult_avgjg', MULTIPLES)}",
}
