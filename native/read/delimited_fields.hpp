// The fields of a line of delimited text, with and without quotes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"
#include "read/delimited.hpp"
#include "read/text_pieces.hpp"

namespace idealist {

struct Field {
    const char* begin;
    const char* end;
    std::string_view text() const { return {begin, size_t(end - begin)}; }
};

inline bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

inline Field without_blanks(Field field) {
    while (field.begin < field.end && is_blank(*field.begin)) ++field.begin;
    while (field.begin < field.end && is_blank(field.end[-1])) --field.end;
    return field;
}

// Writes a quoted field's text, every second of two quotes left out.
inline size_t write_unquoted(Field field, char* to) {
    char* at = to;
    for (const char* from = field.begin; from < field.end; ++from) {
        *at++ = *from;
        if (*from == '"') ++from;
    }
    return size_t(at - to);
}

// A number with a point in the place of another decimal sign; one that has a point already becomes none.
inline Field with_point(Field field, char decimal, std::string& scratch) {
    scratch.assign(field.begin, field.end);
    std::replace(scratch.begin(), scratch.end(), '.', '?');
    std::replace(scratch.begin(), scratch.end(), decimal, '.');
    const size_t size = scratch.size();
    scratch.resize(size + LineParser::padding);
    return {scratch.data(), scratch.data() + size};
}

// The fields of a line some of which have quotes.
class QuotedLine {
  public:
    explicit QuotedLine(const Delimited& format) : format_(format), doubled_(format.columns + 1) {}

    // Whether the quotes make sense; `slots` has room for one field more than there are columns.
    bool split(const char* at, const char* stop, Field* slots) {
        count_ = 0;
        for (;; ++at) {
            const uint32_t slot = std::min(count_++, format_.columns);
            doubled_[slot] = 0;
            if (at < stop && *at == '"') {
                const char* close = closing_quote(at + 1, stop, doubled_[slot]);
                if (!close) return fail(Problem::Kind::open_quote, {at, stop});
                slots[slot] = {at + 1, close};
                at = close + 1;
                if (at < stop && *at != format_.delimiter)
                    return fail(Problem::Kind::behind_quote, {at, stop});
            } else {
                const void* found =
                    at < stop ? std::memchr(at, format_.delimiter, size_t(stop - at)) : nullptr;
                slots[slot] = {at, found ? static_cast<const char*>(found) : stop};
                at = slots[slot].end;
            }
            if (at == stop) return true;
        }
    }
    uint32_t count() const { return count_; }
    bool doubled(uint32_t column) const { return doubled_[column]; }
    Problem::Kind problem() const { return problem_; }
    std::string_view problem_text() const { return problem_text_; }

  private:
    static const char* closing_quote(const char* at, const char* stop, uint8_t& doubled) {
        while (at < stop) {
            const void* found = std::memchr(at, '"', size_t(stop - at));
            if (!found) return nullptr;
            at = static_cast<const char*>(found);
            if (at + 1 == stop || at[1] != '"') return at;
            doubled = 1;
            at += 2;
        }
        return nullptr;
    }
    bool fail(Problem::Kind problem, Field where) {
        problem_ = problem;
        problem_text_ = where.text();
        return false;
    }

    const Delimited& format_;
    std::vector<uint8_t> doubled_;  // whether quotes stand in the field
    uint32_t count_ = 0;
    Problem::Kind problem_ = Problem::Kind::open_quote;
    std::string_view problem_text_;
};

}  // namespace idealist
