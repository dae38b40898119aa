#include "arrow_input.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "number_text.hpp"

namespace idealist {

namespace {

constexpr size_t piece_rows = size_t(1) << 16;

ArrowKind kind_of(std::string_view format) {
    static constexpr std::pair<std::string_view, ArrowKind> kinds[] = {
        {"u", ArrowKind::text},       {"z", ArrowKind::text},       {"U", ArrowKind::large_text},
        {"Z", ArrowKind::large_text}, {"vu", ArrowKind::text_view}, {"vz", ArrowKind::text_view},
        {"c", ArrowKind::int8},       {"s", ArrowKind::int16},      {"i", ArrowKind::int32},
        {"l", ArrowKind::int64},      {"C", ArrowKind::uint8},      {"S", ArrowKind::uint16},
        {"I", ArrowKind::uint32},     {"L", ArrowKind::uint64},     {"e", ArrowKind::half},
        {"f", ArrowKind::single},     {"g", ArrowKind::real},       {"b", ArrowKind::boolean},
        {"n", ArrowKind::nothing},
    };
    for (const auto& [text, kind] : kinds) {
        if (text == format) return kind;
    }
    return format.starts_with("d:") ? ArrowKind::decimal : ArrowKind::other;
}

bool is_text(ArrowKind kind) { return kind <= ArrowKind::text_view; }
bool is_whole(ArrowKind kind) { return kind >= ArrowKind::int8 && kind <= ArrowKind::uint64; }

// "d:precision,scale" or "d:precision,scale,bits"
void read_decimal(std::string_view format, ArrowType& type) {
    int parts[3] = {0, 0, 128}, count = 0;
    const char *at = format.data() + 2, *end = format.data() + format.size();
    while (at < end && count < 3) {
        const auto [next, error] = std::from_chars(at, end, parts[count++]);
        if (error != std::errc()) break;
        at = next + 1;
    }
    type.scale = parts[1];
    type.bytes = parts[2] / 8;
    if (type.bytes != 4 && type.bytes != 8 && type.bytes != 16) type.kind = ArrowKind::other;
}

size_t width_of(ArrowKind kind) {
    switch (kind) {
        case ArrowKind::int8:
        case ArrowKind::uint8:
            return 1;
        case ArrowKind::int16:
        case ArrowKind::uint16:
        case ArrowKind::half:
            return 2;
        case ArrowKind::int32:
        case ArrowKind::uint32:
        case ArrowKind::single:
            return 4;
        default:
            return 8;
    }
}

double from_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
    if (exponent == 31) {
        size = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    }
    return bits >> 15 ? -size : size;
}

__extension__ typedef __int128 int128;

double from_decimal(int128 digits, int scale) {
    constexpr int128 exact = int128(1) << 53;
    static constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (-exact <= digits && digits <= exact && scale >= 0 && scale <= 22) return double(digits) / tens[scale];
    // Rounded once, as text is read.
    const bool negative = digits < 0;
    uint128 left = negative ? uint128(0) - uint128(digits) : uint128(digits);
    char text[64];
    char* at = text + 44;
    auto [end, error] = std::to_chars(at, text + sizeof text, -scale);
    (void)error;
    *--at = 'e';
    do {
        *--at = char('0' + int(left % 10));
        left /= 10;
    } while (left != 0);
    if (negative) *--at = '-';
    double value = 0;
    parse_number(at, end, value);
    return value;
}

// One column within a batch. Rows are counted from the batch's first.
class Cells {
  public:
    Cells(const ArrowArray& batch, const ArrowArray& column, const ArrowType& type)
        : type_(type), first_(size_t(batch.offset + column.offset)) {
        set_validity(batch, column);
        if (type.dictionary) {
            if (!column.dictionary) throw ArrowFailed("a column of a dictionary has none");
            indices_ = buffer(column, 1);
            entries_ = column.dictionary;
            entries_begin_ = size_t(entries_->offset);
            entry_valid_ =
                entries_->null_count == 0 ? nullptr : static_cast<const uint8_t*>(entries_->buffers[0]);
            set_values(*entries_);
        } else {
            set_values(column);
        }
    }

