#include "read/oddities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/duplicates.hpp"
#include "base/id_table.hpp"
#include "base/ids.hpp"
#include "base/interrupts.hpp"
#include "base/parallel.hpp"
#include "base/query_rows.hpp"

namespace idealist {

namespace {

bool is_space(char c) { return c == ' ' || uint8_t(c - '\t') <= 4; }
bool is_digit(char c) { return uint8_t(c - '0') <= 9; }

// What is left of an id when case, zeros before a number and blanks around it do not count.
void append_key(std::string_view id, std::string& keys) {
    while (!id.empty() && is_space(id.front())) id.remove_prefix(1);
    while (!id.empty() && is_space(id.back())) id.remove_suffix(1);
    bool in_number = false;
    for (size_t i = 0; i < id.size(); ++i) {
        const char c = id[i];
        if (c == '0' && !in_number && i + 1 < id.size() && is_digit(id[i + 1])) continue;
        in_number = is_digit(c);
        keys += c >= 'A' && c <= 'Z' ? char(c + 32) : c;
    }
}

// The keys of one query's ids.
class Keys {
  public:
    void reset(const QueryRows& rows) {
        text_.clear();
        ends_.clear();
        for (size_t row = 0; row < rows.size(); ++row) {
            refuse_interrupted(row);
            append_key(rows.id(row), text_);
            ends_.push_back(text_.size());
        }
    }
    std::string_view operator[](size_t row) const {
        const size_t begin = row == 0 ? 0 : ends_[row - 1];
        return std::string_view(text_).substr(begin, ends_[row] - begin);
    }
    uint32_t hash(size_t row) const {
        const std::string_view key = (*this)[row];
        return hash_id(key.data(), key.size());
    }

  private:
    std::string text_;
    std::vector<size_t> ends_;
};

// Runs find(query, add) over all queries on all cores, and joins what they add in the order of queries.
template <class Worker, class Find>
RowPairs pairs_by_query(const Rows& rows, size_t most, unsigned threads, Find&& find) {
    constexpr size_t block = 64;
    const size_t blocks = (rows.queries().size() + block - 1) / block;
    std::vector<Worker> workers(std::max(1u, threads));
    std::vector<RowPairs> found(blocks);
    parallel_for(blocks, threads, [&](size_t b, unsigned worker) {
        RowPairs& mine = found[b];
        for (size_t q = b * block; q < std::min(rows.queries().size(), (b + 1) * block); ++q) {
            find(workers[worker], uint32_t(q), [&](RowPair pair) {
                if (mine.count++ < most) mine.first.push_back(pair);
            });
        }
    });
    RowPairs all;
    for (const RowPairs& part : found) {
        all.count += part.count;
        const size_t room = std::min(part.first.size(), most - all.first.size());
        all.first.insert(all.first.end(), part.first.begin(), part.first.begin() + std::ptrdiff_t(room));
    }
    return all;
}

template <class Odd>
RowPlaces places_of_ids(const Rows& rows, size_t most, Odd&& odd) {
    RowPlaces found;
    for (uint32_t q = 0; q < rows.queries().size(); ++q) {
        const QueryRows its_rows = rows.query_rows(q);
        const uint64_t before = found.count;
        for (uint32_t row = 0; row < its_rows.size(); ++row) {
            if (odd(q, its_rows.id(row)) && found.count++ < most) found.first.push_back({q, row});
        }
        if (found.count > before) found.queries.push_back(q);
    }
    return found;
}

struct LookalikeFinder {
    Keys keys, other_keys;
    IdTable table, exact;
    std::vector<uint32_t> scratch, other_scratch;

    template <class Add>
    void within(const QueryRows& rows, uint32_t query, Add&& add) {
        keys.reset(rows);
        table.reset(rows.size());
        for (uint32_t row = 0; row < rows.size(); ++row) {
            refuse_interrupted(row);
            const uint32_t held = table.insert(keys.hash(row), row, [&](uint32_t r) { return keys[r]; });
            if (held == IdTable::absent || same_text(rows.id(held), rows.id(row))) continue;
            add({query, row, query, held});
        }
    }

