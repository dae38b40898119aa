#include "stream.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace idealist {

namespace {

constexpr uint32_t unjudged = QueryFinder::absent;

// A query's rows within a piece.
struct Appearance {
    std::string_view name;
    uint32_t judged;  // its number among the judged queries, or unjudged
};

}  // namespace

// What is left of a piece: who appeared in it, in order, and the rows of its first and last query, which
// may go on in its neighbours.
struct Stream::Remains {
    std::vector<Appearance> queries;
    Segment edges;
};

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

class Stream::Worker {
  public:
    Worker(const Rows& judgments, const MatchOptions& options)
        : judgments_(judgments), finder_(judgments), matcher_(options), rankings_(options) {}

    // Nothing, or why the rows must be seen together.
    std::optional<Stop> read(Window& window, size_t piece, unsigned number, Arena& arena, Remains& remains) {
        window.parse(piece, number, rows_);
        view_[0] = rows_.view();
        std::optional<Stop> why;
        if (view_[0].problem) {
            why = Stop::bad_row;
        } else if (!together()) {
            why = Stop::scattered;
        } else if (!measure_inner(arena, remains)) {
            why = Stop::duplicate;
        } else {
            keep_edges(arena, remains);
        }
        read_ += rows_.value.size();
        rows_.clear();
        return why;
    }

    bool measure(const Appearance& query, const QueryRows& rows) {
        bool unique = true;
        duplicates_.search(rows, [&](size_t, size_t) { unique = false; });
        if (!unique || query.judged == unjudged) return unique;
        matcher_.match(&rows, judgments_.query_rows(query.judged), rankings_);
        measured_.push_back(query.judged);
        return true;
    }

    void measure_missing(uint32_t query) {
        matcher_.match(nullptr, judgments_.query_rows(query), rankings_);
        measured_.push_back(query);
    }

    uint32_t find(std::string_view name) { return finder_.find(name); }
    RankingsBuilder& rankings() { return rankings_; }
    const std::vector<uint32_t>& measured() const { return measured_; }
    uint64_t take_read() { return std::exchange(read_, 0); }

  private:
    // Whether no query comes back within the piece: it would be seen later too, but much would be done in
    // vain.
    bool together() {
        const Segment& segment = view_[0];
        names_.reset(segment.groups.size());
        auto name_of = [&](uint32_t group) { return segment.query(segment.groups[group]); };
        for (uint32_t g = 0; g < segment.groups.size(); ++g) {
            const std::string_view name = name_of(g);
            if (names_.insert(hash_id(name.data(), name.size()), g, name_of) != IdTable::absent) return false;
        }
        return true;
    }

    bool measure_inner(Arena& arena, Remains& remains) {
        const Segment& segment = view_[0];
        const std::span<const char> names = arena.keep(segment.query_text.data(), segment.query_text.size());
        for (size_t g = 0; g < segment.groups.size(); ++g) {
            const Segment::Group& group = segment.groups[g];
            const std::string_view name(names.data() + group.query_begin, group.query_size);
            remains.queries.push_back({name, finder_.find(name)});
            if (g == 0 || g + 1 == segment.groups.size()) continue;
            const Slice slice{0, group.begin, segment.group_end(g)};
            if (!measure(remains.queries.back(), QueryRows(view_, std::span(&slice, 1)))) return false;
        }
        return true;
    }

    void keep_edges(Arena& arena, Remains& remains) {
        const Segment& segment = view_[0];
        for (size_t g = 0; g < segment.groups.size(); ++g) {
            if (g != 0 && g + 1 != segment.groups.size()) continue;
            edges_.begin_group(remains.queries[g].name);
            edges_.append(segment, segment.groups[g].begin, segment.group_end(g));
        }
        remains.edges = edges_.store(arena);
    }

    const Rows& judgments_;
    QueryFinder finder_;
    SegmentBuilder rows_, edges_;
    std::vector<Segment> view_{1};
    IdTable names_;
    DuplicateFinder duplicates_;
    QueryMatcher matcher_;
    RankingsBuilder rankings_;
    std::vector<uint32_t> measured_;  // which judged query each ranking belongs to
    uint64_t read_ = 0;
};

// Sees to it that no query appears in two places; a set of the names of unjudged ones.
class Stream::Appearances {
  public:
    explicit Appearances(size_t judged) : seen_(judged) { unjudged_.reset(capacity_); }

    bool is_new(const Appearance& query) {
        ++count_;
        if (query.judged != unjudged) return !std::exchange(seen_[query.judged], uint8_t(1));
        names_.push_back(query.name);
        if (!enter(uint32_t(names_.size() - 1))) return false;
        const auto kept = arena_.keep(query.name.data(), query.name.size());
        names_.back() = {kept.data(), kept.size()};
        if (names_.size() >= capacity_) {
            unjudged_.reset(capacity_ *= 4);
            for (uint32_t i = 0; i < names_.size(); ++i) enter(i);
        }
        return true;
    }
    bool seen(size_t judged) const { return seen_[judged]; }
    size_t count() const { return count_; }

  private:
    bool enter(uint32_t number) {
        const std::string_view name = names_[number];
        auto name_of = [&](uint32_t i) { return names_[i]; };
        return unjudged_.insert(hash_id(name.data(), name.size()), number, name_of) == IdTable::absent;
    }

    std::vector<uint8_t> seen_;
    std::vector<std::string_view> names_;
    Arena arena_;
    IdTable unjudged_;
    size_t capacity_ = 256, count_ = 0;
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
    auto& one = workers_[number];
    if (!one) one = std::make_unique<Worker>(*judgments_, options_);
    return *one;
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
        if (one) rows_ += one->take_read();
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
