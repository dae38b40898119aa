#include "rank/stream.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/arena.hpp"
#include "base/parallel.hpp"
#include "base/query_rows.hpp"
#include "base/segments.hpp"
#include "rank/match_options.hpp"
#include "rank/rankings.hpp"
#include "rank/rankings_builder.hpp"
#include "rank/stream_pieces.hpp"

namespace idealist {

// A query at the border of pieces, put together from its slices.
struct Stream::Border {
    Appearance query;
    std::vector<Slice> slices;
};

// The query that the last window ended in, which may go on in the next.
struct Stream::Open {
    std::string name;
    uint32_t judged = unjudged;
    bool any = false;
    SegmentBuilder rows;
};

Stream::Stream(std::shared_ptr<const Rows> judgments, const MatchOptions& options, unsigned threads)
    : judgments_(std::move(judgments)),
      options_(options),
      threads_(std::max(1u, threads)),
      workers_(threads_),
      appearances_(std::make_unique<Appearances>(judgments_->queries().size())),
      open_(std::make_unique<Open>()) {}

Stream::~Stream() = default;

Stream::Worker& Stream::worker(unsigned number) {
    auto& worker = workers_[number];
    if (!worker) worker = std::make_unique<Worker>(*judgments_, options_);
    return *worker;
}

bool Stream::stop(Stop why) {
    stopped_ = why;
    return false;
}

bool Stream::add(Window& window) {
    if (stopped_) return false;
    std::vector<Remains> pieces(window.pieces());
    std::vector<Arena> arenas(threads_);
    std::vector<std::optional<Stop>> stops(threads_);
    std::atomic<bool> good{true};
    window.prepare(threads_);
    parallel_for(pieces.size(), threads_, [&](size_t piece, unsigned number) {
        if (!good.load(std::memory_order_relaxed)) return;
        stops[number] = worker(number).read(window, piece, number, arenas[number], pieces[piece]);
        if (stops[number]) good = false;
    });
    for (const auto& one : workers_) {
        if (!one) continue;
        rows_ += one->take_read();
        infinite_ += one->take_infinite();
    }
    for (const auto& why : stops) {
        if (why) return stop(*why);
    }
    return join(pieces);
}

// Measures the queries at the borders of pieces, but for the last, which may go on.
bool Stream::join(std::vector<Remains>& pieces) {
    bool together = true;
    const std::vector<Border> found = borders(pieces, together);
    if (!together) return stop(Stop::scattered);
    if (found.empty()) return true;
    std::vector<Segment> segments;
    segments.reserve(pieces.size() + 1);
    for (const Remains& piece : pieces) segments.push_back(piece.edges);
    segments.push_back(open_->rows.view());
    std::atomic<bool> unique{true};
    parallel_for(found.size() - 1, threads_, [&](size_t i, unsigned number) {
        if (!worker(number).measure(found[i].query, QueryRows(segments, found[i].slices))) unique = false;
    });
    if (!unique) return stop(Stop::duplicate);
    keep_open(found.back(), segments);
    return true;
}

// The queries at the borders, each with its slices; those of the open one lie in the segment behind the last.
std::vector<Stream::Border> Stream::borders(const std::vector<Remains>& pieces, bool& together) {
    std::vector<Border> found;
    Appearance previous{open_->name, open_->judged};
    bool any = open_->any;
    if (any) {
        found.push_back({previous, {{uint32_t(pieces.size()), 0, uint32_t(open_->rows.value.size())}}});
    }
    for (uint32_t p = 0; p < pieces.size(); ++p) {
        const auto& queries = pieces[p].queries;
        for (size_t g = 0; g < queries.size(); ++g) {
            const bool goes_on = g == 0 && any && previous.name == queries[g].name;
            if (!goes_on && !appearances_->is_new(queries[g])) {
                together = false;
                return found;
            }
            previous = queries[g];
            any = true;
            if (g != 0 && g + 1 != queries.size()) continue;
            if (!goes_on) found.push_back({queries[g], {}});
            const size_t edge = g == 0 ? 0 : 1;
            const Segment& edges = pieces[p].edges;
            found.back().slices.push_back({p, edges.groups[edge].begin, edges.group_end(edge)});
        }
    }
    return found;
}

void Stream::keep_open(const Border& last, const std::vector<Segment>& segments) {
    const uint32_t open_segment = uint32_t(segments.size() - 1);
    const bool goes_on = !last.slices.empty() && last.slices[0].segment == open_segment;
    if (!goes_on) {
        open_ = std::make_unique<Open>();
        open_->name = last.query.name;
        open_->judged = last.query.judged;
        open_->any = true;
        open_->rows.begin_group(open_->name);
    }
    for (const Slice& slice : last.slices) {
        if (slice.segment != open_segment)
            open_->rows.append(segments[slice.segment], slice.begin, slice.end);
    }
}

void Stream::add_queries(const Rows& rows) {
    const auto& names = rows.queries();
    std::vector<Appearance> found(names.size());
    for (size_t q = 0; q < names.size(); ++q) {
        found[q] = {names[q], worker(0).find(names[q])};
        appearances_->is_new(found[q]);
    }
    rows_ += rows.size();
    infinite_ += infinite_rows(rows);
    parallel_for(names.size(), threads_, [&](size_t q, unsigned number) {
        if (found[q].judged != unjudged) worker(number).measure(found[q], rows.query_rows(q));
    });
}

Streamed Stream::finish() {
    if (open_->any && !stopped_) {
        const std::vector<Segment> segments{open_->rows.view()};
        const Slice slice{0, 0, uint32_t(open_->rows.value.size())};
        const QueryRows rows(segments, std::span(&slice, 1));
        if (!worker(0).measure({open_->name, open_->judged}, rows)) stop(Stop::duplicate);
    }
    if (stopped_) return {nullptr, appearances_->count(), rows_};
    const size_t queries = judgments_->queries().size();
    for (uint32_t query = 0; query < queries; ++query) {
        if (!appearances_->seen(query)) worker(0).measure_missing(query);
    }
    std::vector<RankingsBuilder> parts;
    std::vector<Place> places(queries);
    for (auto& one : workers_) {
        if (!one) continue;
        for (uint32_t i = 0; i < one->measured().size(); ++i) {
            places[one->measured()[i]] = {uint32_t(parts.size()), i};
        }
        parts.push_back(std::move(one->rankings()));
    }
    auto rankings = gather(parts, places, options_, threads_);
    rankings->names = QueryNames(judgments_, &judgments_->queries());
    return {rankings, appearances_->count(), rows_};
}

}  // namespace idealist
