#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/bindings.hpp"
#include "bind/python_dicts.hpp"
#include "bind/python_text.hpp"
#include "rank/dense.hpp"
#include "rank/match.hpp"
#include "rank/match_options.hpp"
#include "rank/packing.hpp"
#include "rank/rankings.hpp"
#include "rank/rankings_builder.hpp"
#include "rank/ties.hpp"

namespace idealist {

namespace {

Ties ties_named(const std::string& name) {
    if (name == "id-descending") return Ties::id_descending;
    if (name == "id-ascending") return Ties::id_ascending;
    if (name == "input-order") return Ties::input_order;
    if (name == "averaged") return Ties::averaged;
    if (name == "optimistic") return Ties::optimistic;
    if (name == "pessimistic") return Ties::pessimistic;
    throw nb::value_error(
        "ties must be 'id-descending', 'id-ascending', 'input-order', 'averaged', 'optimistic' or "
        "'pessimistic'");
}

// The chosen grades are in rank order; None is an unjudged document.
RankingsPtr rank_lists(const std::vector<std::vector<std::optional<double>>>& lists,
                       const std::vector<std::vector<double>>& judged, const MatchOptions& options) {
    if (lists.size() != judged.size())
        throw nb::value_error("the number of judged lists differs from the number of lists");
    std::vector<RankingsBuilder> parts;
    RankingsBuilder& out = parts.emplace_back(options);
    std::vector<Hit> hits;
    for (size_t q = 0; q < lists.size(); ++q) {
        hits.clear();
        for (size_t i = 0; i < lists[q].size(); ++i) {
            if (!lists[q][i] || options.skips(*lists[q][i])) continue;
            const size_t rank = options.remove_unjudged ? hits.size() + 1 : i + 1;
            hits.push_back({0, *lists[q][i], {}, uint32_t(rank), 1});
        }
        std::vector<double> grades;
        for (const double grade : judged[q]) {
            if (!options.skips(grade)) grades.push_back(grade);
        }
        out.add(uint32_t(lists[q].size()), false, hits, grades);
    }
    auto rankings = gather_in_order(parts, options, 1);
    rankings->names = numbered(lists.size());
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
    throw nb::type_error("grades must be float64, float32, int64 or int32");
}

RankingsPtr rank_matrix(const Matrix& scores, const Matrix& grades, const MatchOptions& options,
                        unsigned threads) {
    if (scores.shape(0) != grades.shape(0) || scores.shape(1) != grades.shape(1)) {
        throw nb::value_error("scores and grades have different shapes");
    }
    if (scores.dtype() == nb::dtype<double>())
        return rank_with_scores<double>(scores, grades, options, threads);
    if (scores.dtype() == nb::dtype<float>())
        return rank_with_scores<float>(scores, grades, options, threads);
    throw nb::type_error("scores must be float64 or float32");
}

// The distinct judged grades, lowest first. They are few as a rule, and then no sort is needed.
std::vector<double> levels(const Rankings& rankings) {
    constexpr size_t few = 256;
    std::vector<double> distinct;
    for (const double grade : rankings.judged_grade) {
        const auto at = std::lower_bound(distinct.begin(), distinct.end(), grade);
        if (at != distinct.end() && *at == grade) continue;
        distinct.insert(at, grade);
        if (distinct.size() > few) {
            distinct.assign(rankings.judged_grade.begin(), rankings.judged_grade.end());
            std::sort(distinct.begin(), distinct.end());
            distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
            break;
        }
    }
    return distinct;
}

double highest_grade(const Rankings& rankings) {
    double highest = 0;
    for (const double grade : rankings.judged_grade) highest = std::max(highest, grade);
    return highest;
}

nb::tuple one_query(const Rankings& rankings, size_t query) {
    refuse_beyond(query, rankings.queries());
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
    std::vector<size_t> matching;
    for (size_t q = 0; q < rankings.queries(); ++q) {
        if (holds(q)) matching.push_back(q);
    }
    return matching;
}

uint64_t judged_count(const Rankings& rankings, size_t query) {
    uint64_t count = 0;
    for (size_t i = rankings.judged_begin[query]; i < rankings.judged_begin[query + 1]; ++i) {
        count += rankings.judged_count[i];
    }
    return count;
}

}  // namespace

uint64_t longest(const Rankings& rankings) {
    uint64_t longest = 0;
    for (size_t q = 0; q < rankings.queries(); ++q) {
        longest = std::max({longest, uint64_t(rankings.retrieved[q]), judged_count(rankings, q)});
    }
    return longest;
}

void bind_rankings(Module& m) {
    Class<MatchOptions>(m, "MatchOptions")
        .def(
            "__init__",
            [](MatchOptions* self, const std::string& ties, bool remove_unjudged, bool single_precision,
               bool negative_unjudged, std::optional<uint64_t> depth) {
                new (self) MatchOptions{ties_named(ties), remove_unjudged, single_precision,
                                        negative_unjudged, rank_limit(depth)};
            },
            nb::arg("ties"), nb::arg("remove_unjudged"), nb::arg("single_precision"),
            nb::arg("negative_unjudged"), nb::arg("depth").none());
    Class<Rankings>(m, "Rankings")
        .def("__len__", &Rankings::queries)
        .def("__eq__", [](const Rankings& a, const Rankings& b) { return same_rankings(a, b); })
        .def("queries", [](const Rankings& r) { return names(*r.names); })
        .def("name",
             [](const Rankings& r, size_t query) {
                 refuse_beyond(query, r.queries());
                 return to_python((*r.names)[query]);
             })
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
    m.def("packed", [](const Rankings& rankings) {
        const std::string bytes = packed(rankings);
        return nb::bytes(bytes.data(), bytes.size());
    });
    m.def("unpacked", [](nb::bytes bytes) { return unpacked({bytes.c_str(), bytes.size()}); });
    m.def("rank_lists", rank_lists);
    m.def("rank_matrix", rank_matrix);
}

}  // namespace idealist
