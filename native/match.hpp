// Run and judgments to rankings: the one join everything else stands on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rankings.hpp"
#include "rows.hpp"
#include "ties.hpp"

namespace idealist {

enum class Ties { id_descending, id_ascending, input_order, averaged, optimistic, pessimistic };

struct MatchOptions {
    Ties ties = Ties::id_descending;
    bool remove_unjudged = false;
    bool single_precision = false;   // compare scores as float, as trec_eval 9 does
    bool negative_unjudged = false;  // a negative grade is as good as none
    uint32_t depth = all_ranks;

    double compared(double score) const { return single_precision ? double(float(score)) : score; }
    // Whether a judged document counts as unjudged.
    bool skips(double grade) const { return negative_unjudged && grade < 0; }
    // Whether even a list of judged documents only may lose some, and its ranks close up.
    bool may_remove_judged() const { return remove_unjudged && negative_unjudged; }
};

// The documents of one query as HitRanker sees them.
class Candidates {
  public:
    virtual ~Candidates() = default;
    virtual std::string_view id(uint32_t row) const = 0;
};

// Hits [begin, end) share their score with `size` documents below `before` others.
struct TiedHits {
    uint32_t before, size;
    size_t begin, end;
};

// Gives every hit its rank among `count` scores and puts the hits in rank order.
class HitRanker {
  public:
    explicit HitRanker(const MatchOptions& options) : options_(options) {}
    void rank(const double* scores, uint32_t count, const Candidates& candidates, std::vector<Hit>& hits);
    // Those of the hits ranked last that are not alone, unless ties are averaged: then each hit says so.
    std::span<const TiedHits> ties() const { return ties_; }

  private:
    void close_up(std::vector<Hit>& hits);
    void settle_sorted(const double* scores, uint32_t count, const Candidates& candidates,
                       std::vector<Hit>& hits);
    void settle_counted(const double* scores, uint32_t count, const Candidates& candidates,
                        std::vector<Hit>& hits);
    void settle_group(uint32_t before, std::span<const uint32_t> members, const Candidates& candidates,
                      std::vector<Hit>& hits, size_t begin, size_t end);

    MatchOptions options_;
    std::vector<uint32_t> members_;
    std::vector<double> levels_;
    std::vector<uint32_t> above_, equal_, starts_;
    std::vector<std::string_view> ids_;
    std::vector<TiedHits> ties_;
};

// How often each grade that is a small whole number occurs.
using SmallGradeCounts = std::array<uint32_t, 32>;

// Counts such grades; says false, and counts in vain, when one is of another kind.
template <class Grade>
bool count_small_grades(const Grade* grades, size_t size, SmallGradeCounts& counts) {
    counts.fill(0);
    SmallGradeCounts others{};  // so that neighbours of one grade do not wait for each other
    for (size_t i = 0; i < size; ++i) {
        if (!(grades[i] >= 0 && grades[i] < Grade(counts.size()))) return false;
        const auto whole = size_t(grades[i]);
        if (Grade(whole) != grades[i]) return false;
        ++(i % 2 ? counts : others)[whole];
    }
    for (size_t grade = 0; grade < counts.size(); ++grade) counts[grade] += others[grade];
    return true;
}

// Collects the rankings of consecutive queries.
class RankingsBuilder {
  public:
    explicit RankingsBuilder(const MatchOptions& options) : options_(options) {
        rankings_.depth = options.depth;
        rankings_.hit_begin.push_back(0);
        rankings_.judged_begin.push_back(0);
    }
    // `hits` are in rank order; `grades` are all judged grades of the query in any order, and may be
    // left in another.
    void add(uint32_t retrieved, bool missing, const std::vector<Hit>& hits, std::vector<double>& grades,
             std::span<const TiedHits> ties = {}) {
        add_hits(hits);
        for (const TiedHits& tie : ties) {
            add_ties(tie.before, tie.size, std::span(hits).subspan(tie.begin, tie.end - tie.begin));
        }
        add_judged(grades);
        finish(options_.remove_unjudged ? uint32_t(hits.size()) : retrieved, missing);
    }
    // The same in parts.
    void add_hits(const std::vector<Hit>& hits);
    void add_ties(uint32_t before, uint32_t size, std::span<const Hit> hits) {
        keep_ties(rankings_, rankings_.queries(), before, size, hits);
    }
    void add_judged(std::vector<double>& grades);
    void add_judged(const SmallGradeCounts& counts);
    void finish(uint32_t retrieved, bool missing);
    Rankings& rankings() { return rankings_; }

  private:
    MatchOptions options_;
    Rankings rankings_;
};

// Names for queries that have none: 0, 1, 2, …
QueryNames numbered(size_t count);

// Where a query's ranking was made.
struct Place {
    uint32_t part, query;
};

// One ranking for every place, in the places' order.
std::shared_ptr<Rankings> gather(std::vector<RankingsBuilder>& parts, const std::vector<Place>& places,
                                 const MatchOptions& options, unsigned threads);
// All rankings of all parts, one part after the other.
std::shared_ptr<Rankings> gather_in_order(std::vector<RankingsBuilder>& parts, const MatchOptions& options,
                                          unsigned threads);

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
