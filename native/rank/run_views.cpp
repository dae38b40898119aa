#include "rank/run_views.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "base/id_table.hpp"
#include "base/interrupts.hpp"
#include "base/parallel.hpp"
#include "base/query_rows.hpp"
#include "rank/match.hpp"
#include "rank/rankings_builder.hpp"
#include "rank/ties.hpp"

namespace idealist {

namespace {

// The rankings of all queries of `rows`, some of them at a time: rank(begin, end, out).
template <class Rank>
std::shared_ptr<Rankings> rank_queries(const std::shared_ptr<const Rows>& rows, const MatchOptions& options,
                                       unsigned threads, Rank&& rank) {
    constexpr size_t per_block = 64;
    const size_t queries = rows->queries().size();
    const size_t blocks = (queries + per_block - 1) / per_block;
    std::vector<RankingsBuilder> parts;
    parts.reserve(blocks);
    for (size_t block = 0; block < blocks; ++block) parts.emplace_back(options);
    parallel_for(blocks, threads, [&](size_t block, unsigned) {
        rank(block * per_block, std::min(queries, (block + 1) * per_block), parts[block]);
    });
    auto rankings = gather_in_order(parts, options, threads);
    rankings->names = QueryNames(rows, &rows->queries());
    return rankings;
}

}  // namespace

std::shared_ptr<Rankings> rank_items(const Rows& run, const std::shared_ptr<const Rows>& queries,
                                     const Rows& items, const MatchOptions& options, unsigned threads) {
    if (items.queries().size() != 1) throw std::invalid_argument("the items must be rows of a single query");
    const QueryRows all = items.query_rows(0);
    std::vector<double> number_scratch;
    std::vector<uint32_t> hash_scratch;
    const double* numbers = all.values(number_scratch);
    const uint32_t* item_hashes = all.hashes(hash_scratch);
    auto item_id = [&](uint32_t row) { return all.id(row); };
    IdTable table;
    table.reset(all.size());
    for (uint32_t row = 0; row < all.size(); ++row) {
        refuse_interrupted(row);
        table.insert(item_hashes[row], row, item_id);
    }

    const auto& names = queries->queries();
    return rank_queries(queries, options, threads, [&](size_t begin, size_t end, RankingsBuilder& out) {
        std::vector<Hit> hits;
        std::vector<double> none;
        std::vector<uint32_t> scratch;
        for (size_t q = begin; q < end; ++q) {
            hits.clear();
            const auto at = run.find(names[q]);
            if (!at) {
                out.add(0, true, hits, none);
                continue;
            }
            const QueryRows rows = run.query_rows(*at);
            const uint32_t* hashes = rows.hashes(scratch);
            uint32_t rank = 0;
            for (const uint32_t row : ranked_rows(run, *at, options)) {
                if (++rank > options.depth) break;
                const uint32_t item = table.find(hashes[row], [&] { return rows.id(row); }, item_id);
                if (item == IdTable::absent) {
                    throw UnknownItem{std::string(names[q]), std::string(rows.id(row))};
                }
                hits.push_back({0, numbers[item], {}, rank, 1});
            }
            out.add_hits(hits);
            out.finish(uint32_t(rows.size()), false);
        }
    });
}

std::shared_ptr<Rankings> rank_against(const Rows& run, const std::shared_ptr<const Rows>& reference,
                                       const MatchOptions& options, unsigned threads) {
    const auto& names = reference->queries();
    return rank_queries(reference, options, threads, [&](size_t begin, size_t end, RankingsBuilder& out) {
        QueryMatcher matcher(options);
        std::vector<double> ranks;
        for (size_t q = begin; q < end; ++q) {
            const QueryRows expected = reference->query_rows(q);
            ranks.resize(expected.size());
            double rank = 0;
            for (const uint32_t row : ranked_rows(*reference, q, options)) ranks[row] = ++rank;
            if (const auto at = run.find(names[q])) {
                const QueryRows rows = run.query_rows(*at);
                matcher.match(&rows, expected, ranks.data(), out);
            } else {
                matcher.match(nullptr, expected, ranks.data(), out);
            }
        }
    });
}

}  // namespace idealist
