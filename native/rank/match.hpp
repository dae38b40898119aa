// Run and judgments to rankings: the one join everything else stands on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/id_table.hpp"
#include "base/query_rows.hpp"
#include "base/rows.hpp"
#include "rank/hit_ranker.hpp"
#include "rank/match_options.hpp"
#include "rank/rankings.hpp"
#include "rank/rankings_builder.hpp"
#include "rank/ties.hpp"

namespace idealist {

// Finds and ranks the judged documents of one query after the other, in memory it uses again.
class QueryMatcher {
  public:
    explicit QueryMatcher(const MatchOptions& options) : options_(options), ranker_(options) {}
    // Without rows the query is missing from the run.
    void match(const QueryRows* rows, const QueryRows& judged, RankingsBuilder& out) {
        match(rows, judged, judged.values(grade_scratch_), out);
    }
    // The same with other numbers in the place of the judged documents' grades.
    void match(const QueryRows* rows, const QueryRows& judged, const double* grades, RankingsBuilder& out);

  private:
    void find_hits(const QueryRows& rows, const double* scores, const QueryRows& judged,
                   const double* grades);

    MatchOptions options_;
    HitRanker ranker_;
    IdTable table_;
    std::vector<Hit> hits_;
    std::vector<double> all_grades_, grade_scratch_, score_scratch_, single_scratch_;
    std::vector<uint32_t> hash_scratch_, judged_hash_scratch_;
};

std::shared_ptr<Rankings> match(const std::shared_ptr<const Rows>& run,
                                const std::shared_ptr<const Rows>& judgments, const MatchOptions& options,
                                unsigned threads);

// The rows of one query in ranked order; ties that no order decides stand by id, descending.
// With `most`, only that many, and those that are tied with the last of them.
std::vector<uint32_t> ranked_rows(const Rows& run, size_t query, const MatchOptions& options,
                                  size_t most = all_ranks);

}  // namespace idealist
