// Rows of (query, document, value): what a run (value = score) and judgments (value = grade) are made of.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arena.hpp"
#include "columns.hpp"

namespace idealist {

// What was wrong with the first line that could not be read.
struct Problem {
    enum class Kind {
        columns,
        not_a_number,
        not_finite,
        not_exact,  // a whole number that a double does not hold
        binary,
        too_long,
        empty,         // a field; `columns` says which
        open_quote,    // that is not closed before the line's end
        behind_quote,  // text behind a closing quote
        not_json,      // in the `columns`-th byte of the line; `text` is what was expected, newline, found
        too_deep,
        missing,         // a field of a JSON object; `columns` says which
        repeated,        // the name `text` in a JSON object
        repeated_query,  // the name `text` in a dict of queries
        not_an_id,
        no_text,  // half a surrogate pair in an id
        cut_short,
        not_utf8,  // `text` is the line
    };
    Kind kind;
    uint64_t line;     // counted from 1, within the segment until the segments are joined
    uint32_t columns;  // how many were found
    std::string text;  // the offending field or line
};

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

    void begin_group(std::string_view query);
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

// The same document twice for one query.
struct Duplicate {
    std::string query, document;
    uint64_t first_line, second_line;
};

struct Slice {
    uint32_t segment, begin, end;
};

// The rows of one query, in the order they were given; copied together only where they lie apart.
class QueryRows {
  public:
    QueryRows(const std::vector<Segment>& segments, std::span<const Slice> slices)
        : segments_(segments), slices_(slices) {
        if (slices.size() > 1) ends_.reserve(slices.size());
        for (const Slice& slice : slices) {
            size_ += slice.end - slice.begin;
            if (slices.size() > 1) ends_.push_back(uint32_t(size_));
        }
    }
    size_t size() const { return size_; }
    std::string_view id(size_t row) const {
        const auto [segment, at] = place(row);
        return segments_[segment].id(at);
    }
    uint64_t line(size_t row, const std::vector<uint64_t>& first_lines) const;
    // Whether no other query's rows stand between them.
    bool together() const;
    const double* values(std::vector<double>& scratch) const {
        return gather(scratch, [](const Segment& s) { return s.value.data(); });
    }
    const uint32_t* hashes(std::vector<uint32_t>& scratch) const {
        return gather(scratch, [](const Segment& s) { return s.id_hash.data(); });
    }

  private:
    // The segment that holds a row, and where.
    std::pair<uint32_t, size_t> place(size_t row) const {
        if (slices_.size() == 1) return {slices_[0].segment, slices_[0].begin + row};
        const size_t slice = size_t(std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
        return {slices_[slice].segment, slices_[slice].end - (ends_[slice] - row)};
    }

    template <class T, class Get>
    const T* gather(std::vector<T>& scratch, Get get) const {
        if (slices_.size() == 1) return get(segments_[slices_[0].segment]) + slices_[0].begin;
        scratch.clear();
        for (const Slice& slice : slices_) {
            const T* from = get(segments_[slice.segment]);
            scratch.insert(scratch.end(), from + slice.begin, from + slice.end);
        }
        return scratch.data();
    }

    const std::vector<Segment>& segments_;
    std::span<const Slice> slices_;
    std::vector<uint32_t> ends_;  // of the slices, when there are several
    size_t size_ = 0;
};

// Whether a document may be there twice for a query: not where a dict gave the rows.
enum class Uniqueness { checked, given };

class Rows {
  public:
    // Groups the segments' rows by query, queries in bytewise order, and looks for duplicates.
    Rows(Segments segments, unsigned threads, Uniqueness uniqueness = Uniqueness::checked);
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    const std::vector<std::string_view>& queries() const { return queries_; }
    size_t size() const { return size_; }
    QueryRows query_rows(size_t query) const {
        return {segments_, std::span(slices_).subspan(slice_begin_[query],
                                                      slice_begin_[query + 1] - slice_begin_[query])};
    }
    // Calls visit(segment, begin, end) for every stretch of a query's rows.
    template <class Visit>
    void for_slices(size_t query, Visit&& visit) const {
        for (size_t i = slice_begin_[query]; i < slice_begin_[query + 1]; ++i) {
            visit(segments_[slices_[i].segment], slices_[i].begin, slices_[i].end);
        }
    }
    std::optional<size_t> find(std::string_view query) const;
    bool equals(const Rows& other, unsigned threads) const;
    const std::optional<Problem>& problem() const { return problem_; }
    uint64_t problems() const { return problems_; }
    const std::optional<Duplicate>& duplicate() const { return duplicate_; }
    uint64_t duplicates() const { return duplicates_; }
    // The number of the line before each segment's first.
    const std::vector<uint64_t>& first_lines() const { return first_lines_; }

