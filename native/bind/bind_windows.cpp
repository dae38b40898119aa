#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/rows.hpp"
#include "base/segments.hpp"
#include "bind/bindings.hpp"
#include "bind/python_text.hpp"
#include "rank/match_options.hpp"
#include "rank/stream.hpp"
#include "read/array_window.hpp"
#include "read/arrow_input.hpp"
#include "read/list_window.hpp"
#include "read/partition.hpp"
#include "read/windows.hpp"
#include "write/arrow_output.hpp"

namespace idealist {

namespace {

const char* stream_name = "arrow_array_stream";

// A stream of rows in a capsule, for whoever speaks Arrow.
nb::object capsule_of(RowOrder order, const std::string& number, size_t most_text = most_batch_text) {
    if (most_text > most_batch_text) throw nb::value_error("a batch has at most 2 GiB of text");
    auto stream = std::make_unique<ArrowArrayStream>();
    export_stream(std::move(order), number, stream.get(), most_text);
    PyObject* capsule = PyCapsule_New(stream.get(), stream_name, [](PyObject* object) {
        auto* held = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(object, stream_name));
        if (!held) return PyErr_Clear();
        if (held->release) held->release(held);
        delete held;
    });
    if (!capsule) {
        stream->release(stream.get());
        nb::raise_python_error();
    }
    stream.release();
    return nb::steal(capsule);
}

void make_reader(ArrowReader* self, nb::object capsule) {
    auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), stream_name));
    if (!stream) nb::raise_python_error();
    if (!stream->release) throw nb::value_error("the Arrow stream has already been read");
    const nb::gil_scoped_release released;
    new (self) ArrowReader(stream);
}

const char* stop_name(Stop why) {
    switch (why) {
        case Stop::bad_row:
            return "bad-row";
        case Stop::duplicate:
            return "duplicate";
        case Stop::scattered:
            return "scattered";
    }
    return "";
}

nb::object finish_stream(Stream& stream) {
    Streamed streamed;
    {
        const nb::gil_scoped_release released;
        streamed = stream.finish();
    }
    if (!streamed.rankings) return nb::none();
    return nb::make_tuple(streamed.rankings, streamed.run_queries, streamed.rows);
}

WindowPtr cut_text(TextCutter& cutter, nb::bytes block) {
    const std::string_view text(block.c_str(), block.size());
    const nb::gil_scoped_release released;
    return cutter.cut(text);
}

template <class T>
using Numbers1D = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Numbers1D<T>& array) {
    return {array.data(), array.size()};
}

// The rows of arrays, copied.
RowsPtr rows_from_arrays(const Numbers1D<int64_t>& sizes, const Numbers1D<int64_t>& documents,
                         const Numbers1D<double>& values, const std::vector<nb::str>& query_names,
                         const std::vector<nb::str>& document_names, unsigned threads) {
    auto texts = [](const std::vector<nb::str>& names) {
        std::vector<std::string> list;
        for (const nb::str& name : names) {
            auto text = to_text(name);
            if (!text) throw nb::value_error("a name cannot be encoded as UTF-8");
            list.push_back(std::move(*text));
        }
        return list;
    };
    ArrayWindow window(span_of(sizes), span_of(documents), span_of(values), texts(query_names),
                       texts(document_names));
    const nb::gil_scoped_release released;
    Gathering gathering(threads);
    gathering.add(window);
    return std::make_shared<Rows>(gathering.finish(), threads);
}

// Rows as (line, query, document, value).
WindowPtr list_window(const nb::list& triples, uint64_t before) {
    std::vector<ListedRow> rows;
    rows.reserve(triples.size());
    for (const nb::handle row : triples) {
        auto query = to_text(row[1]), document = to_text(row[2]);
        if (!query || !document) throw nb::value_error("an id cannot be encoded as UTF-8");
        rows.push_back(
            {nb::cast<uint64_t>(row[0]), std::move(*query), std::move(*document), nb::cast<double>(row[3])});
    }
    return std::make_shared<ListWindow>(std::move(rows), before);
}