    bool valid(size_t row) const {
        if (type_.kind == ArrowKind::nothing) return false;
        if (validity_ && !bit(validity_, first_ + row)) return false;
        if (batch_validity_ && !bit(batch_validity_, batch_first_ + row)) return false;
        if (!type_.dictionary) return true;
        const size_t entry = entry_of(row);
        return !entry_valid_ || bit(entry_valid_, entry);
    }

    // Whether two rows hold the same, told without looking at any text where that can be.
    bool surely_same(size_t a, size_t b) const {
        if (type_.dictionary) return index(a) == index(b);
        if (is_text(type_.kind)) return false;
        const size_t width = width_of(type_.kind);
        return std::memcmp(values_ + (first_ + a) * width, values_ + (first_ + b) * width, width) == 0;
    }

    // An id as text; a number is written into `scratch`, of 24 bytes or more.
    std::string_view id(size_t row, char* scratch) const {
        const size_t at = type_.dictionary ? entry_of(row) : first_ + row;
        switch (type_.kind) {
            case ArrowKind::text:
                return text_at<int32_t>(at);
            case ArrowKind::large_text:
                return text_at<int64_t>(at);
            case ArrowKind::text_view:
                return view_at(at);
            case ArrowKind::uint64:
                return written(load<uint64_t>(values_ + at * 8), scratch);
            default:
                return written(whole(values_, type_.kind, at), scratch);
        }
    }

    double number(size_t row) const {
        const size_t at = first_ + row;
        switch (type_.kind) {
            case ArrowKind::real:
                return load<double>(values_ + at * 8);
            case ArrowKind::single:
                return load<float>(values_ + at * 4);
            case ArrowKind::half:
                return from_half(load<uint16_t>(values_ + at * 2));
            case ArrowKind::boolean:
                return bit(reinterpret_cast<const uint8_t*>(values_), at) ? 1.0 : 0.0;
            case ArrowKind::uint64:
                return double(load<uint64_t>(values_ + at * 8));
            case ArrowKind::decimal:
                return from_decimal(digits(at), type_.scale);
            default:
                return double(whole(values_, type_.kind, at));
        }
    }

  private:
    static bool bit(const uint8_t* bits, size_t at) { return bits[at / 8] >> (at % 8) & 1; }

    static const char* buffer(const ArrowArray& array, int64_t number) {
        if (array.n_buffers <= number) throw ArrowFailed("a column lacks a buffer");
        return static_cast<const char*>(array.buffers[number]);
    }

    static std::string_view written(auto value, char* scratch) {
        return {scratch, size_t(std::to_chars(scratch, scratch + 24, value).ptr - scratch)};
    }

    void set_validity(const ArrowArray& batch, const ArrowArray& column) {
        if (column.null_count != 0 && type_.kind != ArrowKind::nothing) {
            validity_ = reinterpret_cast<const uint8_t*>(buffer(column, 0));
        }
        if (batch.null_count != 0 && batch.n_buffers > 0) {
            batch_validity_ = static_cast<const uint8_t*>(batch.buffers[0]);
            batch_first_ = size_t(batch.offset);
        }
    }

    void set_values(const ArrowArray& array) {
        if (type_.kind == ArrowKind::nothing) return;
        values_ = buffer(array, 1);
        if (type_.kind == ArrowKind::text || type_.kind == ArrowKind::large_text) text_ = buffer(array, 2);
        if (type_.kind == ArrowKind::text_view) {
            // Behind the views stand the texts, and last the texts' sizes.
            texts_ = reinterpret_cast<const char* const*>(array.buffers + 2);
            text_count_ = array.n_buffers - 3;
        }
    }

    int64_t index(size_t row) const { return whole(indices_, type_.index, first_ + row); }
    size_t entry_of(size_t row) const {
        const int64_t at = index(row);
        if (at < 0 || at >= entries_->length) throw ArrowFailed("an index lies outside of its dictionary");
        return entries_begin_ + size_t(at);
    }

    static int64_t whole(const char* values, ArrowKind kind, size_t at) {
        switch (kind) {
            case ArrowKind::int8:
                return load<int8_t>(values + at);
            case ArrowKind::int16:
                return load<int16_t>(values + at * 2);
            case ArrowKind::int32:
                return load<int32_t>(values + at * 4);
            case ArrowKind::uint8:
                return load<uint8_t>(values + at);
            case ArrowKind::uint16:
                return load<uint16_t>(values + at * 2);
            case ArrowKind::uint32:
                return load<uint32_t>(values + at * 4);
            default:
                return load<int64_t>(values + at * 8);
        }
    }

