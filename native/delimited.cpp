#include "delimited.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "number_text.hpp"
#include "row_writer.hpp"
#include "utf8.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace idealist {

namespace {

using Between = Delimited::Between;
using Kind = Problem::Kind;

struct BlockBits {
    uint64_t ends;  // where a field may end
    uint64_t quote;
    uint64_t zero;
    uint64_t high;  // bytes beyond ASCII
};

#if defined(__SSE2__)
template <Between between>
BlockBits scan_block(const char* block, char delimiter) {
    BlockBits bits{0, 0, 0, 0};
    const __m128i tab = _mm_set1_epi8('\t'), four = _mm_set1_epi8(4);
    const __m128i wanted = _mm_set1_epi8(between == Between::blanks ? ' ' : delimiter);
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
        __m128i line_end;
        if constexpr (between == Between::blanks) {
            const __m128i from_tab = _mm_sub_epi8(bytes, tab);  // tab, newline, \v, \f, \r become 0..4
            line_end = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, four), from_tab);
        } else {
            line_end = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
        }
        auto mask = [&](__m128i found) { return uint64_t(uint32_t(_mm_movemask_epi8(found))) << (16 * i); };
        bits.ends |= mask(_mm_or_si128(_mm_cmpeq_epi8(bytes, wanted), line_end));
        bits.quote |= mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
        bits.zero |= mask(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
        bits.high |= mask(bytes);
    }
    return bits;
}
#else
template <Between between>
BlockBits scan_block(const char* block, char delimiter) {
    BlockBits bits{0, 0, 0, 0};
    for (int i = 0; i < 64; ++i) {
        const char byte = block[i];
        const bool blank = byte == ' ' || static_cast<unsigned char>(byte) - 9u <= 4u;
        bits.ends |= uint64_t(between == Between::blanks ? blank : byte == delimiter || byte == '\n') << i;
        bits.quote |= uint64_t(byte == '"') << i;
        bits.zero |= uint64_t(byte == 0) << i;
        bits.high |= uint64_t(static_cast<unsigned char>(byte) >> 7) << i;
    }
    return bits;
}
#endif

struct Field {
    const char* begin;
    const char* end;
    std::string_view text() const { return {begin, size_t(end - begin)}; }
};

bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

Field without_blanks(Field field) {
    while (field.begin < field.end && is_blank(*field.begin)) ++field.begin;
    while (field.begin < field.end && is_blank(field.end[-1])) --field.end;
    return field;
}

// Writes a quoted field's text, every second of two quotes left out.
size_t write_unquoted(Field field, char* to) {
    char* at = to;
    for (const char* from = field.begin; from < field.end; ++from) {
        *at++ = *from;
        if (*from == '"') ++from;
    }
    return size_t(at - to);
}

// A number with a point in the place of another decimal sign; one that has a point already becomes none.
Field with_point(Field field, char decimal, std::string& scratch) {
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
                if (!close) return fail(Kind::open_quote, {at, stop});
                slots[slot] = {at + 1, close};
                at = close + 1;
                if (at < stop && *at != format_.delimiter) return fail(Kind::behind_quote, {at, stop});
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
    Kind problem() const { return problem_; }
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
    bool fail(Kind problem, Field where) {
        problem_ = problem;
        problem_text_ = where.text();
        return false;
    }

    const Delimited& format_;
    std::vector<uint8_t> doubled_;  // whether quotes stand in the field
    uint32_t count_ = 0;
    Kind problem_ = Kind::open_quote;
    std::string_view problem_text_;
};

