// Stretches of rows of (query, document, value), as they were given, and where they are collected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.hpp"
#include "base/columns.hpp"
#include "base/ids.hpp"
#include "base/problem.hpp"

namespace idealist {

// Places in the ids of a segment have 32 bits.
inline constexpr uint64_t most_id_text = ~uint32_t(0);

struct TooMuchText {};

// Raises when the ids of a segment, end to end, are too long.
inline void require_text_fits(uint64_t size) {
    if (size > most_id_text) [[unlikely]]
        throw TooMuchText();
}

// A stretch of consecutive rows, in the order they were given. Its columns lie in an arena.
struct Segment {
    struct Group {  // neighbouring rows of one query
        uint32_t begin;
        uint32_t query_begin;
        uint32_t query_size;
    };

    std::span<const char> id_text;     // document ids, end to end
    std::span<const uint32_t> id_end;  // where each one ends
    std::span<const uint32_t> id_hash;
    std::span<const double> value;
    std::span<const char> query_text;
    std::span<const Group> groups;
    std::span<const uint32_t> blanks;  // for each blank line, how many rows stand before it
    uint64_t lines = 0;
    std::optional<Problem> problem;
    uint64_t problems = 0;

    size_t rows() const { return value.size(); }
    std::string_view id(size_t row) const {
        const uint32_t begin = row == 0 ? 0 : id_end[row - 1];
        return {id_text.data() + begin, id_end[row] - begin};
    }
    uint32_t group_end(size_t group) const {
        return group + 1 < groups.size() ? groups[group + 1].begin : uint32_t(rows());
    }
    std::string_view query(const Group& group) const {
        return {query_text.data() + group.query_begin, group.query_size};
    }
    uint64_t line_of(size_t row) const;
};

// Where the rows of a segment are collected; used again for the next one.
struct SegmentBuilder {
    Column<char> id_text;
    Column<uint32_t> id_end;
    Column<uint32_t> id_hash;
    Column<double> value;
    Column<char> query_text;
    Column<Segment::Group> groups;
    Column<uint32_t> blanks;
    Segment extra;  // what is not a column

    // Room for so many more rows, whose ids take so much text.
    void reserve_more(size_t rows, size_t text);
    void begin_group(std::string_view query);
    // Of the group that was begun last; empty where there is none.
    std::string_view last_query() const {
        if (groups.empty()) return {};
        const Segment::Group& last = groups[groups.size() - 1];
        return {query_text.data() + last.query_begin, last.query_size};
    }
    void add(std::string_view id, double number) { add(id, hash_id(id.data(), id.size()), number); }
    // The same where the id's hash is known.
    void add(std::string_view id, uint32_t hash, double number) {
        require_text_fits(id_text.size() + id.size());
        id_text.append(id.data(), id.size());
        id_end.push_back(uint32_t(id_text.size()));
        id_hash.push_back(hash);
        value.push_back(number);
    }
    // Rows [begin, end) of another segment.
    void append(const Segment& from, uint32_t begin, uint32_t end);
    bool full() const { return value.size() >= (1u << 18) || id_text.size() > (1u << 26); }
    // What was collected, as long as nothing is added.
    Segment view() const;
    // Moves what was collected into the arena and starts anew.
    Segment store(Arena& arena);
    void clear();
};

// The rows' segments and the memory they lie in.
struct Segments {
    std::vector<Segment> list;
    std::vector<Arena> arenas;
};

}  // namespace idealist
