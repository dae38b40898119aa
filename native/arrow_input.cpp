#include "arrow_input.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <mutex>
#include <numeric>

#include "arrow_cells.hpp"

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

}  // namespace

// Batches with the columns that rows are made of.
class Batches {
  public:
    Batches(const ArrowColumns& columns, const ArrowType& query, const ArrowType& document,
            const ArrowType& number)
        : columns_(columns), query_(query), document_(document), number_(number) {}

    using Batch = std::shared_ptr<const Owned<ArrowArray>>;
    struct Slice {
        uint32_t batch;
        size_t begin, end;
    };

    // Rows [begin, end) of a batch.
    void add(Batch batch, size_t begin, size_t end) {
        list_.push_back(std::move(batch));
        slices_.push_back({uint32_t(list_.size() - 1), begin, end});
        rows_ += end - begin;
    }
    size_t rows() const { return rows_; }
    size_t size() const { return list_.size(); }
    // All rows, at most so many together.
    std::vector<Slice> slices(size_t rows) const {
        std::vector<Slice> cut;
        for (const auto& [batch, begin, end] : slices_) {
            for (size_t at = begin; at < end; at += rows)
                cut.push_back({batch, at, std::min(end, at + rows)});
        }
        return cut;
    }
    Cells queries(size_t batch) const { return cells(batch, columns_.query, query_); }
    Cells documents(size_t batch) const { return cells(batch, columns_.document, document_); }
    Cells numbers(size_t batch) const { return cells(batch, columns_.number, number_); }
    const ArrowColumns& columns() const { return columns_; }

  private:
    Cells cells(size_t batch, size_t column, const ArrowType& type) const {
        const ArrowArray& array = *list_[batch]->get();
        return {array, *array.children[column], type};
    }

    ArrowColumns columns_;
    ArrowType query_, document_, number_;
    std::vector<Batch> list_;
    std::vector<Slice> slices_;
    size_t rows_ = 0;
};

namespace {

// A row by the keys of its ids.
struct KeyedRow {
    uint64_t query, document;
    double value;
    uint32_t hash, batch;  // of the query
};

// Counts a row and takes its number; nothing when there is something wrong with it.
std::optional<double> number_at(const Batches& batches, const Cells& queries, const Cells& documents,
                                const Cells& numbers, size_t row, Segment& extra) {
    ++extra.lines;
    if (!queries.valid(row) || !documents.valid(row) || !numbers.valid(row)) {
        const char* what = !queries.valid(row) ? "query" : !documents.valid(row) ? "document" : "number";
        note_problem(extra, Problem::Kind::empty, 0, what);
        return std::nullopt;
    }
    const double value = batches.columns().negated ? -numbers.number(row) : numbers.number(row);
    if (std::isnan(value)) {
        note_problem(extra, Problem::Kind::not_a_number, 0, "nan");
        return std::nullopt;
    }
    if (batches.columns().finite && std::isinf(value)) {
        note_problem(extra, Problem::Kind::not_finite, 0, value > 0 ? "inf" : "-inf");
        return std::nullopt;
    }
    if (!numbers.exact(row)) {
        note_problem(extra, Problem::Kind::not_a_number, 0,
                     numbers.whole_text(row) + ", more digits than a float holds");
        return std::nullopt;
    }
    return value;
}

void require_small(const SegmentBuilder& out) {
    if (out.id_text.size() > std::numeric_limits<uint32_t>::max()) {
        throw ArrowFailed("the ids of one stretch of rows are longer than four gigabytes");
    }
}

// Rows in the order of the table.
class ArrowWindow : public Window {
  public:
    explicit ArrowWindow(std::shared_ptr<const Batches> batches)
        : batches_(std::move(batches)), slices_(batches_->slices(piece_rows)) {}
    size_t pieces() const override { return slices_.size(); }

    void parse(size_t piece, unsigned, SegmentBuilder& out) override {
        const auto [batch, begin, end] = slices_[piece];
        const Cells queries = batches_->queries(batch), documents = batches_->documents(batch),
                    numbers = batches_->numbers(batch);
        const size_t count = end - begin;
        out.id_end.reserve(count);
        out.id_hash.reserve(count);
        out.value.reserve(count);
        out.id_text.reserve(count * 16);
        char query_scratch[24], document_scratch[24];
        std::string query;
        std::optional<size_t> query_row;
        for (size_t row = begin; row < end; ++row) {
            const auto value = number_at(*batches_, queries, documents, numbers, row, out.extra);
            if (!value) continue;
            if (!query_row || !queries.surely_same(*query_row, row)) {
                const std::string_view its_query = queries.id(row, query_scratch);
                if (!query_row || !same_text(query, its_query)) {
                    query.assign(its_query);
                    out.begin_group(query);
                }
                query_row = row;
            }
            out.add(documents.id(row, document_scratch), *value);
        }
        require_small(out);
    }