    template <class Add>
    void between(const QueryRows& rows, uint32_t query, const QueryRows& others, uint32_t other, Add&& add) {
        keys.reset(rows);
        other_keys.reset(others);
        table.reset(others.size());
        exact.reset(others.size());
        const uint32_t* hashes = rows.hashes(scratch);
        const uint32_t* other_hashes = others.hashes(other_scratch);
        auto key_of = [&](uint32_t r) { return other_keys[r]; };
        auto id_of = [&](uint32_t r) { return others.id(r); };
        for (uint32_t row = 0; row < others.size(); ++row) {
            refuse_interrupted(row);
            table.insert(other_keys.hash(row), row, key_of);
            exact.insert(other_hashes[row], row, id_of);
        }
        for (uint32_t row = 0; row < rows.size(); ++row) {
            refuse_interrupted(row);
            if (exact.find(hashes[row], [&] { return rows.id(row); }, id_of) != IdTable::absent) continue;
            const uint32_t held = table.find(keys.hash(row), [&] { return keys[row]; }, key_of);
            if (held != IdTable::absent) add({query, row, other, held});
        }
    }
};

}  // namespace

RowPairs duplicate_rows(const Rows& rows, size_t most, unsigned threads) {
    return pairs_by_query<DuplicateFinder>(
        rows, most, threads, [&](DuplicateFinder& finder, uint32_t q, auto&& add) {
            finder.search(rows.query_rows(q), [&](size_t first, size_t second) {
                add({q, uint32_t(second), q, uint32_t(first)});
            });
        });
}

RowPairs lookalike_rows(const Rows& rows, const Rows* other, size_t most, unsigned threads) {
    return pairs_by_query<LookalikeFinder>(
        rows, most, threads, [&](LookalikeFinder& finder, uint32_t q, auto&& add) {
            if (!other) return finder.within(rows.query_rows(q), q, add);
            const std::optional<size_t> at = other->find(rows.queries()[q]);
            if (at) finder.between(rows.query_rows(q), q, other->query_rows(*at), uint32_t(*at), add);
        });
}

RowPlaces own_ids(const Rows& rows, size_t most) {
    return places_of_ids(rows, most,
                         [&](uint32_t q, std::string_view id) { return same_text(rows.queries()[q], id); });
}

RowPlaces ids_with_space(const Rows& rows, size_t most) {
    return places_of_ids(rows, most,
                         [](uint32_t, std::string_view id) { return std::ranges::any_of(id, is_space); });
}

RowPlaces ids_beyond_ascii(const Rows& rows, size_t most) {
    return places_of_ids(rows, most, [](uint32_t, std::string_view id) {
        return std::ranges::any_of(id, [](char c) { return uint8_t(c) >= 0x80; });
    });
}

std::vector<uint32_t> scattered_queries(const Rows& rows) {
    std::vector<uint32_t> found;
    for (uint32_t q = 0; q < rows.queries().size(); ++q) {
        if (!rows.query_rows(q).together()) found.push_back(q);
    }
    return found;
}

uint64_t infinite_among(std::span<const double> numbers) {
    uint64_t count = 0;
    for (const double number : numbers) count += std::abs(number) > std::numeric_limits<double>::max();
    return count;
}

uint64_t infinite_rows(const Rows& rows) {
    uint64_t count = 0;
    for (size_t q = 0; q < rows.queries().size(); ++q) {
        rows.for_slices(q, [&](const Segment& segment, uint32_t begin, uint32_t end) {
            count += infinite_among(segment.value.subspan(begin, end - begin));
        });
    }
    return count;
}

std::vector<double> row_numbers(const Rows& rows) {
    std::vector<double> numbers;
    numbers.reserve(rows.size());
    std::vector<double> scratch;
    for (size_t q = 0; q < rows.queries().size(); ++q) {
        const QueryRows its_rows = rows.query_rows(q);
        if (its_rows.size() == 0) continue;
        const double* values = its_rows.values(scratch);
        numbers.insert(numbers.end(), values, values + its_rows.size());
    }
    return numbers;
}

std::vector<double> row_counts(const Rows& rows) {
    std::vector<double> counts;
    counts.reserve(rows.queries().size());
    for (size_t q = 0; q < rows.queries().size(); ++q) counts.push_back(double(rows.query_rows(q).size()));
    return counts;
}

}  // namespace idealist