  private:
    void number_lines();
    void group_by_query();
    void find_duplicates(unsigned threads);

    std::vector<Arena> arenas_;
    std::vector<Segment> segments_;
    std::vector<uint64_t> first_lines_;
    std::vector<std::string_view> queries_;
    std::vector<uint64_t> slice_begin_;
    std::vector<Slice> slices_;
    size_t size_ = 0;
    std::optional<Problem> problem_;
    uint64_t problems_ = 0;
    std::optional<Duplicate> duplicate_;
    uint64_t duplicates_ = 0;
};

// Finds rows by document id: open addressing over the ids' hashes. Reused from query to query.
class IdTable {
  public:
    static constexpr uint32_t absent = ~0u;

    void reset(size_t expected) {
        size_t capacity = 16;
        while (capacity < expected * 2) capacity *= 2;
        slots_.assign(capacity, 0);
        mask_ = capacity - 1;
    }
    // The row that already holds the id of `row`, or absent after having entered it.
    template <class IdOf>
    uint32_t insert(uint32_t hash, uint32_t row, IdOf&& id_of) {
        size_t at;
        const uint32_t held = search(hash, [&] { return id_of(row); }, id_of, at);
        if (held == absent) slots_[at] = uint64_t(hash) << 32 | (row + 1);
        return held;
    }
    template <class Id, class IdOf>
    uint32_t find(uint32_t hash, Id&& id, IdOf&& id_of) const {
        size_t at;
        return search(hash, id, id_of, at);
    }

  private:
    template <class Id, class IdOf>
    uint32_t search(uint32_t hash, Id&& id, IdOf&& id_of, size_t& at) const {
        for (at = hash & mask_; slots_[at] != 0; at = (at + 1) & mask_) {
            if (uint32_t(slots_[at] >> 32) != hash) continue;
            const uint32_t held = uint32_t(slots_[at]) - 1;
            if (same_text(id_of(held), id())) return held;
        }
        return absent;
    }

    std::vector<uint64_t> slots_;  // hash above, row + 1 below; 0 is free
    size_t mask_ = 0;
};

// Looks for ids that occur twice. Most lists have none, so rows whose hash is certainly new are passed
// over by a bitmap that stays in the first cache; only the few others are looked up.
class DuplicateFinder {
  public:
    // Calls found(earlier row, row) for every row whose id an earlier row has.
    template <class Found>
    void search(const QueryRows& rows, Found&& found) {
        const uint32_t* hashes = rows.hashes(hash_scratch_);
        const size_t count = rows.size();
        if (count > most_scanned) return search_large(rows, hashes, found);
        bits_.assign(std::bit_ceil(count) * bits_per_row / 64 + 1, 0);
        const uint32_t mask = uint32_t(std::bit_ceil(count) * bits_per_row - 1);
        for (size_t row = 0; row < count; ++row) {
            const uint32_t bit = hashes[row] & mask;
            uint64_t& word = bits_[bit / 64];
            const uint64_t flag = uint64_t(1) << bit % 64;
            const bool seen = word & flag;
            word |= flag;
            if (!seen) continue;
            for (size_t at = 0; (at = find_equal(hashes, at, row, hashes[row])) < row; ++at) {
                if (same_text(rows.id(at), rows.id(row))) {
                    found(at, row);
                    break;
                }
            }
        }
    }

  private:
    static constexpr size_t most_scanned = 4096, bits_per_row = 32;

    template <class Found>
    void search_large(const QueryRows& rows, const uint32_t* hashes, Found&& found) {
        table_.reset(rows.size());
        auto id_of = [&](uint32_t row) { return rows.id(row); };
        for (uint32_t row = 0; row < rows.size(); ++row) {
            const uint32_t held = table_.insert(hashes[row], row, id_of);
            if (held != IdTable::absent) found(held, row);
        }
    }

    std::vector<uint64_t> bits_;
    IdTable table_;
    std::vector<uint32_t> hash_scratch_;
};

// Finds the number of a query among those of `rows`. Names mostly come in order, so the one behind the last
// is tried first.
class QueryFinder {
  public:
    static constexpr uint32_t absent = ~0u;

    explicit QueryFinder(const Rows& rows) : rows_(rows) {}
    uint32_t find(std::string_view name) {
        const auto& names = rows_.queries();
        if (expected_ < names.size() && names[expected_] == name) return uint32_t(expected_++);
        const std::optional<size_t> found = rows_.find(name);
        if (!found) return absent;
        expected_ = *found + 1;
        return uint32_t(*found);
    }

  private:
    const Rows& rows_;
    size_t expected_ = 0;
};

}  // namespace idealist
