#include "base/rows.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <numeric>

#include "base/duplicates.hpp"
#include "base/id_table.hpp"
#include "base/ids.hpp"
#include "base/interrupts.hpp"
#include "base/parallel.hpp"

namespace idealist {

namespace {

// The first eight bytes as a number that sorts as the bytes do.
uint64_t sort_prefix(std::string_view text) {
    char bytes[8] = {};
    if (!text.empty()) std::memcpy(bytes, text.data(), std::min(text.size(), sizeof bytes));
    uint64_t prefix = 0;
    for (const char byte : bytes) prefix = prefix << 8 | uint8_t(byte);
    return prefix;
}

std::vector<uint32_t> bytewise_order(const std::vector<std::string_view>& texts) {
    struct Key {
        uint64_t prefix;
        uint32_t index;
    };
    std::vector<Key> keys(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) keys[i] = {sort_prefix(texts[i]), uint32_t(i)};
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        if (a.prefix != b.prefix) return a.prefix < b.prefix;
        return texts[a.index] < texts[b.index];
    });
    std::vector<uint32_t> order(texts.size());
    for (size_t i = 0; i < keys.size(); ++i) order[i] = keys[i].index;
    return order;
}

}  // namespace

Rows::Rows(Segments segments, unsigned threads, Uniqueness uniqueness)
    : arenas_(std::move(segments.arenas)), segments_(std::move(segments.list)) {
    number_lines();
    if (problem_) return;
    group_by_query();
    if (uniqueness == Uniqueness::checked) find_duplicates(threads);
}

void Rows::number_lines() {
    uint64_t line = 0;
    for (const Segment& segment : segments_) {
        first_lines_.push_back(line);
        size_ += segment.rows();
        problems_ += segment.problems;
        if (segment.problem && !problem_) {
            problem_ = segment.problem;
            problem_->line += line;
        }
        line += segment.lines;
    }
}

void Rows::group_by_query() {
    std::vector<std::string_view> names;  // in order of first appearance
    std::vector<Slice> found;
    std::vector<uint32_t> found_query;
    IdTable table;
    auto name_of = [&](uint32_t query) { return names[query]; };
    auto rehash = [&](size_t size) {
        table.reset(size);
        for (uint32_t i = 0; i < names.size(); ++i) {
            table.insert(hash_id(names[i].data(), names[i].size()), i, name_of);
        }
    };
    size_t capacity = 256;
    rehash(capacity);
    uint32_t current = IdTable::absent;
    for (uint32_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        for (size_t g = 0; g < segment.groups.size(); ++g) {
            refuse_interrupted(g);
            const std::string_view name = segment.query(segment.groups[g]);
            const uint32_t begin = segment.groups[g].begin;
            const uint32_t end = segment.group_end(g);
            if (current == IdTable::absent || !same_text(names[current], name)) {
                const uint32_t fresh = uint32_t(names.size());
                names.push_back(name);
                current = table.insert(hash_id(name.data(), name.size()), fresh, name_of);
                if (current != IdTable::absent) {
                    names.pop_back();
                } else {
                    current = fresh;
                    if (names.size() >= capacity) rehash(capacity *= 4);
                }
            }
            if (begin == end) continue;  // a query of a dict without documents: known, but no rows
            found.push_back({s, begin, end});
            found_query.push_back(current);
        }
    }

    const std::vector<uint32_t> order = bytewise_order(names);
    std::vector<uint32_t> place(names.size());
    queries_.reserve(names.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
        place[order[i]] = i;
        queries_.push_back(names[order[i]]);
    }
    slice_begin_.assign(names.size() + 1, 0);
    for (const uint32_t query : found_query) ++slice_begin_[place[query] + 1];
    std::partial_sum(slice_begin_.begin(), slice_begin_.end(), slice_begin_.begin());
    slices_.resize(found.size());
    std::vector<uint64_t> next(slice_begin_.begin(), slice_begin_.end() - 1);
    for (size_t i = 0; i < found.size(); ++i) slices_[next[place[found_query[i]]]++] = found[i];
}

void Rows::find_duplicates(unsigned threads) {
    struct Found {
        size_t query = 0, second = 0;
        uint64_t first_line = 0, second_line = 0, count = 0;
    };
    struct Worker {
        DuplicateFinder finder;
        Found found;
    };
    constexpr size_t block = 64;
    std::vector<Worker> workers(std::max(1u, threads));
    parallel_for((queries_.size() + block - 1) / block, threads, [&](size_t b, unsigned worker) {
        auto& [finder, found] = workers[worker];
        for (size_t q = b * block; q < std::min(queries_.size(), (b + 1) * block); ++q) {
            const QueryRows rows = query_rows(q);
            finder.search(rows, [&](size_t first, size_t second) {
                const uint64_t line = rows.line(second, first_lines_);
                if (found.count++ == 0 || line < found.second_line) {
                    found = {q, second, rows.line(first, first_lines_), line, found.count};
                }
            });
        }
    });
    const Found* earliest = nullptr;
    for (const Worker& worker : workers) {
        duplicates_ += worker.found.count;
        if (worker.found.count == 0) continue;
        if (!earliest || worker.found.second_line < earliest->second_line) earliest = &worker.found;
    }
    if (!earliest) return;
    duplicate_ = Duplicate{std::string(queries_[earliest->query]),
                           std::string(query_rows(earliest->query).id(earliest->second)),
                           earliest->first_line, earliest->second_line};
}

std::optional<size_t> Rows::find(std::string_view query) const {
    const auto at = std::lower_bound(queries_.begin(), queries_.end(), query);
    if (at == queries_.end() || *at != query) return std::nullopt;
    return size_t(at - queries_.begin());
}

bool Rows::equals(const Rows& other, unsigned threads) const {
    if (size_ != other.size_ || queries_ != other.queries_) return false;
    std::atomic<bool> equal{true};
    parallel_for(queries_.size(), threads, [&](size_t q, unsigned) {
        if (!equal.load(std::memory_order_relaxed)) return;
        const QueryRows mine = query_rows(q), theirs = other.query_rows(q);
        if (mine.size() != theirs.size()) return equal.store(false);
        std::vector<uint32_t> my_hashes, their_hashes;
        std::vector<double> my_values, their_values;
        const uint32_t* hashes = mine.hashes(my_hashes);
        const uint32_t* others = theirs.hashes(their_hashes);
        const double* values = mine.values(my_values);
        const double* other_values = theirs.values(their_values);
        IdTable table;
        table.reset(mine.size());
        auto id_of = [&](uint32_t row) { return mine.id(row); };
        for (uint32_t row = 0; row < mine.size(); ++row) {
            refuse_interrupted(row);
            table.insert(hashes[row], row, id_of);
        }
        for (uint32_t row = 0; row < theirs.size(); ++row) {
            refuse_interrupted(row);
            const uint32_t held = table.find(others[row], [&] { return theirs.id(row); }, id_of);
            if (held == IdTable::absent || values[held] != other_values[row]) {
                return equal.store(false);
            }
        }
    });
    return equal;
}

}  // namespace idealist