  private:
    std::shared_ptr<const Batches> batches_;
    std::vector<Batches::Slice> slices_;
};

// Rows query by query, though they lie in any order: a table that is in memory need not be sorted. Its rows
// are read in their order and dealt out by the hash of their query, to parts that stay in the cache.
class RegroupedWindow : public Window {
  public:
    RegroupedWindow(std::shared_ptr<const Batches> batches, unsigned threads) : batches_(std::move(batches)) {
        const size_t rows = batches_->rows();
        const auto slices = batches_->slices(std::max(piece_rows, rows / 1024));
        while (rows >> shift_ > piece_rows && shift_ < 12) ++shift_;
        const size_t parts = size_t(1) << shift_;
        std::vector<size_t> begins{0};
        for (const auto& slice : slices) begins.push_back(begins.back() + slice.end - slice.begin);
        Column<uint32_t> hashes;
        hashes.resize_uninitialised(rows);
        std::vector<std::vector<size_t>> next(slices.size(), std::vector<size_t>(parts));
        parallel_for(slices.size(), threads, [&](size_t s, unsigned) {
            hash_queries(slices[s], hashes.data() + begins[s]);
            for (size_t i = begins[s]; i < begins[s + 1]; ++i) ++next[s][part_of(hashes[i])];
        });
        begins_.reserve(parts + 1);
        size_t at = 0;
        for (size_t part = 0; part < parts; ++part) {
            begins_.push_back(at);
            for (auto& counts : next) at += std::exchange(counts[part], at);
        }
        begins_.push_back(at);
        rows_.resize_uninitialised(rows);
        parallel_for(slices.size(), threads,
                     [&](size_t s, unsigned) { deal(slices[s], hashes.data() + begins[s], next[s]); });
    }
    size_t pieces() const override { return begins_.size() - 1; }

    void parse(size_t piece, unsigned, SegmentBuilder& out) override {
        if (problem_) {
            out.extra.problem = *problem_;
            out.extra.problems = 1;
            return;
        }
        std::vector<Cells> queries, documents;
        for (size_t batch = 0; batch < batches_->size(); ++batch) {
            queries.push_back(batches_->queries(batch));
            documents.push_back(batches_->documents(batch));
        }
        const std::span<const KeyedRow> rows(rows_.data() + begins_[piece],
                                             begins_[piece + 1] - begins_[piece]);
        Grouping grouping;
        group(rows, queries, grouping);
        char scratch[24];
        for (size_t query = 0; query < grouping.names.size(); ++query) {
            out.begin_group(grouping.names[query]);
            for (size_t i = grouping.begins[query]; i < grouping.begins[query + 1]; ++i) {
                if (i + ahead < rows.size()) {
                    const KeyedRow& coming = rows[grouping.order[i + ahead]];
                    documents[coming.batch].prefetch(coming.document);
                }
                const KeyedRow& row = rows[grouping.order[i]];
                out.add(documents[row.batch].id_of(row.document, scratch), row.value);
            }
        }
        out.extra.lines += rows.size();
        require_small(out);
    }

  private:
    static constexpr size_t ahead = 16;  // as many rows as memory can fetch at once

    // The queries of a part, and its rows in their order.
    struct Grouping {
        Arena arena;
        std::vector<std::string_view> names;
        std::vector<uint32_t> begins, order;
    };

    size_t part_of(uint32_t hash) const { return shift_ == 0 ? 0 : hash >> (32 - shift_); }

    // A null has no hash; its row is refused when it is dealt out.
    void hash_queries(const Batches::Slice& slice, uint32_t* out) const {
        const Cells queries = batches_->queries(slice.batch);
        char scratch[24];
        for (size_t row = slice.begin; row < slice.end; ++row) {
            if (!queries.valid(row)) {
                *out++ = 0;
                continue;
            }
            const std::string_view query = queries.id(row, scratch);
            *out++ = hash_id(query.data(), query.size());
        }
    }

