#include "read/delimited.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "base/number_text.hpp"
#include "base/problem.hpp"
#include "base/segments.hpp"
#include "base/utf8.hpp"
#include "read/delimited_blocks.hpp"
#include "read/delimited_fields.hpp"
#include "read/row_writer.hpp"

namespace idealist {

namespace {

using Between = Delimited::Between;
using Kind = Problem::Kind;

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
