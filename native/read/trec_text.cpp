#include "read/trec_text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "base/ids.hpp"
#include "base/number_text.hpp"
#include "base/problem.hpp"
#include "base/segments.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace idealist {

namespace {

struct BlockBits {
    uint64_t space;  // the bytes that C's isspace calls space
    uint64_t zero;
};

#if defined(__SSE2__)
BlockBits scan_block(const char* block) {
    BlockBits bits{0, 0};
    const __m128i blank = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t'), four = _mm_set1_epi8(4);
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
        const __m128i from_tab = _mm_sub_epi8(bytes, tab);  // tab, newline, \v, \f, \r become 0..4
        const __m128i space = _mm_or_si128(_mm_cmpeq_epi8(bytes, blank),
                                           _mm_cmpeq_epi8(_mm_min_epu8(from_tab, four), from_tab));
        const __m128i zero = _mm_cmpeq_epi8(bytes, _mm_setzero_si128());
        bits.space |= uint64_t(uint32_t(_mm_movemask_epi8(space))) << (16 * i);
        bits.zero |= uint64_t(uint32_t(_mm_movemask_epi8(zero))) << (16 * i);
    }
    return bits;
}
#else
BlockBits scan_block(const char* block) {
    BlockBits bits{0, 0};
    for (int i = 0; i < 64; ++i) {
        const unsigned char byte = static_cast<unsigned char>(block[i]);
        bits.space |= uint64_t(byte == ' ' || byte - 9u <= 4u) << i;
        bits.zero |= uint64_t(byte == 0) << i;
    }
    return bits;
}
#endif

// How many columns a line has, which of them are the row's id, and which the number.
struct Shape {
    uint32_t columns, first, last, number;
};

constexpr Shape shape_of(Layout layout) {
    switch (layout) {
        case Layout::run:
            return {6, 2, 2, 4};
        case Layout::ranks:
            return {6, 2, 2, 3};
        case Layout::groups:
            return {4, 1, 2, 3};
        case Layout::preferences:
            return {5, 1, 3, 4};
        case Layout::strata:
            return {5, 2, 3, 4};
        case Layout::judgments:
            break;
    }
    return {4, 2, 2, 3};
}

// `text` ends with a newline and is followed by `padding` readable bytes.
template <Layout layout>
void parse_lines(std::string_view text, SegmentBuilder& out) {
    constexpr Shape shape = shape_of(layout);
    constexpr uint32_t wanted = shape.columns, number_at = shape.number;
    const char* const end = text.data() + text.size();
    const size_t most_rows = text.size() / (2 * wanted) + 1;  // a byte and a separator per column
    out.reserve_more(most_rows, text.size() + 16);

    const char* field_begin[wanted + 1];
    const char* field_end[wanted + 1];
    uint32_t fields = 0;
    const char* line = text.data();
    const char* start = line;
    bool any_query = !out.groups.empty(), any_zero = false;
    std::string_view query = out.last_query();
    char* id_text = out.id_text.data();
    size_t id_size = out.id_text.size();

    auto finish_line = [&](const char* newline) {
        ++out.extra.lines;
        if (any_zero && std::memchr(line, 0, size_t(newline - line))) {
            note_problem(out.extra, Problem::Kind::binary, fields, {});
            return;
        }
        if (fields == 0) {
            out.blanks.push_back(uint32_t(out.value.size()));
            return;
        }
        if (fields != wanted) {
            note_problem(out.extra, Problem::Kind::columns, fields,
                         {line, size_t(field_end[std::min(fields, wanted + 1) - 1] - line)});
            return;
        }
        const char *number_begin = field_begin[number_at], *number_end = field_end[number_at];
        double number;
        if (!parse_number(number_begin, number_end, number) || std::isnan(number)) {
            note_problem(out.extra, Problem::Kind::not_a_number, fields,
                         {number_begin, size_t(number_end - number_begin)});
            return;
        }
        if (layout != Layout::run && std::isinf(number)) {
            note_problem(out.extra, Problem::Kind::not_finite, fields,
                         {number_begin, size_t(number_end - number_begin)});
            return;
        }
        if (const std::string_view digits(number_begin, number_end); loses_digits(digits, number)) {
            note_problem(out.extra, Problem::Kind::not_exact, fields, digits);
            return;
        }
        const std::string_view its_query(field_begin[0], size_t(field_end[0] - field_begin[0]));
        if (!any_query || !same_text(query, its_query)) {
            query = its_query;
            any_query = true;
            out.begin_group(query);
        }
        const char* id = field_begin[shape.first];
        size_t size = size_t(field_end[shape.last] - id);
        // Copying sixteen bytes beats copying seven: both ends have room.
        if constexpr (shape.first != shape.last) {
            // One space between columns, whatever stood there: the same columns are the same id.
            char* at = id_text + id_size;
            for (uint32_t column = shape.first; column <= shape.last; ++column) {
                if (column != shape.first) *at++ = ' ';
                at = std::copy(field_begin[column], field_end[column], at);
            }
            id = id_text + id_size;
            size = size_t(at - id);
        } else if (size <= 16) {
            std::memcpy(id_text + id_size, id, 16);
        } else {
            std::memcpy(id_text + id_size, id, size);
        }
        id_size += size;
        out.id_end.push_unchecked(uint32_t(id_size));
        out.id_hash.push_unchecked(hash_id(id, size));
        out.value.push_unchecked(number);
    };

    for (const char* block = text.data(); block < end; block += 64) {
        BlockBits bits = scan_block(block);
        if (end - block < 64) {
            bits.space &= (uint64_t(1) << (end - block)) - 1;
            bits.zero &= (uint64_t(1) << (end - block)) - 1;
        }
        any_zero = any_zero || bits.zero != 0;
        for (; bits.space != 0; bits.space &= bits.space - 1) {
            const char* at = block + std::countr_zero(bits.space);
            if (at > start) {
                const uint32_t slot = fields < wanted ? fields : wanted;
                field_begin[slot] = start;
                field_end[slot] = at;
                ++fields;
            }
            start = at + 1;
            if (*at == '\n') {
                finish_line(at);
                fields = 0;
                line = start;
            }
        }
    }
    out.id_text.resize_uninitialised(id_size);
}

class TrecLines : public LineParser {
  public:
    explicit TrecLines(Layout layout) : layout_(layout) {}
    void parse(std::string_view text, bool first, SegmentBuilder& out) const override {
        if (first) text = without_byte_order_mark(text);
        switch (layout_) {
            case Layout::judgments:
                return parse_lines<Layout::judgments>(text, out);
            case Layout::run:
                return parse_lines<Layout::run>(text, out);
            case Layout::ranks:
                return parse_lines<Layout::ranks>(text, out);
            case Layout::groups:
                return parse_lines<Layout::groups>(text, out);
            case Layout::preferences:
                return parse_lines<Layout::preferences>(text, out);
            case Layout::strata:
                return parse_lines<Layout::strata>(text, out);
        }
    }

  private:
    Layout layout_;
};

}  // namespace

LineParserPtr trec_lines(Layout layout) { return std::make_shared<TrecLines>(layout); }

}  // namespace idealist
