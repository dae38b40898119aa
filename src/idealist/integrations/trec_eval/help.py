"""What `idealist trec-eval -h` prints, in our words."""

from __future__ import annotations

from textwrap import fill

from idealist.integrations.trec_eval.catalogue import (
    columns_of,
    requested,
    supported_measures,
    supported_nicknames,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.integrations.trec_eval.options import Settings

WIDTH = 100
OPTIONS = """\
idealist trec-eval [9|10] [options] JUDGMENTS RESULTS

Prints what trec_eval prints: version 9 (9.0.8) unless 10 is said first.

 -q, --query_eval_wanted            print the values of every query too
 -n, --nosummary                    do not print the line of all queries
 -m, --measure NAME[.PARAMETERS]    print this measure or set of measures; more than once for several.
                                    Parameters: P.5,10   set_F.0.5   utility.1,-1,0,0   ndcg.1=3,2=9
 -c, --complete_rel_info_wanted     average over all judged queries; those without results count 0
 -l, --level_for_rel N              a document is relevant from this grade up (1)
 -M, --Max_retrieved_per_topic N    look at the first N documents of every query only
 -J, --Judged_docs_only             take documents without judgment out of the results first
 -N, --Number_docs_in_coll N        how many documents there are in all, for utility
 -R, --Rel_info_format FORMAT       the judgments are qrels, qrels_jg, prefs or qrels_prefs
 -T, --Results_format FORMAT        the results are trec_results; there is no other format
 -Z, --Zscore FILE                  print standard scores: lines of query, measure, mean, deviation
 -D, --Debug_level N[.QUERY]        evaluate this query only; there is no debug output
 -o, --Output_old_results_format    has no effect, as in trec_eval
 -v, --version                      which version of trec_eval it is
 -h, --help                         this; with -m, what these measures are
"""
EXAMPLES = """\
examples:
  idealist trec-eval robust.qrels bm25.run
  idealist trec-eval -q -m ndcg_cut.10 -m map robust.qrels bm25.run
  idealist trec-eval 10 -c -m official -l 2 robust.qrels bm25.run
"""
FORMATS = """\
judgments (qrels):    query  iteration  document  grade
          qrels_jg:   query  group  document  grade
          prefs:      query  group  subgroup  document  level
          qrels_prefs: query  group  document  level
results:              query  Q0  document  rank  score  run
"""


def help_text(settings: Settings) -> str:
    parts = [OPTIONS, EXAMPLES, FORMATS]
    if settings.requests:
        parts += [
            _explained(name, settings.version) for name in requested(settings.requests, settings.version)
        ]
    else:
        names = " ".join(supported_measures(settings.version))
        parts.append(f"measures:\n{_wrapped(names)}\n")
        nicknames = supported_nicknames(settings.version)
        parts += [f"{nickname}:\n{_wrapped(' '.join(names))}\n" for nickname, names in nicknames.items()]
    return "\n".join(parts)


def _explained(name: str, version: int) -> str:
    first = columns_of(name, None, version)[0]
    if first.measure is None:
        about = (
            "the run's name" if name == "runid" else "the grades of the first documents, one mark for each"
        )
    else:
        from inspect import cleandoc

        about = cleandoc(type(first.measure).__doc__ or "").partition(">>>")[0].rstrip()
        about = f"{first.measure}: {about}"
    return f"{name}\n" + "\n".join(f"    {line}".rstrip() for line in about.split("\n")) + "\n"


def _wrapped(text: str) -> str:
    return fill(text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