// `text` ends with a newline and is followed by `padding` readable bytes.
template <Between between>
void parse_lines(std::string_view text, bool header, const Delimited& format, SegmentBuilder& out) {
    const uint32_t wanted = format.columns;
    const char* const end = text.data() + text.size();
    // A delimiter or newline for each column, and three that are not empty.
    RowWriter rows(out, text.size(), text.size() / (size_t(wanted) + 3) + 1);
    std::vector<Field> fields(wanted + 1);
    Field* const slots = fields.data();
    QuotedLine quoted(format);
    std::string query_scratch, number_scratch;
    uint32_t count = 0;
    const char* line = text.data();
    const char* start = line;
    const char* quotes_seen = line;  // the end of the last block that has any
    const char* high_seen = line;    // likewise, of bytes beyond ASCII
    bool any_zero = false;

    auto row_of = [&](bool has_quotes) {
        for (const uint32_t column : {format.query, format.document, format.number}) {
            if (slots[column].begin == slots[column].end) {
                return note_problem(out.extra, Kind::empty, column, {});
            }
        }
        Field digits = slots[format.number];
        if (is_blank(*digits.begin) || is_blank(digits.end[-1])) digits = without_blanks(digits);
        double number;
        if (digits.begin == digits.end) return note_problem(out.extra, Kind::empty, format.number, {});
        const Field read =
            format.decimal == '.' ? digits : with_point(digits, format.decimal, number_scratch);
        if (!parse_number(read.begin, read.end, number) || std::isnan(number)) {
            return note_problem(out.extra, Kind::not_a_number, count, digits.text());
        }
        if (format.finite && std::isinf(number)) {
            return note_problem(out.extra, Kind::not_finite, count, digits.text());
        }
        if (loses_digits(read.text(), number)) {
            return note_problem(out.extra, Kind::not_exact, count, digits.text());
        }
        if (format.rank) number = 0.0 - number;
        if (has_quotes && quoted.doubled(format.query)) {
            const Field field = slots[format.query];
            query_scratch.resize(field.text().size());
            query_scratch.resize(write_unquoted(field, query_scratch.data()));
            rows.set_query(query_scratch);
        } else {
            rows.set_query(slots[format.query].text());
        }
        if (has_quotes && quoted.doubled(format.document)) {
            rows.add_written(write_unquoted(slots[format.document], rows.room()), number);
        } else {
            rows.add(slots[format.document].text(), number);
        }
    };

    auto only_delimiters = [&](Field field) {
        return std::all_of(field.begin, field.end,
                           [&](char byte) { return byte == format.delimiter || is_blank(byte); });
    };

    auto finish_line = [&](const char* newline) {
        ++out.extra.lines;
        if (any_zero && std::memchr(line, 0, size_t(newline - line))) {
            return note_problem(out.extra, Kind::binary, count, {});
        }
        if (high_seen > line && !is_utf8({line, size_t(newline - line)})) {
            return note_problem(out.extra, Kind::not_utf8, count, {line, size_t(newline - line)});
        }
        const char* stop = newline;
        if constexpr (between != Between::blanks) {
            if (stop > line && stop[-1] == '\r') {
                --stop;
                slots[std::min(count, wanted + 1) - 1].end = stop;
            }
        }
        if (count == 0 || (count == 1 && without_blanks({line, stop}).text().empty())) {
            return out.blanks.push_back(uint32_t(out.value.size()));
        }
        if (header) {
            header = false;
            return out.blanks.push_back(0);
        }
        // The rows that spreadsheets write below the last one: delimiters, and nothing between them.
        if (between == Between::one && (*line == format.delimiter || is_blank(*line)) &&
            only_delimiters({line, stop})) {
            return out.blanks.push_back(uint32_t(out.value.size()));
        }
        const bool has_quotes =
            between == Between::one && quotes_seen > line && std::memchr(line, '"', size_t(stop - line));
        if (has_quotes) {
            if (!quoted.split(line, stop, slots)) {
                return note_problem(out.extra, quoted.problem(), count, quoted.problem_text());
            }
            count = quoted.count();
        }
        if (count != wanted) {
            return note_problem(out.extra, Kind::columns, count, {line, size_t(stop - line)});
        }
        row_of(has_quotes);
    };

    auto add_field = [&](const char* at) {
        slots[count < wanted ? count : wanted] = {start, at};
        ++count;
    };

    for (const char* block = text.data(); block < end; block += 64) {
        BlockBits bits = scan_block<between>(block, format.delimiter);
        if (end - block < 64) {
            const uint64_t inside = (uint64_t(1) << (end - block)) - 1;
            bits = {bits.ends & inside, bits.quote & inside, bits.zero & inside, bits.high & inside};
        }
        any_zero = any_zero || bits.zero != 0;
        if (bits.high != 0) high_seen = block + 64;
        if (bits.quote != 0 && format.quotes) quotes_seen = block + 64;
        for (; bits.ends != 0; bits.ends &= bits.ends - 1) {
            const char* at = block + std::countr_zero(bits.ends);
            if constexpr (between == Between::two) {
                if (*at != '\n' && (at < start || at[1] != *at)) continue;
                add_field(at);
                start = at + (*at == '\n' ? 1 : 2);
            } else {
                if (between == Between::one || at > start) add_field(at);
                start = at + 1;
            }
            if (*at == '\n') {
                finish_line(at);
                count = 0;
                line = start;
            }
        }
    }
}

class DelimitedLines : public LineParser {
  public:
    explicit DelimitedLines(const Delimited& format) : format_(format) {}
    void parse(std::string_view text, bool first, SegmentBuilder& out) const override {
        if (first) text = without_byte_order_mark(text);
        const bool header = first && format_.header;
        switch (format_.between) {
            case Between::one:
                return parse_lines<Between::one>(text, header, format_, out);
            case Between::two:
                return parse_lines<Between::two>(text, header, format_, out);
            case Between::blanks:
                return parse_lines<Between::blanks>(text, header, format_, out);
        }
    }

  private:
    Delimited format_;
};

}  // namespace

LineParserPtr delimited_lines(const Delimited& format) { return std::make_shared<DelimitedLines>(format); }

}  // namespace idealist
