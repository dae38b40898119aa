#include "write/arrow_output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/columns.hpp"
#include "base/segments.hpp"

namespace idealist {

namespace {

constexpr size_t batch_rows = size_t(1) << 17;

// Each structure is released by itself: children by whoever consumes them, or with their parent.
struct Schema {
    ArrowSchema columns[3] = {};
    ArrowSchema* list[3] = {&columns[0], &columns[1], &columns[2]};
};

void release_schema(ArrowSchema* schema) {
    auto* kept = static_cast<Schema*>(schema->private_data);
    for (ArrowSchema& column : kept->columns) {
        if (column.release) column.release(&column);
    }
    delete kept;
    schema->release = nullptr;
}

void release_name(ArrowSchema* schema) {
    delete static_cast<std::string*>(schema->private_data);
    schema->release = nullptr;
}

void fill_schema(ArrowSchema* out, const char* format, std::unique_ptr<std::string> name) noexcept {
    *out = {};
    out->format = format;
    out->name = name->c_str();
    out->private_data = name.release();
    out->release = release_name;
}

// A column's memory.
struct Buffers {
    Column<int32_t> ends;
    Column<char> text;
    Column<double> numbers;
    const void* list[3] = {};
};

void release_column(ArrowArray* array) {
    delete static_cast<Buffers*>(array->private_data);
    array->release = nullptr;
}

// Hands over what was made before, so that nothing can fail here.
void fill_column(ArrowArray* out, std::unique_ptr<Buffers> buffers, size_t rows) noexcept {
    *out = {};
    out->length = int64_t(rows);
    out->n_buffers = buffers->ends.empty() ? 2 : 3;
    out->buffers = buffers->list;
    out->private_data = buffers.release();
    out->release = release_column;
}

// Memory that is not empty, since nobody expects a column without any.
template <class T>
const void* some_memory(Column<T>& column) {
    column.reserve(1);
    return column.data();
}

std::unique_ptr<Buffers> text_column() {
    auto buffers = std::make_unique<Buffers>();
    buffers->ends.push_back(0);
    return buffers;
}

void settle(Buffers& buffers) {
    if (buffers.ends.empty()) {
        buffers.list[1] = some_memory(buffers.numbers);
    } else {
        buffers.list[1] = buffers.ends.data();
        buffers.list[2] = some_memory(buffers.text);
    }
}

// A batch: its columns can be taken out of it and outlive it.
struct Batch {
    ArrowArray columns[3] = {};
    ArrowArray* list[3] = {&columns[0], &columns[1], &columns[2]};
    const void* no_nulls[1] = {};
};

void release_batch(ArrowArray* array) {
    auto* batch = static_cast<Batch*>(array->private_data);
    for (ArrowArray& column : batch->columns) {
        if (column.release) column.release(&column);
    }
    delete batch;
    array->release = nullptr;
}

class Exporter {
  public:
    Exporter(RowOrder order, std::string number, size_t most_text)
        : order_(std::move(order)), number_(std::move(number)), most_text_(most_text) {}

    void schema(ArrowSchema* out) const {
        auto schema = std::make_unique<Schema>();
        const std::pair<const char*, std::string_view> columns[] = {
            {"u", "query"}, {"u", "document"}, {"g", number_}};
        std::unique_ptr<std::string> names[] = {std::make_unique<std::string>(columns[0].second),
                                                std::make_unique<std::string>(columns[1].second),
                                                std::make_unique<std::string>(columns[2].second)};
        for (size_t i = 0; i < 3; ++i)
            fill_schema(&schema->columns[i], columns[i].first, std::move(names[i]));
        *out = {};
        out->format = "+s";
        out->name = "";
        out->n_children = 3;
        out->children = schema->list;
        out->private_data = schema.release();
        out->release = release_schema;
    }

    // An array that is released already says that there are no more.
    void next(ArrowArray* out) {
        *out = {};
        if (stretch_ == order_.stretches.size()) return;
        auto queries = text_column(), documents = text_column(), numbers = std::make_unique<Buffers>();
        auto batch = std::make_unique<Batch>();
        // What is given out is counted when nothing can fail any more.
        size_t stretch_at = stretch_;
        uint32_t row_at = row_;
        while (stretch_at < order_.stretches.size() && numbers->numbers.size() < batch_rows) {
            const Stretch& stretch = order_.stretches[stretch_at];
            const uint32_t from = stretch.begin + row_at;
            const uint32_t to = end_of(stretch, from, batch_rows - numbers->numbers.size(),
                                       room(queries->text), room(documents->text));
            if (to == from && from != stretch.end) {
                if (!numbers->numbers.empty()) break;
                throw TooMuchText();
            }
            add(stretch, from, to, *queries, *documents, *numbers);
            row_at = to == stretch.end ? 0 : to - stretch.begin;
            stretch_at += to == stretch.end;
        }
        for (Buffers* column : {queries.get(), documents.get(), numbers.get()}) settle(*column);
        const size_t rows = numbers->numbers.size();
        fill_column(&batch->columns[0], std::move(queries), rows);
        fill_column(&batch->columns[1], std::move(documents), rows);
        fill_column(&batch->columns[2], std::move(numbers), rows);
        out->length = int64_t(rows);
        out->n_buffers = 1;
        out->buffers = batch->no_nulls;
        out->n_children = 3;
        out->children = batch->list;
        out->private_data = batch.release();
        out->release = release_batch;
        stretch_ = stretch_at;
        row_ = row_at;
    }