RowsPtr rows_of(Gathering& gathering, unsigned threads) {
    return std::make_shared<Rows>(gathering.finish(), threads);
}

}  // namespace

void bind_windows(Module& m) {
    Class<Window>(m, "Window");
    Class<TextCutter>(m, "TextCutter")
        .def("__init__", [](TextCutter* self, nb::handle lines) { new (self) TextCutter(lines_of(lines)); })
        .def("cut", cut_text)
        .def("finish", &TextCutter::finish, Unlocked());
    m.def("file_window",
          [](int descriptor, uint64_t size, nb::handle lines, size_t begin, size_t end) -> WindowPtr {
              return std::make_shared<FileWindow>(descriptor, size, lines_of(lines), begin, end);
          });
    m.def("list_window", list_window);
    Class<Feed>(m, "Feed")
        .def("__init__", [](Feed* self, nb::handle lines) { new (self) Feed(lines_of(lines)); })
        .def("add",
             [](Feed& feed, nb::bytes block) {
                 const std::string_view text(block.c_str(), block.size());
                 const nb::gil_scoped_release released;
                 feed.add(text);
             })
        .def(
            "finish",
            [](Feed& feed, unsigned threads) { return std::make_shared<Rows>(feed.finish(), threads); },
            Unlocked());
    m.def("piece_count", piece_count);
    Class<ArrowReader>(m, "ArrowReader")
        .def("__init__", make_reader)
        .def_prop_ro("names", &ArrowReader::names)
        .def_prop_ro("formats", &ArrowReader::formats)
        .def("choose", [](ArrowReader& reader, size_t query, size_t document, size_t number, bool negated,
                          bool finite) { reader.choose({query, document, number, negated, finite}); })
        .def("keep", &ArrowReader::keep)
        .def("rewind", &ArrowReader::rewind)
        .def("next", &ArrowReader::next, Unlocked())
        .def("regrouped", &ArrowReader::regrouped, Unlocked());
    Class<Gathering>(m, "Gathering")
        .def(nb::init<unsigned>())
        .def("add", &Gathering::add, Unlocked())
        .def("__len__", &Gathering::rows)
        .def("rows", rows_of, Unlocked())
        .def("arrow", [](Gathering& gathering, const std::string& number) {
            auto segments = std::make_shared<const Segments>(gathering.finish());
            return capsule_of(in_order(segments), number);
        });
    Class<Stream>(m, "Stream")
        .def("__init__", [](Stream* self, const RowsPtr& judgments, const MatchOptions& options,
                            unsigned threads) { new (self) Stream(judgments, options, threads); })
        .def("add", &Stream::add, Unlocked())
        .def("add_queries", &Stream::add_queries, Unlocked())
        .def("__len__", &Stream::rows)
        .def_prop_ro("infinite", &Stream::infinite)
        .def_prop_ro("stopped",
                     [](const Stream& stream) -> std::optional<std::string> {
                         if (!stream.stopped()) return std::nullopt;
                         return stop_name(*stream.stopped());
                     })
        .def("finish", finish_stream);
    Class<Partitions>(m, "Partitions")
        .def(nb::init<std::vector<int>, unsigned>())
        .def("add", &Partitions::add, Unlocked())
        .def("finish", &Partitions::finish, Unlocked())
        .def("__len__", &Partitions::rows)
        .def_prop_ro("problem", [](const Partitions& p) { return to_python(p.problem(), p.problems()); });
    m.def(
        "read_part",
        [](int descriptor, unsigned threads) {
            return std::make_shared<Rows>(read_part(descriptor), threads);
        },
        Unlocked());
    m.def("rows_from_arrays", rows_from_arrays);
    m.def(
        "arrow_of",
        [](const std::shared_ptr<Rows>& rows, const std::string& number, size_t most_text) {
            return capsule_of(in_order(std::shared_ptr<const Rows>(rows)), number, most_text);
        },
        nb::arg(), nb::arg(), nb::arg("most_text") = most_batch_text);
}

}  // namespace idealist
