#include "rank/dense.hpp"

#include <algorithm>
#include <optional>

#include "base/parallel.hpp"
#include "rank/dense_rows.hpp"
#include "rank/match_options.hpp"
#include "rank/rankings.hpp"
#include "rank/rankings_builder.hpp"

namespace idealist {

namespace {

constexpr size_t rows_per_block = 16;

}  // namespace

template <class Score, class Grade>
std::shared_ptr<Rankings> rank_dense(const Score* scores, const Grade* grades, size_t rows, size_t columns,
                                     const MatchOptions& options, unsigned threads) {
    const size_t blocks = (rows + rows_per_block - 1) / rows_per_block;
    std::vector<RankingsBuilder> parts;
    parts.reserve(blocks);
    for (size_t block = 0; block < blocks; ++block) parts.emplace_back(options);
    const bool every_document = options.depth == all_ranks && !options.negative_unjudged;
    Rankings hits;
    std::vector<uint8_t> any_tie(rows);
    if (every_document) {
        hits.rank.resize_uninitialised(rows * columns);
        hits.grade.resize_uninitialised(rows * columns);
        if (options.ties == Ties::averaged) hits.tied.resize_uninitialised(rows * columns);
    }
    const bool by_id = options.ties == Ties::id_descending || options.ties == Ties::id_ascending;
    std::vector<uint32_t> places;
    if (by_id && columns > 10) places = places_as_text(columns);
    std::vector<std::optional<RowRanker<Score, Grade>>> rankers(std::max(1u, threads));
    parallel_for(blocks, threads, [&](size_t block, unsigned worker) {
        auto& ranker = rankers[worker];
        if (!ranker) ranker.emplace(options, columns, places);
        for (size_t row = block * rows_per_block; row < std::min(rows, (block + 1) * rows_per_block); ++row) {
            any_tie[row] = ranker->rank(scores + row * columns, grades + row * columns, row, parts[block],
                                        every_document ? &hits : nullptr);
        }
    });
    auto rankings = gather_in_order(parts, options, threads);
    if (every_document) {
        for (size_t row = 0; row <= rows; ++row) rankings->hit_begin[row] = row * columns;
        rankings->rank = std::move(hits.rank);
        rankings->grade = std::move(hits.grade);
        const bool tied = std::find(any_tie.begin(), any_tie.end(), 1) != any_tie.end();
        if (tied && options.ties == Ties::averaged) {
            for (size_t row = 0; row < rows; ++row) {
                if (!any_tie[row]) std::fill_n(hits.tied.data() + row * columns, columns, 1u);
            }
            rankings->tied = std::move(hits.tied);
        }
    }
    rankings->names = numbered(rows);
    return rankings;
}

#define IDEALIST_RANK_DENSE(Score, Grade)                                                     \
    template std::shared_ptr<Rankings> rank_dense(const Score*, const Grade*, size_t, size_t, \
                                                  const MatchOptions&, unsigned)
IDEALIST_RANK_DENSE(double, double);
IDEALIST_RANK_DENSE(double, float);
IDEALIST_RANK_DENSE(double, int64_t);
IDEALIST_RANK_DENSE(double, int32_t);
IDEALIST_RANK_DENSE(float, double);
IDEALIST_RANK_DENSE(float, float);
IDEALIST_RANK_DENSE(float, int64_t);
IDEALIST_RANK_DENSE(float, int32_t);

}  // namespace idealist
