#include "write/arrow_output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

#include "base/columns.hpp"
#include "base/segments.hpp"

namespace idealist {

namespace {

constexpr size_t batch_rows = size_t(1) << 17;
constexpr size_t batch_text = size_t(1) << 30;  // well below what 32-bit offsets reach

// Each structure is released by itself: children by whoever consumes them, or with their parent.
template <class T>
void release_children(T* parent) {
    for (int64_t i = 0; i < parent->n_children; ++i) {
        if (parent->children[i]->release) parent->children[i]->release(parent->children[i]);
        delete parent->children[i];
    }
    delete[] parent->children;
}

void release_schema(ArrowSchema* schema) {
    release_children(schema);
    delete static_cast<std::string*>(schema->private_data);
    schema->release = nullptr;
}

void fill_schema(ArrowSchema* out, const char* format, const std::string& name) {
    *out = {};
    auto* kept = new std::string(name);
    out->format = format;
    out->name = kept->c_str();
    out->private_data = kept;
    out->release = release_schema;
}

// A column's memory.
struct Buffers {
    Column<int32_t> ends;
    Column<char> text;
    Column<double> numbers;
    const void* list[3] = {};
};

void release_array(ArrowArray* array) {
    release_children(array);
    delete static_cast<Buffers*>(array->private_data);
    array->release = nullptr;
}

ArrowArray* text_column(Column<int32_t> ends, Column<char> text, size_t rows) {
    auto* buffers = new Buffers{std::move(ends), std::move(text), {}, {}};
    if (buffers->text.empty()) buffers->text.reserve(1);
    buffers->list[1] = buffers->ends.data();
    buffers->list[2] = buffers->text.data();
    auto* array = new ArrowArray{};
    array->length = int64_t(rows);
    array->n_buffers = 3;
    array->buffers = buffers->list;
    array->private_data = buffers;
    array->release = release_array;
    return array;
}

ArrowArray* number_column(Column<double> numbers) {
    const auto rows = int64_t(numbers.size());
    auto* buffers = new Buffers{{}, {}, std::move(numbers), {}};
    if (rows == 0) buffers->numbers.reserve(1);
    buffers->list[1] = buffers->numbers.data();
    auto* array = new ArrowArray{};
    array->length = rows;
    array->n_buffers = 2;
    array->buffers = buffers->list;
    array->private_data = buffers;
    array->release = release_array;
    return array;
}

class Exporter {
  public:
    Exporter(RowOrder order, std::string number) : order_(std::move(order)), number_(std::move(number)) {}

    void schema(ArrowSchema* out) const {
        fill_schema(out, "+s", "");
        out->children = new ArrowSchema*[3]{};
        out->n_children = 3;
        const std::pair<const char*, std::string> columns[] = {
            {"u", "query"}, {"u", "document"}, {"g", number_}};
        for (size_t i = 0; i < 3; ++i) {
            out->children[i] = new ArrowSchema{};
            fill_schema(out->children[i], columns[i].first, columns[i].second);
        }
    }

    // An array that is released already says that there are no more.
    void next(ArrowArray* out) {
        *out = {};
        if (stretch_ == order_.stretches.size()) return;
        Column<int32_t> query_ends, document_ends;
        Column<char> query_text, document_text;
        Column<double> numbers;
        query_ends.push_back(0);
        document_ends.push_back(0);
        while (stretch_ < order_.stretches.size() && numbers.size() < batch_rows &&
               query_text.size() + document_text.size() < batch_text) {
            const Stretch& stretch = order_.stretches[stretch_];
            const Segment& segment = *stretch.segment;
            const uint32_t from = stretch.begin + row_;
            const size_t most = std::max<size_t>(1, batch_text / (stretch.query.size() + 1));
            const uint32_t to =
                uint32_t(std::min<size_t>(stretch.end, from + std::min(most, batch_rows - numbers.size())));
            const uint32_t text_begin = from == 0 ? 0 : segment.id_end[from - 1];
            const auto shift = int32_t(document_text.size());
            for (uint32_t row = from; row < to; ++row) {
                query_text.append(stretch.query.data(), stretch.query.size());
                query_ends.push_back(int32_t(query_text.size()));
                document_ends.push_back(int32_t(segment.id_end[row] - text_begin) + shift);
            }
            if (to > from) {
                document_text.append(segment.id_text.data() + text_begin,
                                     segment.id_end[to - 1] - text_begin);
            }
            numbers.append(segment.value.data() + from, to - from);
            row_ = to == stretch.end ? 0 : to - stretch.begin;
            stretch_ += to == stretch.end;
        }
        const size_t rows = numbers.size();
        out->length = int64_t(rows);
        out->n_buffers = 1;
        auto* buffers = new Buffers{};
        out->buffers = buffers->list;
        out->private_data = buffers;
        out->release = release_array;
        out->children = new ArrowArray*[3]{};
        out->children[0] = text_column(std::move(query_ends), std::move(query_text), rows);
        out->children[1] = text_column(std::move(document_ends), std::move(document_text), rows);
        out->children[2] = number_column(std::move(numbers));
        out->n_children = 3;
    }

    std::string error;

  private:
    RowOrder order_;
    std::string number_;
    size_t stretch_ = 0;
    uint32_t row_ = 0;
};

template <class Work>
int attempt(ArrowArrayStream* stream, Work&& work) {
    auto* exporter = static_cast<Exporter*>(stream->private_data);
    try {
        work(*exporter);
        return 0;
    } catch (const std::exception& failure) {
        exporter->error = failure.what();
        return ENOMEM;
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

void export_stream(RowOrder order, const std::string& number, ArrowArrayStream* out) {
    *out = {};
    out->private_data = new Exporter(std::move(order), number);
    out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
        return attempt(stream, [&](const Exporter& exporter) { exporter.schema(schema); });
    };
    out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
        return attempt(stream, [&](Exporter& exporter) { exporter.next(array); });
    };
    out->get_last_error = [](ArrowArrayStream* stream) -> const char* {
        return static_cast<Exporter*>(stream->private_data)->error.c_str();
    };
    out->release = [](ArrowArrayStream* stream) {
        delete static_cast<Exporter*>(stream->private_data);
        stream->release = nullptr;
    };
}

}  // namespace idealist
