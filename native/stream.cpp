#include "stream.hpp"

#include <algorithm>
#include <atomic>

#include "trec_text.hpp"

namespace idealist {

namespace {

constexpr uint32_t unjudged = QueryFinder::absent;

// A query's rows within a piece.
struct Appearance {
    std::string_view name;
    uint32_t judged;  // its number among the judged queries, or unjudged
};

// What is left of a piece: who appeared in it, in order, and the rows of its first and last query, which
// may go on in its neighbours.
struct Remains {
    std::vector<Appearance> queries;
    Segment edges;
};

// A query at the border of pieces, put together from its slices.
struct Border {
    Appearance query;
    std::vector<Slice> slices;
};

class Worker {
  public:
    Worker(int descriptor, uint64_t size, const Rows& judgments, const MatchOptions& options)
        : judgments_(judgments),
          finder_(judgments),
          reader_(descriptor, size, trec_lines(Layout::run)),
          matcher_(options),
          rankings_(options) {}

    // False when the rows must be seen together.
    bool read(size_t piece, Remains& remains) {
        reader_.parse(piece, rows_);
        view_[0] = rows_.view();
        const bool good = !view_[0].problem && measure_inner(remains);
        if (good) keep_edges(remains);
        rows_.clear();
        return good;
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

    RankingsBuilder& rankings() { return rankings_; }
    const std::vector<uint32_t>& measured() const { return measured_; }

  private:
    bool measure_inner(Remains& remains) {
        const Segment& segment = view_[0];
        const std::span<const char> names = arena_.keep(segment.query_text.data(), segment.query_text.size());
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

    void keep_edges(Remains& remains) {
        const Segment& segment = view_[0];
        for (size_t g = 0; g < segment.groups.size(); ++g) {
            if (g != 0 && g + 1 != segment.groups.size()) continue;
            edges_.begin_group(remains.queries[g].name);
            edges_.append(segment, segment.groups[g].begin, segment.group_end(g));
        }
        remains.edges = edges_.store(arena_);
    }

    const Rows& judgments_;
    QueryFinder finder_;
    PieceReader reader_;
    SegmentBuilder rows_, edges_;
    std::vector<Segment> view_{1};
    Arena arena_;
    DuplicateFinder duplicates_;
    QueryMatcher matcher_;
    RankingsBuilder rankings_;
    std::vector<uint32_t> measured_;  // which judged query each ranking belongs to
};

// Sees to it that no query appears in two places; a set of the names of unjudged ones.
class Appearances {
  public:
    explicit Appearances(size_t judged) : seen_(judged) { unjudged_.reset(capacity_); }

    bool is_new(const Appearance& query) {
        ++count_;
        if (query.judged != unjudged) return !std::exchange(seen_[query.judged], uint8_t(1));
        names_.push_back(query.name);
        if (!enter(uint32_t(names_.size() - 1))) return false;
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
    IdTable unjudged_;
    size_t capacity_ = 256, count_ = 0;
};

// Joins the queries at the borders of pieces; nothing when a query appears in two places.
std::optional<std::vector<Border>> borders(const std::vector<Remains>& pieces, Appearances& appearances) {
    std::vector<Border> found;
    const Appearance* previous = nullptr;
    for (uint32_t p = 0; p < pieces.size(); ++p) {
        const auto& queries = pieces[p].queries;
        for (size_t g = 0; g < queries.size(); ++g) {
            const bool goes_on = g == 0 && previous && previous->name == queries[g].name;
            if (!goes_on && !appearances.is_new(queries[g])) return std::nullopt;
            previous = &queries[g];
            if (g != 0 && g + 1 != queries.size()) continue;
            if (!goes_on) found.push_back({queries[g], {}});
            const size_t edge = g == 0 ? 0 : 1;
            const Segment& edges = pieces[p].edges;
            found.back().slices.push_back({p, edges.groups[edge].begin, edges.group_end(edge)});
        }
    }
    return found;
}

}  // namespace

std::optional<Streamed> match_file(int descriptor, uint64_t size,
                                   const std::shared_ptr<const Rows>& judgments, const MatchOptions& options,
                                   unsigned threads) {
    std::vector<Remains> pieces(piece_count(size));
    std::vector<std::unique_ptr<Worker>> workers(std::max(1u, threads));
    auto worker_of = [&](unsigned number) -> Worker& {
        auto& worker = workers[number];
        if (!worker) worker = std::make_unique<Worker>(descriptor, size, *judgments, options);
        return *worker;
    };
    std::atomic<bool> good{true};
    parallel_for(pieces.size(), threads, [&](size_t piece, unsigned number) {
        if (good.load(std::memory_order_relaxed) && !worker_of(number).read(piece, pieces[piece]))
            good = false;
    });
    if (!good) return std::nullopt;

    Appearances appearances(judgments->queries().size());
    const auto joined = borders(pieces, appearances);
    if (!joined || appearances.count() == 0) return std::nullopt;
    std::vector<Segment> edges;
    edges.reserve(pieces.size());
    for (const Remains& piece : pieces) edges.push_back(piece.edges);
    parallel_for(joined->size(), threads, [&](size_t i, unsigned number) {
        const Border& border = (*joined)[i];
        if (!worker_of(number).measure(border.query, QueryRows(edges, border.slices))) good = false;
    });
    if (!good) return std::nullopt;

    for (uint32_t query = 0; query < judgments->queries().size(); ++query) {
        if (!appearances.seen(query)) worker_of(0).measure_missing(query);
    }
    std::vector<RankingsBuilder> parts;
    std::vector<Place> places(judgments->queries().size());
    for (auto& worker : workers) {
        if (!worker) continue;
        for (uint32_t i = 0; i < worker->measured().size(); ++i) {
            places[worker->measured()[i]] = {uint32_t(parts.size()), i};
        }
        parts.push_back(std::move(worker->rankings()));
    }
    auto rankings = gather(parts, places, options, threads);
    rankings->names = QueryNames(judgments, &judgments->queries());
    return Streamed{rankings, appearances.count()};
}

}  // namespace idealist