    const char* error = "";

  private:
    size_t room(const Column<char>& text) const { return most_text_ - std::min(most_text_, text.size()); }

    // The row behind the last that fits.
    static uint32_t end_of(const Stretch& stretch, uint32_t from, size_t rows, size_t query_room,
                           size_t document_room) {
        const Segment& segment = *stretch.segment;
        if (!stretch.query.empty()) rows = std::min(rows, query_room / stretch.query.size());
        const uint32_t most = uint32_t(std::min<size_t>(stretch.end, from + rows));
        const uint64_t text_end = (from == 0 ? 0 : uint64_t(segment.id_end[from - 1])) + document_room;
        const auto ends = segment.id_end.begin();
        return uint32_t(std::upper_bound(ends + from, ends + most, text_end) - ends);
    }

    static void add(const Stretch& stretch, uint32_t from, uint32_t to, Buffers& queries, Buffers& documents,
                    Buffers& numbers) {
        if (from == to) return;
        const Segment& segment = *stretch.segment;
        const uint32_t text_begin = from == 0 ? 0 : segment.id_end[from - 1];
        const auto shift = int32_t(documents.text.size());
        for (uint32_t row = from; row < to; ++row) {
            queries.text.append(stretch.query.data(), stretch.query.size());
            queries.ends.push_back(int32_t(queries.text.size()));
            documents.ends.push_back(int32_t(segment.id_end[row] - text_begin) + shift);
        }
        documents.text.append(segment.id_text.data() + text_begin, segment.id_end[to - 1] - text_begin);
        numbers.numbers.append(segment.value.data() + from, to - from);
    }

    RowOrder order_;
    std::string number_;
    size_t most_text_;
    size_t stretch_ = 0;
    uint32_t row_ = 0;
};

// Nothing may be thrown to those who call: they need not be C++.
template <class Work>
int attempt(ArrowArrayStream* stream, Work&& work) noexcept {
    auto* exporter = static_cast<Exporter*>(stream->private_data);
    try {
        work(*exporter);
        return 0;
    } catch (const TooMuchText&) {
        exporter->error = "an id takes more than a column of Arrow text holds, which is 2 GiB";
        return EINVAL;
    } catch (const std::bad_alloc&) {
        exporter->error = "there is not enough memory for a batch of rows";
        return ENOMEM;
    } catch (...) {
        exporter->error = "the rows could not be given to Arrow";
        return EIO;
    }
}

}  // namespace

RowOrder in_order(const std::shared_ptr<const Rows>& rows) {
    RowOrder order{rows, {}};
    for (size_t q = 0; q < rows->queries().size(); ++q) {
        rows->for_slices(q, [&](const Segment& segment, uint32_t begin, uint32_t end) {
            order.stretches.push_back({rows->queries()[q], &segment, begin, end});
        });
    }
    return order;
}

RowOrder in_order(const std::shared_ptr<const Segments>& segments) {
    RowOrder order{segments, {}};
    for (const Segment& segment : segments->list) {
        for (size_t g = 0; g < segment.groups.size(); ++g) {
            order.stretches.push_back(
                {segment.query(segment.groups[g]), &segment, segment.groups[g].begin, segment.group_end(g)});
        }
    }
    return order;
}

void export_stream(RowOrder order, const std::string& number, ArrowArrayStream* out, size_t most_text) {
    *out = {};
    out->private_data = new Exporter(std::move(order), number, most_text);
    out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
        return attempt(stream, [&](const Exporter& exporter) { exporter.schema(schema); });
    };
    out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
        return attempt(stream, [&](Exporter& exporter) { exporter.next(array); });
    };
    out->get_last_error = [](ArrowArrayStream* stream) -> const char* {
        return static_cast<Exporter*>(stream->private_data)->error;
    };
    out->release = [](ArrowArrayStream* stream) {
        delete static_cast<Exporter*>(stream->private_data);
        stream->release = nullptr;
    };
}

}  // namespace idealist