    template <class Offset>
    std::string_view text_at(size_t at) const {
        const auto begin = load<Offset>(values_ + at * sizeof(Offset));
        const auto end = load<Offset>(values_ + (at + 1) * sizeof(Offset));
        if (begin < 0 || end < begin) throw ArrowFailed("the offsets of a text column fall");
        return {text_ + begin, size_t(end - begin)};
    }

    // Sixteen bytes: the size, then the text itself if it is short, else where it is.
    std::string_view view_at(size_t at) const {
        const char* view = values_ + at * 16;
        const int32_t size = load<int32_t>(view);
        if (size < 0) throw ArrowFailed("a text has a negative size");
        if (size <= 12) return {view + 4, size_t(size)};
        const int32_t number = load<int32_t>(view + 8), offset = load<int32_t>(view + 12);
        if (number < 0 || number >= text_count_ || offset < 0) throw ArrowFailed("a text lies nowhere");
        return {texts_[number] + offset, size_t(size)};
    }

    int128 digits(size_t at) const {
        if (type_.bytes == 4) return load<int32_t>(values_ + at * 4);
        if (type_.bytes == 8) return load<int64_t>(values_ + at * 8);
        return load<int128>(values_ + at * 16);
    }

    ArrowType type_;
    size_t first_, batch_first_ = 0, entries_begin_ = 0;
    const uint8_t *validity_ = nullptr, *batch_validity_ = nullptr, *entry_valid_ = nullptr;
    const char *values_ = nullptr, *text_ = nullptr, *indices_ = nullptr;
    const char* const* texts_ = nullptr;
    int64_t text_count_ = 0;
    const ArrowArray* entries_ = nullptr;
};

// Some batches of a stream.
class ArrowWindow : public Window {
  public:
    ArrowWindow(const ArrowColumns& columns, const ArrowType& query, const ArrowType& document,
                const ArrowType& number)
        : columns_(columns), query_(query), document_(document), number_(number) {}

    void add(Owned<ArrowArray> batch) {
        const size_t rows = size_t(batch->length);
        batches_.push_back(std::move(batch));
        for (size_t begin = 0; begin < rows; begin += piece_rows) {
            slices_.push_back({uint32_t(batches_.size() - 1), begin, std::min(rows, begin + piece_rows)});
        }
        rows_ += rows;
    }
    size_t rows() const { return rows_; }
    size_t pieces() const override { return slices_.size(); }

    void parse(size_t piece, unsigned, SegmentBuilder& out) override {
        const auto& slice = slices_[piece];
        const ArrowArray& batch = *batches_[slice.batch].get();
        const Cells queries(batch, *batch.children[columns_.query], query_);
        const Cells documents(batch, *batch.children[columns_.document], document_);
        const Cells numbers(batch, *batch.children[columns_.number], number_);
        read(queries, documents, numbers, slice.begin, slice.end, out);
    }

  private:
    struct BatchSlice {
        uint32_t batch;
        size_t begin, end;
    };

    void read(const Cells& queries, const Cells& documents, const Cells& numbers, size_t begin, size_t end,
              SegmentBuilder& out) const {
        const size_t count = end - begin;
        out.id_end.reserve(count);
        out.id_hash.reserve(count);
        out.value.reserve(count);
        out.id_text.reserve(count * 16);
        char query_scratch[24], document_scratch[24];
        std::string query;
        bool any_query = false;
        size_t query_row = 0;
        for (size_t row = begin; row < end; ++row) {
            ++out.extra.lines;
            if (!queries.valid(row) || !documents.valid(row) || !numbers.valid(row)) {
                note_null(queries, documents, row, out.extra);
                continue;
            }
            const double value = columns_.negated ? -numbers.number(row) : numbers.number(row);
            if (std::isnan(value) || (columns_.finite && std::isinf(value))) {
                note_problem(out.extra,
                             std::isnan(value) ? Problem::Kind::not_a_number : Problem::Kind::not_finite, 0,
                             std::isnan(value) ? "nan"
                             : value > 0       ? "inf"
                                               : "-inf");
                continue;
            }
            if (!any_query || !queries.surely_same(query_row, row)) {
                const std::string_view its_query = queries.id(row, query_scratch);
                if (!any_query || !same_text(query, its_query)) {
                    query.assign(its_query);
                    any_query = true;
                    out.begin_group(query);
                }
                query_row = row;
            }
            out.add(documents.id(row, document_scratch), value);
        }
        if (out.id_text.size() > std::numeric_limits<uint32_t>::max()) {
            throw ArrowFailed("the ids of one stretch of rows are longer than four gigabytes");
        }
    }

