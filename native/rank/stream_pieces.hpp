// What a stream makes of one piece: the queries within it are ranked, those at its edges are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.hpp"
#include "base/duplicates.hpp"
#include "base/id_table.hpp"
#include "base/ids.hpp"
#include "base/query_rows.hpp"
#include "base/rows.hpp"
#include "base/segments.hpp"
#include "rank/match.hpp"
#include "rank/match_options.hpp"
#include "rank/rankings_builder.hpp"
#include "rank/stream.hpp"
#include "read/oddities.hpp"

namespace idealist {

inline constexpr uint32_t unjudged = QueryFinder::absent;

// A query's rows within a piece.
struct Appearance {
    std::string_view name;
    uint32_t judged;  // its number among the judged queries, or unjudged
};

// What is left of a piece: who appeared in it, in order, and the rows of its first and last query, which
// may go on in its neighbours.
struct Stream::Remains {
    std::vector<Appearance> queries;
    Segment edges;
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
        infinite_ += infinite_among(view_[0].value);
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
    uint64_t take_infinite() { return std::exchange(infinite_, 0); }

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
    uint64_t read_ = 0, infinite_ = 0;
};

// Which queries have appeared, so that one that appears in two places is found: judged ones by number, the
// names of unjudged ones as a set.
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

}  // namespace idealist
