#include "read/delimited_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/number_text.hpp"

namespace idealist {

namespace {

bool is_missing(std::string_view text) {
    auto is = [&](std::string_view word) {
        return text.size() == word.size() && std::equal(text.begin(), text.end(), word.begin(),
                                                        [](char a, char b) { return (a | 0x20) == b; });
    };
    return text.empty() || is("nan") || is("null");
}

}  // namespace

DelimitedNumbers::DelimitedNumbers(std::string_view text, const Delimited& format,
                                   const NumberColumns& columns)
    : format_(format),
      columns_(columns),
      ids_(columns.texts.size()),
      ends_(columns.texts.size()),
      fields_(format.columns + 1),
      doubled_(format.columns + 1) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    // Numbers are read some bytes at a time: the last lines from a copy with bytes behind it.
    const size_t safe = text.size() - std::min(text.size(), LineParser::padding);
    const size_t newline = text.substr(0, safe).rfind('\n');
    const size_t cut = newline == std::string_view::npos ? 0 : newline + 1;
    std::string tail(text.substr(cut));
    tail.resize(tail.size() + LineParser::padding);
    whole_ = parse_lines(text.data(), text.data() + cut) &&
             parse_lines(tail.data(), tail.data() + (text.size() - cut));
}

bool DelimitedNumbers::parse_lines(const char* at, const char* end) {
    while (at < end) {
        const void* found = std::memchr(at, '\n', size_t(end - at));
        const char* stop = found ? static_cast<const char*>(found) : end;
        if (!parse_line(at, stop)) return false;
        ++rows_;
        at = stop + 1;
    }
    return true;
}

std::vector<std::string_view> DelimitedNumbers::texts(size_t place) const {
    std::vector<std::string_view> parts;
    parts.reserve(rows_);
    uint64_t begin = 0;
    for (const uint64_t end : ends_[place]) {
        parts.emplace_back(ids_[place].data() + begin, end - begin);
        begin = end;
    }
    return parts;
}

bool DelimitedNumbers::parse_line(const char* at, const char* end) {
    if (end != at && end[-1] == '\r') --end;
    // Elsewhere a carriage return ends a line for some, and not for others.
    if (at == end || std::memchr(at, '\r', size_t(end - at)) || !split(at, end)) return false;
    for (size_t place = 0; place < columns_.texts.size(); ++place) {
        const uint32_t column = columns_.texts[place];
        const Field field = fields_[column];
        if (without_blanks(field).text().empty() || doubled_[column]) return false;
        ids_[place].append(field.text());
        ends_[place].push_back(ids_[place].size());
    }
    for (const uint32_t column : columns_.numbers) {
        Field field = without_blanks(fields_[column]);
        double number;
        if (is_missing(field.text())) {
            if (!columns_.missing) return false;
            number = std::numeric_limits<double>::quiet_NaN();
        } else {
            if (format_.decimal != '.') field = with_point(field, format_.decimal, scratch_);
            if (!parse_number(field.begin, field.end, number) || !std::isfinite(number)) return false;
        }
        values_.push_back(number);
    }
    return true;
}

bool DelimitedNumbers::split(const char* at, const char* end) {
    if (format_.quotes && std::memchr(at, '"', size_t(end - at))) {
        QuotedLine quoted(format_);
        if (!quoted.split(at, end, fields_.data()) || quoted.count() != format_.columns) return false;
        for (uint32_t column = 0; column < format_.columns; ++column) {
            doubled_[column] = quoted.doubled(column);
        }
        return true;
    }
    for (uint32_t column = 0; column < format_.columns; ++column) {
        const void* found = std::memchr(at, format_.delimiter, size_t(end - at));
        const bool last = column + 1 == format_.columns;
        if (last != (found == nullptr)) return false;
        fields_[column] = {at, last ? end : static_cast<const char*>(found)};
        doubled_[column] = 0;
        at = fields_[column].end + !last;
    }
    return true;
}

}  // namespace idealist
