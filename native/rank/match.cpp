#include "rank/match.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>

#include "base/ids.hpp"
#include "base/interrupts.hpp"
#include "base/parallel.hpp"
#include "base/query_rows.hpp"

namespace idealist {

namespace {

// Up to this many judged documents, looking for each among the rows beats a table of them.
constexpr size_t few_judged = 8;

class RowCandidates final : public Candidates {
  public:
    explicit RowCandidates(const QueryRows& rows) : rows_(rows) {}
    std::string_view id(uint32_t row) const override { return rows_.id(row); }

  private:
    const QueryRows& rows_;
};

const double* as_compared(const double* scores, size_t count, const MatchOptions& options,
                          std::vector<double>& scratch) {
    if (!options.single_precision) return scores;
    scratch.resize(count);
    for (size_t i = 0; i < count; ++i) scratch[i] = options.compared(scores[i]);
    return scratch.data();
}

}  // namespace

void QueryMatcher::match(const QueryRows* rows, const QueryRows& judged, const double* grades,
                         RankingsBuilder& out) {
    all_grades_.clear();
    for (size_t i = 0; i < judged.size(); ++i) {
        if (!options_.skips(grades[i])) all_grades_.push_back(grades[i]);
    }
    hits_.clear();
    if (!rows) return out.add(0, true, hits_, all_grades_);
    const double* scores = as_compared(rows->values(score_scratch_), rows->size(), options_, single_scratch_);
    find_hits(*rows, scores, judged, grades);
    ranker_.rank(scores, uint32_t(rows->size()), RowCandidates(*rows), hits_);
    out.add(uint32_t(rows->size()), false, hits_, all_grades_, ranker_.ties());
}

void QueryMatcher::find_hits(const QueryRows& rows, const double* scores, const QueryRows& judged,
                             const double* grades) {
    const uint32_t* judged_hashes = judged.hashes(judged_hash_scratch_);
    const uint32_t* hashes = rows.hashes(hash_scratch_);
    const uint32_t count = uint32_t(rows.size());
    if (judged.size() <= few_judged) {
        for (uint32_t item = 0; item < judged.size(); ++item) {
            if (options_.skips(grades[item])) continue;
            for (size_t row = 0; (row = find_equal(hashes, row, count, judged_hashes[item])) < count; ++row) {
                if (!same_text(rows.id(row), judged.id(item))) continue;
                hits_.push_back({scores[row], grades[item], judged.id(item)});
                break;
            }
        }
        return;
    }
    table_.reset(judged.size());
    auto judged_id = [&](uint32_t row) { return judged.id(row); };
    for (uint32_t row = 0; row < judged.size(); ++row) {
        refuse_interrupted(row);
        if (!options_.skips(grades[row])) table_.insert(judged_hashes[row], row, judged_id);
    }
    for (uint32_t row = 0; row < count; ++row) {
        refuse_interrupted(row);
        const uint32_t found = table_.find(hashes[row], [&] { return rows.id(row); }, judged_id);
        if (found != IdTable::absent) hits_.push_back({scores[row], grades[found], judged.id(found)});
    }
}

std::shared_ptr<Rankings> match(const std::shared_ptr<const Rows>& run,
                                const std::shared_ptr<const Rows>& judgments, const MatchOptions& options,
                                unsigned threads) {
    const auto& names = judgments->queries();
    // Small enough to share out evenly, large enough that starting one costs nothing.
    const size_t per_block = std::clamp<size_t>(names.size() / (8 * size_t(std::max(1u, threads))), 1, 512);
    const size_t blocks = (names.size() + per_block - 1) / per_block;
    std::vector<RankingsBuilder> parts;
    parts.reserve(blocks);
    for (size_t block = 0; block < blocks; ++block) parts.emplace_back(options);
    std::vector<std::unique_ptr<QueryMatcher>> matchers(std::max(1u, threads));
    const auto& run_names = run->queries();
    parallel_for(blocks, threads, [&](size_t block, unsigned worker) {
        auto& matcher = matchers[worker];
        if (!matcher) matcher = std::make_unique<QueryMatcher>(options);
        const size_t begin = block * per_block;
        const size_t end = std::min(names.size(), begin + per_block);
        auto at = std::lower_bound(run_names.begin(), run_names.end(), names[begin]);
        for (size_t q = begin; q < end; ++q) {
            while (at != run_names.end() && *at < names[q]) ++at;
            const QueryRows judged = judgments->query_rows(q);
            if (at != run_names.end() && *at == names[q]) {
                const QueryRows rows = run->query_rows(size_t(at - run_names.begin()));
                matcher->match(&rows, judged, parts[block]);
            } else {
                matcher->match(nullptr, judged, parts[block]);
            }
        }
    });
    auto rankings = gather_in_order(parts, options, threads);
    rankings->names = QueryNames(judgments, &judgments->queries());
    return rankings;
}

std::vector<uint32_t> ranked_rows(const Rows& run, size_t query, const MatchOptions& options, size_t most) {
    const QueryRows rows = run.query_rows(query);
    std::vector<double> scratch, single;
    const double* scores = as_compared(rows.values(scratch), rows.size(), options, single);
    std::vector<uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    if (most > 0 && most < order.size()) {
        std::vector<double> sorted(scores, scores + rows.size());
        std::nth_element(sorted.begin(), sorted.begin() + ptrdiff_t(most) - 1, sorted.end(),
                         std::greater<double>());
        const double last = sorted[most - 1];
        std::erase_if(order, [&](uint32_t row) { return scores[row] < last; });
    }
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        if (scores[a] != scores[b]) return scores[a] > scores[b];
        if (options.ties == Ties::input_order) return false;
        const int compared = rows.id(a).compare(rows.id(b));
        return options.ties == Ties::id_ascending ? compared < 0 : compared > 0;
    });
    return order;
}

}  // namespace idealist
