#include "base/segments.hpp"

#include <algorithm>

namespace idealist {

void SegmentBuilder::reserve_more(size_t rows, size_t text) {
    require_text_fits(id_text.size() + text);
    id_text.reserve(id_text.size() + text);
    id_end.reserve(id_end.size() + rows);
    id_hash.reserve(id_hash.size() + rows);
    value.reserve(value.size() + rows);
}

void SegmentBuilder::begin_group(std::string_view query) {
    require_text_fits(query_text.size() + query.size());
    groups.push_back({uint32_t(value.size()), uint32_t(query_text.size()), uint32_t(query.size())});
    query_text.append(query.data(), query.size());
}

void SegmentBuilder::append(const Segment& from, uint32_t begin, uint32_t end) {
    if (begin == end) return;
    const uint32_t text_begin = begin == 0 ? 0 : from.id_end[begin - 1];
    require_text_fits(id_text.size() + (from.id_end[end - 1] - text_begin));
    const uint32_t text_at = uint32_t(id_text.size());
    id_text.append(from.id_text.data() + text_begin, from.id_end[end - 1] - text_begin);
    // Appended, not reserved for: a query of many slices would have its rows moved for each of them.
    const size_t first = id_end.size();
    id_end.append(from.id_end.data() + begin, end - begin);
    for (size_t row = first; row < id_end.size(); ++row) id_end[row] += text_at - text_begin;
    id_hash.append(from.id_hash.data() + begin, end - begin);
    value.append(from.value.data() + begin, end - begin);
}

Segment SegmentBuilder::view() const {
    Segment segment = extra;
    segment.id_text = {id_text.data(), id_text.size()};
    segment.id_end = {id_end.data(), id_end.size()};
    segment.id_hash = {id_hash.data(), id_hash.size()};
    segment.value = {value.data(), value.size()};
    segment.query_text = {query_text.data(), query_text.size()};
    segment.groups = {groups.data(), groups.size()};
    segment.blanks = {blanks.data(), blanks.size()};
    return segment;
}

Segment SegmentBuilder::store(Arena& arena) {
    Segment segment = view();
    auto keep = [&](auto& column) { column = arena.keep(column.data(), column.size()); };
    keep(segment.id_text);
    keep(segment.id_end);
    keep(segment.id_hash);
    keep(segment.value);
    keep(segment.query_text);
    keep(segment.groups);
    keep(segment.blanks);
    clear();
    return segment;
}

void SegmentBuilder::clear() {
    extra = {};
    id_text.clear();
    id_end.clear();
    id_hash.clear();
    value.clear();
    query_text.clear();
    groups.clear();
    blanks.clear();
}

uint64_t Segment::line_of(size_t row) const {
    const auto before = std::upper_bound(blanks.begin(), blanks.end(), uint32_t(row)) - blanks.begin();
    return row + 1 + uint64_t(before);
}

}  // namespace idealist
