#include "rank/union.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/arena.hpp"
#include "base/id_table.hpp"
#include "base/interrupts.hpp"
#include "base/parallel.hpp"
#include "base/query_rows.hpp"
#include "base/segments.hpp"
#include "rank/match_options.hpp"
#include "rank/score_keys.hpp"

namespace idealist {

namespace {

constexpr size_t queries_at_once = 16;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A merge sort that is safe, and always the same, for preferences that run in circles: every document but the
// last is preferred to the next one, or even with it.
template <class Prefers>
void sort_by_preference(std::vector<uint32_t>& order, std::vector<uint32_t>& scratch, Prefers&& prefers) {
    scratch.resize(order.size());
    for (size_t width = 1; width < order.size(); width *= 2) {
        for (size_t begin = 0; begin < order.size(); begin += 2 * width) {
            const size_t middle = std::min(begin + width, order.size());
            const size_t end = std::min(begin + 2 * width, order.size());
            size_t left = begin, right = middle;
            for (size_t at = begin; at < end; ++at) {
                const bool take_right = left == middle || (right < end && prefers(order[right], order[left]));
                scratch[at] = order[take_right ? right++ : left++];
            }
        }
        order.swap(scratch);
    }
}

}  // namespace

struct Union::Worker {
    IdTable table;
    std::vector<std::string_view> ids;
    std::vector<uint32_t> hashes, hash_scratch, order, order_scratch;
    std::vector<double> score_scratch, points;
    std::vector<ScoreKey> keys, key_scratch;
    SegmentBuilder builder;
    Arena arena;
};

template <class Task>
void Union::each_query(size_t begin, size_t end, unsigned threads, Task&& task) const {
    std::vector<std::unique_ptr<Worker>> workers(std::max(1u, threads));
    const size_t blocks = (end - begin + queries_at_once - 1) / queries_at_once;
    parallel_for(blocks, threads, [&](size_t block, unsigned which) {
        auto& worker = workers[which];
        if (!worker) worker = std::make_unique<Worker>();
        const size_t first = begin + block * queries_at_once;
        for (size_t query = first; query < std::min(end, first + queries_at_once); ++query) {
            task(query, *worker);
        }
    });
}

Union::Union(std::vector<std::shared_ptr<const Rows>> runs, const MatchOptions& options, unsigned threads)
    : runs_(std::move(runs)), options_(options) {
    if (runs_.empty()) throw std::invalid_argument("no run was given to combine");
    for (const auto& run : runs_) {
        if (!run) throw std::invalid_argument("a run must not be None");
        if (run->problem() || run->duplicate())
            throw std::invalid_argument("a run has invalid or repeated rows");
    }
    name_queries();
    count_rows();
    each_query(0, names_.size(), threads, [&](size_t query, Worker& worker) { join(query, worker); });
    std::partial_sum(query_begin_.begin(), query_begin_.end(), query_begin_.begin());
    scores_.reserve(1);
    ranks_.reserve(1);
    scores_.resize_uninitialised(rows() * this->runs());
    ranks_.resize_uninitialised(rows() * this->runs());
    each_query(0, names_.size(), threads, [&](size_t query, Worker& worker) { fill(query, worker); });
}

void Union::name_queries() {
    std::vector<std::string_view> merged;
    for (const auto& run : runs_) {
        merged.clear();
        std::set_union(names_.begin(), names_.end(), run->queries().begin(), run->queries().end(),
                       std::back_inserter(merged));
        names_.swap(merged);
    }
    query_in_.assign(names_.size() * runs(), lacking);
    for (size_t run = 0; run < runs(); ++run) {
        const auto& its_names = runs_[run]->queries();
        for (size_t query = 0, at = 0; query < names_.size() && at < its_names.size(); ++query) {
            if (its_names[at] == names_[query]) query_in_[query * runs() + run] = uint32_t(at++);
        }
    }
}

void Union::count_rows() {
    retrieved_.assign(names_.size() * runs(), 0);
    slot_begin_.assign(names_.size() + 1, 0);
    query_begin_.assign(names_.size() + 1, 0);
    for (size_t query = 0; query < names_.size(); ++query) {
        uint64_t rows = 0;
        for (size_t run = 0; run < runs(); ++run) {
            if (!has(query, run)) continue;
            const size_t size = rows_of(query, run).size();
            retrieved_[query * runs() + run] = uint32_t(size);
            rows += size;
        }
        if (rows >= lacking)
            throw std::invalid_argument(
                "a query has more documents in all runs together than can be numbered, 4,294,967,294");
        slot_begin_[query + 1] = slot_begin_[query] + rows;
    }
    slots_.resize_uninitialised(size_t(slot_begin_.back()));
}

void Union::join(size_t query, Worker& worker) {
    worker.ids.clear();
    worker.table.reset(size_t(slot_begin_[query + 1] - slot_begin_[query]));
    auto id_of = [&](uint32_t row) { return worker.ids[row]; };
    uint32_t* slot = slots_.data() + slot_begin_[query];
    for (size_t run = 0; run < runs(); ++run) {
        if (!has(query, run)) continue;
        const QueryRows rows = rows_of(query, run);
        if (rows.size() == 0) continue;
        const uint32_t* hashes = rows.hashes(worker.hash_scratch);
        for (size_t row = 0; row < rows.size(); ++row) {
            refuse_interrupted(row);
            const uint32_t fresh = uint32_t(worker.ids.size());
            worker.ids.push_back(rows.id(row));
            const uint32_t held = worker.table.insert(hashes[row], fresh, id_of);
            if (held != IdTable::absent) worker.ids.pop_back();
            *slot++ = held == IdTable::absent ? fresh : held;
        }
    }
    query_begin_[query + 1] = worker.ids.size();
}

void Union::fill(size_t query, Worker& worker) {
    const uint32_t* slot = slots_.data() + slot_begin_[query];
    for (size_t run = 0; run < runs(); ++run) {
        double* to_score = scores_.data() + run * rows() + query_begin_[query];
        uint32_t* to_rank = ranks_.data() + run * rows() + query_begin_[query];
        std::fill_n(to_score, rows_in(query), nan);
        std::fill_n(to_rank, rows_in(query), 0u);
        if (retrieved_[query * runs() + run] == 0) continue;
        const QueryRows rows = rows_of(query, run);
        const double* scores = rows.values(worker.score_scratch);
        worker.keys.resize(rows.size());
        for (uint32_t row = 0; row < rows.size(); ++row) {
            to_score[slot[row]] = scores[row];
            worker.keys[row] = ScoreKey(options_.compared(scores[row]), row);
        }
        sort_ranked(worker.keys, worker.key_scratch, options_, [&](uint32_t row) { return rows.id(row); });
        uint32_t rank = 0;
        for (const ScoreKey& key : worker.keys) to_rank[slot[key.row]] = ++rank;
        slot += rows.size();
    }
}

// The ids of the query's documents and their hashes. A row is new where its slot is the next one.
void Union::gather_ids(size_t query, Worker& worker) const {
    worker.ids.clear();
    worker.hashes.clear();
    const uint32_t* slot = slots_.data() + slot_begin_[query];
    for (size_t run = 0; run < runs(); ++run) {
        if (retrieved_[query * runs() + run] == 0) continue;
        const QueryRows rows = rows_of(query, run);
        const uint32_t* hashes = rows.hashes(worker.hash_scratch);
        for (size_t row = 0; row < rows.size(); ++row) {
            if (*slot++ != worker.ids.size()) continue;
            worker.ids.push_back(rows.id(row));
            worker.hashes.push_back(hashes[row]);
        }
    }
}

std::shared_ptr<Rows> Union::with_scores(const double* scores, unsigned threads) const {
    const size_t blocks = (names_.size() + queries_at_once - 1) / queries_at_once;
    std::vector<std::vector<Segment>> parts(blocks);
    std::vector<Worker> workers(std::max(1u, threads));
    parallel_for(blocks, threads, [&](size_t block, unsigned which) {
        Worker& worker = workers[which];
        SegmentBuilder& builder = worker.builder;
        const size_t first = block * queries_at_once;
        for (size_t query = first; query < std::min(names_.size(), first + queries_at_once); ++query) {
            gather_ids(query, worker);
            worker.keys.clear();
            const double* its_scores = scores + query_begin_[query];
            for (uint32_t row = 0; row < worker.ids.size(); ++row) {
                if (!std::isnan(its_scores[row])) worker.keys.push_back(ScoreKey(its_scores[row], row));
            }
            sort_ranked(worker.keys, worker.key_scratch, options_,
                        [&](uint32_t row) { return worker.ids[row]; });
            builder.begin_group(names_[query]);
            for (const ScoreKey& key : worker.keys) {
                if (builder.full()) {
                    parts[block].push_back(builder.store(worker.arena));
                    builder.begin_group(names_[query]);
                }
                builder.add(worker.ids[key.row], worker.hashes[key.row], its_scores[key.row]);
            }
        }
        parts[block].push_back(builder.store(worker.arena));
    });
    Segments segments;
    for (auto& part : parts) segments.list.insert(segments.list.end(), part.begin(), part.end());
    for (Worker& worker : workers) segments.arenas.push_back(std::move(worker.arena));
    return std::make_shared<Rows>(std::move(segments), threads, Uniqueness::given);
}

std::vector<double> Union::majority(std::span<const double> weights, size_t begin, size_t end,
                                    unsigned threads) const {
    if (weights.size() != runs())
        throw std::invalid_argument("the number of weights differs from the number of runs");
    if (begin > end || end > names_.size())
        throw std::invalid_argument("the range of queries is out of bounds");
    std::vector<double> places(size_t(query_begin_[end] - query_begin_[begin]));
    each_query(begin, end, threads, [&](size_t query, Worker& worker) {
        sort_by_majority(query, weights, worker, places.data() + (query_begin_[query] - query_begin_[begin]));
    });
    return places;
}

void Union::sort_by_majority(size_t query, std::span<const double> weights, Worker& worker,
                             double* out) const {
    const size_t count = rows_in(query), all = rows();
    const uint32_t* ranks = ranks_.data() + query_begin_[query];
    gather_ids(query, worker);
    worker.points.assign(count, 0);
    for (size_t run = 0; run < runs(); ++run) {
        const double size = retrieved_[query * runs() + run];
        const double others = (double(count) - size + 1) / 2;
        for (size_t row = 0; row < count; ++row) {
            const uint32_t rank = ranks[run * all + row];
            worker.points[row] += weights[run] * (rank > 0 ? double(count) + 1 - rank : others);
        }
    }
    // 0.1 + 0.2 against 0.3 is an even vote, whatever rounding leaves of it.
    const double all_weights = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double even = 1e-12 * all_weights, step = 1e-9 * all_weights;
    if (step > 0) {
        for (double& points : worker.points) points = std::nearbyint(points / step);
    }
    worker.order.resize(count);
    std::iota(worker.order.begin(), worker.order.end(), 0u);
    std::sort(worker.order.begin(), worker.order.end(), [&](uint32_t a, uint32_t b) {
        if (worker.points[a] != worker.points[b]) return worker.points[a] > worker.points[b];
        return worker.ids[a] > worker.ids[b];
    });
    sort_by_preference(worker.order, worker.order_scratch, [&](uint32_t a, uint32_t b) {
        double margin = 0;
        for (size_t run = 0; run < runs(); ++run) {
            // 0, a document that the run lacks, becomes the largest rank there is.
            const uint32_t mine = ranks[run * all + a] - 1, other = ranks[run * all + b] - 1;
            if (mine != other) margin += mine < other ? weights[run] : -weights[run];
        }
        return margin > even;
    });
    for (size_t place = 0; place < count; ++place) out[worker.order[place]] = double(count - place);
}

}  // namespace idealist
