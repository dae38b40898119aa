#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/problem.hpp"
#include "base/query_rows.hpp"
#include "base/rows.hpp"
#include "bind/bindings.hpp"
#include "bind/python_dicts.hpp"
#include "bind/python_text.hpp"
#include "bind/value_dicts.hpp"
#include "rank/match.hpp"
#include "rank/match_options.hpp"
#include "rank/places.hpp"
#include "read/text_pieces.hpp"
#include "read/trec_text.hpp"
#include "read/windows.hpp"
#include "write/canonical.hpp"
#include "write/text_output.hpp"

namespace idealist {

LineParserPtr lines_named(const std::string& name) {
    if (name == "judgments") return trec_lines(Layout::judgments);
    if (name == "run") return trec_lines(Layout::run);
    if (name == "ranks") return trec_lines(Layout::ranks);
    if (name == "groups") return trec_lines(Layout::groups);
    if (name == "preferences") return trec_lines(Layout::preferences);
    if (name == "strata") return trec_lines(Layout::strata);
    throw nb::value_error("layout must be 'judgments', 'run', 'ranks', 'groups', 'preferences' or 'strata'");
}

namespace {

RowsPtr read_lines(int descriptor, uint64_t size, nb::handle lines, unsigned threads) {
    FileWindow whole(descriptor, size, lines_of(lines), 0, piece_count(size));
    const nb::gil_scoped_release released;
    Gathering gathering(threads);
    gathering.add(whole);
    return std::make_shared<Rows>(gathering.finish(), threads);
}

const char* kind_name(Problem::Kind kind) {
    switch (kind) {
        case Problem::Kind::columns:
            return "columns";
        case Problem::Kind::not_a_number:
            return "not-a-number";
        case Problem::Kind::not_finite:
            return "not-finite";
        case Problem::Kind::not_exact:
            return "not-exact";
        case Problem::Kind::binary:
            return "binary";
        case Problem::Kind::too_long:
            return "too-long";
        case Problem::Kind::empty:
            return "empty";
        case Problem::Kind::open_quote:
            return "open-quote";
        case Problem::Kind::behind_quote:
            return "behind-quote";
        case Problem::Kind::not_json:
            return "not-json";
        case Problem::Kind::too_deep:
            return "too-deep";
        case Problem::Kind::missing:
            return "missing";
        case Problem::Kind::repeated:
            return "repeated";
        case Problem::Kind::repeated_query:
            return "repeated-query";
        case Problem::Kind::not_an_id:
            return "not-an-id";
        case Problem::Kind::no_text:
            return "no-text";
        case Problem::Kind::cut_short:
            return "cut-short";
        case Problem::Kind::not_utf8:
            return "not-utf8";
    }
    return "";
}

// The bytes of the queries from `query` on, and the first query that is not among them.
nb::tuple canonical_of(const Rows& rows, size_t query, size_t size, unsigned threads) {
    std::string bytes;
    {
        const nb::gil_scoped_release released;
        query = append_canonical(rows, query, size, threads, bytes);
    }
    return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()), query);
}

TextLayout text_layout(const std::string& name, const std::string& word) {
    using Form = TextLayout::Form;
    if (name == "trec-run") return {Form::trec_run, ' ', word};
    if (name == "trec-judgments") return {Form::trec_judgments, ' ', word};
    if (name == "csv") return {Form::delimited, ',', word};
    if (name == "tsv") return {Form::delimited, '\t', word};
    if (name == "json") return {Form::json, ',', word};
    if (name == "jsonl") return {Form::json_lines, ',', word};
    if (name == "msmarco") return {Form::msmarco, '\t', word};
    throw nb::value_error(
        "layout must be 'trec-run', 'trec-judgments', 'csv', 'tsv', 'json', 'jsonl' or 'msmarco'");
}

nb::object refused_of(const std::optional<Refused>& refused) {
    if (!refused) return nb::none();
    constexpr const char* names[] = {"query", "document", "number"};
    return nb::make_tuple(names[int(refused->what)], to_python(refused->query), to_python(refused->document));
}

