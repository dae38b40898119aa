// The extension's face: checks, releases the GIL, and keeps the names that Python uses.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "dense.hpp"
#include "kernels.hpp"
#include "match.hpp"
#include "python_dicts.hpp"
#include "rows.hpp"
#include "stream.hpp"
#include "trec_text.hpp"

namespace idealist {

namespace {

using RowsPtr = std::shared_ptr<Rows>;
using RankingsPtr = std::shared_ptr<Rankings>;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// One number per query.
struct Values {
    Numbers numbers;
};

// A measure's number and its arithmetic; division by zero is undefined, and undefined is nan.
template <class Operation>
Values combine(const Values& a, const Values& b, Operation operation) {
    if (a.numbers.size() != b.numbers.size()) throw nb::value_error("values of different queries");
    Values result{Numbers(a.numbers.size())};
    for (size_t i = 0; i < a.numbers.size(); ++i) result.numbers[i] = operation(a.numbers[i], b.numbers[i]);
    return result;
}

template <class Operation>
Values each(const Values& a, Operation operation) {
    Values result{Numbers(a.numbers.size())};
    for (size_t i = 0; i < a.numbers.size(); ++i) result.numbers[i] = operation(a.numbers[i]);
    return result;
}

double quotient(double a, double b) { return b == 0 ? std::nan("") : a / b; }

// A part of a whole. Sums of the same numbers in another order may differ in the last bits; the share
// must not pass 1 for that.
double share_of(double part, double whole) {
    const double share = quotient(part, whole);
    return share > 1 && share < 1 + 1e-9 ? 1.0 : share;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    Numbers& numbers = nb::inst_ptr<Values>(self)->numbers;
    const auto bytes = Py_ssize_t(numbers.size() * sizeof(double));
    if (PyBuffer_FillInfo(view, self, numbers.data(), bytes, 1, flags) < 0) return -1;
    view->itemsize = sizeof(double);
    if (flags & PyBUF_FORMAT) view->format = const_cast<char*>("d");
    if (flags & PyBUF_ND) view->shape = new Py_ssize_t(Py_ssize_t(numbers.size()));
    return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete view->shape; }

PyType_Slot value_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                             {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                             {0, nullptr}};

Layout layout_named(const std::string& name) {
    if (name == "judgments") return Layout::judgments;
    if (name == "run") return Layout::run;
    throw nb::value_error("layout is 'judgments' or 'run'");
}

Ties ties_named(const std::string& name) {
    if (name == "id-descending") return Ties::id_descending;
    if (name == "id-ascending") return Ties::id_ascending;
    if (name == "input-order") return Ties::input_order;
    if (name == "averaged") return Ties::averaged;
    if (name == "optimistic") return Ties::optimistic;
    if (name == "pessimistic") return Ties::pessimistic;
    throw nb::value_error("unknown rule for ties");
}

uint32_t rank_limit(std::optional<uint64_t> k) {
    return uint32_t(std::min<uint64_t>(k.value_or(all_ranks), all_ranks));
}

RowsPtr read_trec(int descriptor, uint64_t size, const std::string& layout, unsigned threads) {
    const Layout wanted = layout_named(layout);
    const nb::gil_scoped_release released;
    return std::make_shared<Rows>(read_file(descriptor, size, wanted, threads), threads);
}

nb::object match_trec(int descriptor, uint64_t size, const std::shared_ptr<const Rows>& judgments,
                      const MatchOptions& options, unsigned threads) {
    std::optional<Streamed> streamed;
    {
        const nb::gil_scoped_release released;
        streamed = match_file(descriptor, size, judgments, options, threads);
    }
    if (!streamed) return nb::none();
    return nb::make_tuple(streamed->rankings, streamed->run_queries);
}

const char* kind_name(Problem::Kind kind) {
    switch (kind) {
        case Problem::Kind::columns:
            return "columns";
        case Problem::Kind::not_a_number:
            return "not-a-number";
        case Problem::Kind::not_finite:
            return "not-finite";
        case Problem::Kind::binary:
            return "binary";
        case Problem::Kind::too_long:
            return "too-long";
    }
    return "";
}

nb::object problem_of(const Rows& rows) {
    if (!rows.problem()) return nb::none();
    const Problem& problem = *rows.problem();
    return nb::make_tuple(kind_name(problem.kind), problem.line, problem.columns, to_python(problem.text),
                          rows.problems());
}

nb::object duplicate_of(const Rows& rows) {
    if (!rows.duplicate()) return nb::none();
    const Duplicate& duplicate = *rows.duplicate();
    return nb::make_tuple(to_python(duplicate.query), to_python(duplicate.document), duplicate.first_line,
                          duplicate.second_line, rows.duplicates());
}

nb::list names(const std::vector<std::string_view>& texts) {
    nb::list result;
    for (const std::string_view text : texts) result.append(to_python(text));
    return result;
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

// The chosen grades are in rank order; None is an unjudged document.
RankingsPtr rank_lists(const std::vector<std::vector<std::optional<double>>>& lists,
                       const std::vector<std::vector<double>>& judged, const MatchOptions& options) {
    if (lists.size() != judged.size()) throw nb::value_error("as many judged lists as lists are needed");
    struct Numbered {
        std::vector<std::string> text;
        std::vector<std::string_view> names;
    };
    std::vector<RankingsBuilder> parts;
    RankingsBuilder& out = parts.emplace_back(options);
    auto numbered = std::make_shared<Numbered>();
    std::vector<Hit> hits;
    for (size_t q = 0; q < lists.size(); ++q) {
        auto skipped = [&](double grade) { return options.negative_unjudged && grade < 0; };
        hits.clear();
        for (size_t i = 0; i < lists[q].size(); ++i) {
            if (!lists[q][i] || skipped(*lists[q][i])) continue;
            const size_t rank = options.remove_unjudged ? hits.size() + 1 : i + 1;
            hits.push_back({0, *lists[q][i], {}, uint32_t(rank), 1});
        }
        std::vector<double> grades;
        for (const double grade : judged[q]) {
            if (!skipped(grade)) grades.push_back(grade);
        }
        out.add(uint32_t(lists[q].size()), false, hits, grades);
        numbered->text.push_back(std::to_string(q));
    }
    numbered->names.assign(numbered->text.begin(), numbered->text.end());
    auto rankings = gather_in_order(parts, options, 1);
    rankings->names = QueryNames(numbered, &numbered->names);
    return rankings;
}

using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Score>
RankingsPtr rank_with_scores(const Matrix& scores, const Matrix& grades, const MatchOptions& options,
                             unsigned threads) {
    auto rank = [&]<class Grade>(const Grade* its_grades) {
        const size_t rows = scores.shape(0), columns = scores.shape(1);
        const auto* its_scores = static_cast<const Score*>(scores.data());
        const nb::gil_scoped_release released;
        return rank_dense(its_scores, its_grades, rows, columns, options, threads);
    };
    if (grades.dtype() == nb::dtype<double>()) return rank(static_cast<const double*>(grades.data()));
    if (grades.dtype() == nb::dtype<float>()) return rank(static_cast<const float*>(grades.data()));
    if (grades.dtype() == nb::dtype<int64_t>()) return rank(static_cast<const int64_t*>(grades.data()));
    if (grades.dtype() == nb::dtype<int32_t>()) return rank(static_cast<const int32_t*>(grades.data()));
    throw nb::type_error("grades are float64, float32, int64 or int32");
}

RankingsPtr rank_matrix(const Matrix& scores, const Matrix& grades, const MatchOptions& options,
                        unsigned threads) {
    if (scores.shape(0) != grades.shape(0) || scores.shape(1) != grades.shape(1)) {
        throw nb::value_error("scores and grades differ in shape");
    }
    if (scores.dtype() == nb::dtype<double>())
        return rank_with_scores<double>(scores, grades, options, threads);
    if (scores.dtype() == nb::dtype<float>())
        return rank_with_scores<float>(scores, grades, options, threads);
    throw nb::type_error("scores are float64 or float32");
}

uint64_t judged_count(const Rankings& rankings, size_t query) {
    uint64_t count = 0;
    for (size_t i = rankings.judged_begin[query]; i < rankings.judged_begin[query + 1]; ++i) {
        count += rankings.judged_count[i];
    }
    return count;
}

// The highest rank any list or its ideal has.
uint64_t longest(const Rankings& rankings) {
    uint64_t longest = 0;
    for (size_t q = 0; q < rankings.queries(); ++q) {
        longest = std::max({longest, uint64_t(rankings.retrieved[q]), judged_count(rankings, q)});
    }
    return longest;
}

// The distinct judged grades, lowest first. They are few as a rule, and then no sort is needed.
std::vector<double> levels(const Rankings& rankings) {
    constexpr size_t few = 256;
    std::vector<double> found;
    for (const double grade : rankings.judged_grade) {
        const auto at = std::lower_bound(found.begin(), found.end(), grade);
        if (at != found.end() && *at == grade) continue;
        found.insert(at, grade);
        if (found.size() > few) {
            found.assign(rankings.judged_grade.begin(), rankings.judged_grade.end());
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
            break;
        }
    }
    return found;
}

double highest_grade(const Rankings& rankings) {
    double highest = 0;
    for (const double grade : rankings.judged_grade) highest = std::max(highest, grade);
    return highest;
}

nb::tuple one_query(const Rankings& rankings, size_t query) {
    if (query >= rankings.queries()) throw nb::index_error();
    nb::list ranks, grades, judged;
    for (size_t i = rankings.hit_begin[query]; i < rankings.hit_begin[query + 1]; ++i) {
        ranks.append(rankings.rank[i]);
        grades.append(rankings.grade[i]);
    }
    for (size_t i = rankings.judged_begin[query]; i < rankings.judged_begin[query + 1]; ++i) {
        for (uint32_t j = 0; j < rankings.judged_count[i]; ++j) judged.append(rankings.judged_grade[i]);
    }
    return nb::make_tuple(rankings.retrieved[query], ranks, grades, judged);
}

bool same_rankings(const Rankings& a, const Rankings& b) {
    auto same = [](const auto& x, const auto& y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end());
    };
    return *a.names == *b.names && a.depth == b.depth && a.retrieved == b.retrieved &&
           a.missing == b.missing && a.hit_begin == b.hit_begin && a.judged_begin == b.judged_begin &&
           same(a.rank, b.rank) && same(a.grade, b.grade) && same(a.tied, b.tied) &&
           same(a.judged_grade, b.judged_grade) && same(a.judged_count, b.judged_count);
}

template <class Predicate>
std::vector<size_t> where(const Rankings& rankings, Predicate holds) {
    std::vector<size_t> found;
    for (size_t q = 0; q < rankings.queries(); ++q) {
        if (holds(q)) found.push_back(q);
    }
    return found;
}

Gain make_gain(const std::string& kind, bool negative_counts, std::vector<std::pair<double, double>> table) {
    Gain gain;
    gain.negative_counts = negative_counts;
    if (kind == "exp") {
        gain.kind = Gain::Kind::exponential;
    } else if (kind == "table") {
        gain.kind = Gain::Kind::table;
        gain.table = std::move(table);
        std::sort(gain.table.begin(), gain.table.end());
    } else if (kind != "linear") {
        throw nb::value_error("gain is 'linear', 'exp' or 'table'");
    }
    return gain;
}

void check_discounts(const Rankings& rankings, const std::vector<double>& discounts, uint32_t k) {
    if (discounts.size() < std::min<uint64_t>(k, longest(rankings))) {
        throw nb::value_error("fewer discounts than ranks");
    }
}

void bind_values(nb::module_& m) {
    nb::class_<Values>(m, "Values", nb::type_slots(value_slots))
        .def("__init__", [](Values* self, Numbers numbers) { new (self) Values{std::move(numbers)}; })
        .def("__len__", [](const Values& v) { return v.numbers.size(); })
        .def("__getitem__",
             [](const Values& v, Py_ssize_t i) {
                 if (i < 0) i += Py_ssize_t(v.numbers.size());
                 if (i < 0 || size_t(i) >= v.numbers.size()) throw nb::index_error();
                 return v.numbers[size_t(i)];
             })
        .def("__add__", [](const Values& a, const Values& b) { return combine(a, b, std::plus<double>()); })
        .def("__add__", [](const Values& a, double b) { return each(a, [b](double x) { return x + b; }); })
        .def("__sub__", [](const Values& a, const Values& b) { return combine(a, b, std::minus<double>()); })
        .def("__mul__",
             [](const Values& a, const Values& b) { return combine(a, b, std::multiplies<double>()); })
        .def("__mul__", [](const Values& a, double b) { return each(a, [b](double x) { return x * b; }); })
        .def("__truediv__", [](const Values& a, const Values& b) { return combine(a, b, quotient); })
        .def("__truediv__",
             [](const Values& a, double b) { return each(a, [b](double x) { return quotient(x, b); }); })
        .def("share_of", [](const Values& a, const Values& b) { return combine(a, b, share_of); })
        .def("where_positive",
             [](const Values& a, const Values& condition) {
                 return combine(a, condition, [](double x, double c) { return c > 0 ? x : std::nan(""); });
             })
        .def("filled",
             [](const Values& a, double undefined) {
                 return each(a, [undefined](double x) { return std::isnan(x) ? undefined : x; });
             })
        .def("without",
             [](const Values& a, const std::vector<size_t>& queries) {
                 Values kept = a;
                 for (const size_t query : queries) kept.numbers.at(query) = std::nan("");
                 return kept;
             })
        .def("first_undefined",
             [](const Values& a) -> std::optional<size_t> {
                 for (size_t i = 0; i < a.numbers.size(); ++i) {
                     if (std::isnan(a.numbers[i])) return i;
                 }
                 return std::nullopt;
             })
        .def("count",
             [](const Values& a) {
                 return std::count_if(a.numbers.begin(), a.numbers.end(),
                                      [](double x) { return !std::isnan(x); });
             })
        .def("sum", [](const Values& a) {
            double sum = 0;
            for (const double x : a.numbers) sum += std::isnan(x) ? 0 : x;
            return sum;
        });
}

void bind_rows(nb::module_& m) {
    nb::class_<Rows>(m, "Rows")
        .def("__len__", &Rows::size)
        .def("queries", [](const Rows& rows) { return names(rows.queries()); })
        .def("query_count", [](const Rows& rows) { return rows.queries().size(); })
        .def("__contains__",
             [](const Rows& rows, nb::str query) { return query_at(rows, query).has_value(); })
        .def("documents", documents_of)
        .def("ranking", ranking_of)
        .def("equals", &Rows::equals, Unlocked())
        .def_prop_ro("tag", [](const Rows& rows) { return to_python(rows.tag()); })
        .def_prop_ro("problem", problem_of)
        .def_prop_ro("duplicate", duplicate_of);
    nb::class_<Feed>(m, "Feed")
        .def("__init__", [](Feed* self, const std::string& layout) { new (self) Feed(layout_named(layout)); })
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
    m.def("read_file", read_trec);
    m.def("rows_from_dict", rows_from_dict);
}

void bind_rankings(nb::module_& m) {
    nb::class_<MatchOptions>(m, "MatchOptions")
        .def(
            "__init__",
            [](MatchOptions* self, const std::string& ties, bool remove_unjudged, bool single_precision,
               bool negative_unjudged, std::optional<uint64_t> depth) {
                new (self) MatchOptions{ties_named(ties), remove_unjudged, single_precision,
                                        negative_unjudged, rank_limit(depth)};
            },
            nb::arg("ties"), nb::arg("remove_unjudged"), nb::arg("single_precision"),
            nb::arg("negative_unjudged"), nb::arg("depth").none());
    nb::class_<Rankings>(m, "Rankings")
        .def("__len__", &Rankings::queries)
        .def("__eq__", [](const Rankings& a, const Rankings& b) { return same_rankings(a, b); })
        .def("queries", [](const Rankings& r) { return names(*r.names); })
        .def("name", [](const Rankings& r, size_t query) { return to_python(r.names->at(query)); })
        .def("query", one_query)
        .def("longest", longest)
        .def("levels", levels)
        .def("highest_grade", highest_grade)
        .def("missing",
             [](const Rankings& r) { return where(r, [&](size_t q) { return r.missing[q] != 0; }); })
        .def("empty", [](const Rankings& r) {
            return where(r, [&](size_t q) {
                const size_t first = r.judged_begin[q];
                return first == r.judged_begin[q + 1] || !(r.judged_grade[first] > 0);
            });
        });
    m.def("match", match, Unlocked());
    m.def("match_dict", match_dict);
    m.def("match_file", match_trec);
    m.def("rank_lists", rank_lists);
    m.def("rank_matrix", rank_matrix);
}

void bind_kernels(nb::module_& m) {
    nb::class_<Gain>(m, "Gain").def("__init__", [](Gain* self, const std::string& kind, bool negative_counts,
                                                   std::vector<std::pair<double, double>> table) {
        new (self) Gain(make_gain(kind, negative_counts, std::move(table)));
    });
    m.def(
        "discounted_gains",
        [](const Rankings& r, const Gain& gain, const std::vector<double>& discounts,
           std::optional<uint64_t> k, unsigned threads) {
            check_discounts(r, discounts, rank_limit(k));
            return Values{discounted_gains(r, gain, discounts, rank_limit(k), threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def(
        "ideal_gains",
        [](const Rankings& r, const Gain& gain, const std::vector<double>& discounts,
           std::optional<uint64_t> k, bool retrieved_only, unsigned threads) {
            check_discounts(r, discounts, rank_limit(k));
            return Values{ideal_gains(r, gain, discounts, rank_limit(k), retrieved_only, threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
    m.def(
        "hits",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{hits(r, level, {rank_limit(k), nullptr}, threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def(
        "hits_within",
        [](const Rankings& r, double level, const Values& k, unsigned threads) {
            if (k.numbers.size() != r.queries()) throw nb::value_error("a cut-off for every query is needed");
            return Values{hits(r, level, {all_ranks, &k.numbers}, threads)};
        },
        Unlocked());
    m.def(
        "any_hit",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{any_hit(r, level, rank_limit(k), threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def(
        "reciprocal_rank",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{reciprocal_rank(r, level, rank_limit(k), threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def(
        "precision_sum",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{precision_sum(r, level, rank_limit(k), threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def("relevant", [](const Rankings& r, double level) { return Values{relevant(r, level)}; }, Unlocked());
    m.def(
        "retrieved",
        [](const Rankings& r, std::optional<uint64_t> k) { return Values{retrieved(r, rank_limit(k))}; },
        Unlocked(), nb::arg(), nb::arg().none());
}

}  // namespace

}  // namespace idealist

NB_MODULE(_native, m) {
    using namespace idealist;
    nb::exception<FileChanged>(m, "FileChanged", PyExc_OSError);
    nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
        try {
            std::rethrow_exception(pointer);
        } catch (const ReadFailed& failed) {
            errno = failed.code;
            PyErr_SetFromErrno(PyExc_OSError);
        } catch (const BadCell& cell) {
            PyErr_Format(PyExc_ValueError, "row %zu, column %zu: the %s is not a number", cell.row,
                         cell.column, cell.is_score ? "score" : "grade");
        }
    });
    bind_values(m);
    bind_rows(m);
    bind_rankings(m);
    bind_kernels(m);
}