    static void note_null(const Cells& queries, const Cells& documents, size_t row, Segment& extra) {
        const char* what = !queries.valid(row) ? "query" : !documents.valid(row) ? "document" : "number";
        note_problem(extra, Problem::Kind::empty, 0, what);
    }

    ArrowColumns columns_;
    ArrowType query_, document_, number_;
    std::vector<Owned<ArrowArray>> batches_;
    std::vector<BatchSlice> slices_;
    size_t rows_ = 0;
};

}  // namespace

bool ArrowType::is_id() const {
    return is_text(kind) || is_whole(kind) || (kind == ArrowKind::nothing && !dictionary);
}

bool ArrowType::is_number() const { return !dictionary && !is_text(kind) && kind != ArrowKind::other; }

ArrowType type_of(const ArrowSchema& schema) {
    ArrowType type;
    const ArrowSchema& values = schema.dictionary ? *schema.dictionary : schema;
    type.dictionary = schema.dictionary != nullptr;
    if (type.dictionary) {
        type.index = kind_of(schema.format);
        if (!is_whole(type.index) || values.dictionary) return type;
    }
    type.kind = kind_of(values.format);
    if (type.kind == ArrowKind::decimal) read_decimal(values.format, type);
    return type;
}

ArrowReader::ArrowReader(ArrowArrayStream* stream) : stream_(stream) {
    if (stream_->get_schema(stream_.get(), schema_.get()) != 0) {
        const char* why = stream_->get_last_error(stream_.get());
        throw ArrowFailed(why ? why : "the table does not say what its columns are");
    }
    if (std::strcmp(schema_->format, "+s") != 0) throw ArrowFailed("this is one column, not a table");
    for (int64_t i = 0; i < schema_->n_children; ++i) {
        const ArrowSchema& column = *schema_->children[i];
        names_.emplace_back(column.name ? column.name : "");
        formats_.emplace_back(column.dictionary ? std::string("dictionary<") + column.format + "," +
                                                      column.dictionary->format + ">"
                                                : column.format);
        types_.push_back(type_of(column));
    }
}

void ArrowReader::choose(const ArrowColumns& columns) {
    const size_t count = types_.size();
    if (columns.query >= count || columns.document >= count || columns.number >= count) {
        throw std::out_of_range("there is no such column");
    }
    if (!types_[columns.query].is_id() || !types_[columns.document].is_id() ||
        !types_[columns.number].is_number()) {
        throw std::invalid_argument("a column is of a type that rows cannot be made of");
    }
    columns_ = columns;
    chosen_ = true;
}

WindowPtr ArrowReader::next(size_t rows) {
    if (!chosen_) throw std::logic_error("no columns are chosen");
    auto window = std::make_shared<ArrowWindow>(columns_, types_[columns_.query], types_[columns_.document],
                                                types_[columns_.number]);
    while (!ended_ && window->rows() < std::max<size_t>(rows, 1)) {
        Owned<ArrowArray> batch;
        if (stream_->get_next(stream_.get(), batch.get()) != 0) {
            const char* why = stream_->get_last_error(stream_.get());
            throw ArrowFailed(why ? why : "the table could not be read to its end");
        }
        if (!batch->release) {
            ended_ = true;
            break;
        }
        if (batch->length < 0 || batch->n_children != int64_t(types_.size())) {
            throw ArrowFailed("a batch does not fit its schema");
        }
        window->add(std::move(batch));
    }
    return window->rows() == 0 && ended_ ? nullptr : window;
}

}  // namespace idealist