// The text of the queries from `query` on, the first query that is not among them, and what cannot be
// written.
nb::tuple text_of(const Rows& rows, size_t query, size_t size, const std::string& layout,
                  const std::string& word, unsigned threads) {
    const TextLayout wanted = text_layout(layout, word);
    std::string text;
    std::optional<Refused> refused;
    {
        const nb::gil_scoped_release released;
        query = append_text(rows, query, size, wanted, threads, text, refused);
    }
    return nb::make_tuple(nb::bytes(text.data(), text.size()), query, refused_of(refused));
}

}  // namespace

nb::object to_python(const std::optional<Problem>& problem, uint64_t problems) {
    if (!problem) return nb::none();
    return nb::make_tuple(kind_name(problem->kind), problem->line, problem->columns, to_python(problem->text),
                          problems);
}

namespace {

nb::object problem_of(const Rows& rows) { return to_python(rows.problem(), rows.problems()); }

nb::object duplicate_of(const Rows& rows) {
    if (!rows.duplicate()) return nb::none();
    const Duplicate& duplicate = *rows.duplicate();
    return nb::make_tuple(to_python(duplicate.query), to_python(duplicate.document), duplicate.first_line,
                          duplicate.second_line, rows.duplicates());
}

std::optional<size_t> query_at(const Rows& rows, nb::str query) {
    const std::optional<std::string> text = to_text(query);
    return text ? rows.find(*text) : std::nullopt;
}

nb::object documents_of(const Rows& rows, nb::str query) {
    const auto at = query_at(rows, query);
    if (!at) return nb::none();
    nb::dict result;
    std::vector<double> scratch;
    const QueryRows its_rows = rows.query_rows(*at);
    const double* values = its_rows.values(scratch);
    for (size_t i = 0; i < its_rows.size(); ++i) result[to_python(its_rows.id(i))] = values[i];
    return result;
}

nb::list ranking_of(const Rows& rows, nb::str query, const MatchOptions& options) {
    nb::list result;
    const auto at = query_at(rows, query);
    if (!at) return result;
    const QueryRows its_rows = rows.query_rows(*at);
    for (const uint32_t row : ranked_rows(rows, *at, options)) result.append(to_python(its_rows.id(row)));
    return result;
}

// The first documents and their scores as they are compared, with all that are tied with the last of them.
nb::list top_of(const Rows& rows, nb::str query, const MatchOptions& options, size_t most) {
    nb::list result;
    const std::optional<size_t> at = query_at(rows, query);
    if (!at) return result;
    const QueryRows its_rows = rows.query_rows(*at);
    std::vector<double> scratch;
    const double* scores = its_rows.values(scratch);
    for (const uint32_t row : ranked_rows(rows, *at, options, most)) {
        result.append(nb::make_tuple(to_python(its_rows.id(row)), options.compared(scores[row])));
    }
    return result;
}

nb::dict by_query(nb::iterable queries, const Rows& judgments, const std::vector<nb::str>& names,
                  const std::vector<const Values*>& columns) {
    std::vector<const Numbers*> numbers;
    for (const Values* column : columns) numbers.push_back(&column->numbers);
    return values_by_query(std::move(queries), judgments, names, numbers);
}

}  // namespace

void bind_rows(Module& m) {
    Class<Rows>(m, "Rows")
        .def("__len__", &Rows::size)
        .def("queries", [](const Rows& rows) { return names(rows.queries()); })
        .def("query_count", [](const Rows& rows) { return rows.queries().size(); })
        .def("__contains__",
             [](const Rows& rows, nb::str query) { return query_at(rows, query).has_value(); })
        .def("documents", documents_of)
        .def("ranking", ranking_of)
        .def("top", top_of)
        .def("equals", &Rows::equals, Unlocked())
        .def("canonical", canonical_of)
        .def("text", text_of)
        .def_prop_ro("problem", problem_of)
        .def_prop_ro("duplicate", duplicate_of);
    m.def("read_file", read_lines);
    m.def("rows_from_dict", rows_from_dict);
    m.def("values_by_query", by_query);
}

}  // namespace idealist