    void deal(const Batches::Slice& slice, const uint32_t* hashes, std::vector<size_t>& next) {
        const Cells queries = batches_->queries(slice.batch), documents = batches_->documents(slice.batch),
                    numbers = batches_->numbers(slice.batch);
        Segment problems;
        for (size_t row = slice.begin; row < slice.end; ++row, ++hashes) {
            const auto value = number_at(*batches_, queries, documents, numbers, row, problems);
            if (!value) break;
            rows_[next[part_of(*hashes)]++] = {queries.key(row), documents.key(row), *value, *hashes,
                                               slice.batch};
        }
        if (!problems.problem) return;
        const std::lock_guard<std::mutex> lock(problem_lock_);
        problem_ = problems.problem;
    }

    static void group(std::span<const KeyedRow> rows, const std::vector<Cells>& queries, Grouping& out) {
        IdTable table;
        table.reset(rows.size());
        std::vector<uint32_t> numbers(rows.size());
        auto name_of = [&](uint32_t query) { return out.names[query]; };
        char scratch[24];
        for (size_t i = 0; i < rows.size(); ++i) {
            if (i + ahead < rows.size()) queries[rows[i + ahead].batch].prefetch(rows[i + ahead].query);
            const uint32_t hash = rows[i].hash;
            const std::string_view name = queries[rows[i].batch].id_of(rows[i].query, scratch);
            uint32_t query = table.find(hash, [&] { return name; }, name_of);
            if (query == IdTable::absent) {
                query = uint32_t(out.names.size());
                const auto kept = out.arena.keep(name.data(), name.size());
                out.names.emplace_back(kept.data(), kept.size());
                table.insert(hash, query, name_of);
            }
            numbers[i] = query;
        }
        out.begins.assign(out.names.size() + 1, 0);
        for (const uint32_t query : numbers) ++out.begins[query + 1];
        std::partial_sum(out.begins.begin(), out.begins.end(), out.begins.begin());
        std::vector<uint32_t> next(out.begins.begin(), out.begins.end() - 1);
        out.order.resize(rows.size());
        for (uint32_t i = 0; i < rows.size(); ++i) out.order[next[numbers[i]]++] = i;
    }

    std::shared_ptr<const Batches> batches_;
    unsigned shift_ = 0;
    std::vector<size_t> begins_;  // of the parts
    Column<KeyedRow> rows_;
    std::mutex problem_lock_;
    std::optional<Problem> problem_;
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

// Sees to it that there are rows at hand, unless there are no more.
bool ArrowReader::fetch() {
    while (!batch_ || taken_ == size_t((*batch_)->length)) {
        if (kept_at_ < kept_.size()) {
            batch_ = kept_[kept_at_++];
            taken_ = 0;
            continue;
        }
        if (ended_) {
            batch_ = nullptr;
            break;
        }
        auto batch = std::make_shared<Owned<ArrowArray>>();
        if (stream_->get_next(stream_.get(), batch->get()) != 0) {
            const char* why = stream_->get_last_error(stream_.get());
            throw ArrowFailed(why ? why : "the table could not be read to its end");
        }
        if (!(*batch)->release) {
            ended_ = true;
            batch_ = nullptr;
            break;
        }
        if ((*batch)->length < 0 || (*batch)->n_children != int64_t(types_.size())) {
            throw ArrowFailed("a batch does not fit its schema");
        }
        if (uint64_t((*batch)->length) > std::numeric_limits<uint32_t>::max()) {
            throw ArrowFailed("a batch has more than four thousand million rows");
        }
        batch_ = std::move(batch);
        taken_ = 0;
        if (keeps_) {
            kept_.push_back(batch_);
            kept_at_ = kept_.size();
        }
    }
    return batch_ != nullptr;
}

void ArrowReader::rewind() {
    if (!keeps_) throw std::logic_error("what was read is not kept");
    batch_ = nullptr;
    kept_at_ = 0;
}

std::shared_ptr<Batches> ArrowReader::pull(size_t rows) {
    if (!chosen_) throw std::logic_error("no columns are chosen");
    auto batches = std::make_shared<Batches>(columns_, types_[columns_.query], types_[columns_.document],
                                             types_[columns_.number]);
    while (batches->rows() < rows && fetch()) {
        const size_t left = size_t((*batch_)->length) - taken_;
        const size_t count = std::min(left, rows - batches->rows());
        batches->add(batch_, taken_, taken_ + count);
        taken_ += count;
    }
    return batches;
}

WindowPtr ArrowReader::next(size_t rows) {
    const auto batches = pull(std::max<size_t>(rows, 1));
    return batches->rows() == 0 ? nullptr : std::make_shared<ArrowWindow>(batches);
}

WindowPtr ArrowReader::regrouped(unsigned threads) {
    return std::make_shared<RegroupedWindow>(pull(std::numeric_limits<size_t>::max()), threads);
}

}  // namespace idealist
