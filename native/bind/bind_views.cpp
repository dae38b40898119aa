#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/bindings.hpp"
#include "bind/python_text.hpp"
#include "rank/group_views.hpp"
#include "rank/match_options.hpp"
#include "rank/places.hpp"
#include "rank/rankings.hpp"
#include "rank/run_views.hpp"
#include "rank/ties.hpp"
#include "rank/views.hpp"

namespace idealist {

namespace {

using Shared = std::shared_ptr<const Rankings>;

Places ranks_of(const Shared& rankings) {
    return {{rankings, &rankings->hit_begin}, Numbers(rankings->rank.begin(), rankings->rank.end())};
}

Places grades_of(const Shared& rankings) {
    return {{rankings, &rankings->hit_begin}, Numbers(rankings->grade.begin(), rankings->grade.end())};
}

Places ideal_ranks_of(const Shared& rankings) {
    return {{rankings, &rankings->hit_begin}, ideal_ranks(*rankings)};
}

RankingsPtr grouped(const Rankings& numbered, std::vector<uint64_t> begin, std::vector<uint32_t> group,
                    std::vector<double> grade, std::vector<uint32_t> groups) {
    return by_group(numbered, {std::move(begin), std::move(group), std::move(grade), std::move(groups)});
}

RankingsPtr filled_to(const Rankings& rankings, double grade, std::optional<uint64_t> depth, bool padded) {
    if (padded && !depth) throw nb::value_error("padding rankings needs a depth");
    return filled(rankings, grade, rank_limit(depth), padded);
}

// The numbers of items along the rankings, or the query and document that is none.
nb::object ranked_items(const RowsPtr& run, const RowsPtr& queries, const RowsPtr& items,
                        const MatchOptions& options, unsigned threads) {
    try {
        RankingsPtr rankings;
        {
            const nb::gil_scoped_release released;
            rankings = rank_items(*run, queries, *items, options, threads);
        }
        return nb::cast(rankings);
    } catch (const UnknownItem& unknown) {
        return nb::make_tuple(to_python(unknown.query), to_python(unknown.document));
    }
}

}  // namespace

void bind_views(Module& m) {
    m.def("ranks", ranks_of, Unlocked());
    m.def("grades", grades_of, Unlocked());
    m.def("ideal_ranks", ideal_ranks_of, Unlocked());
    m.def("ideal_order", ideal_order, Unlocked());
    m.def("condensed", condensed, Unlocked());
    m.def(
        "cut_short",
        [](const Rankings& rankings, uint64_t depth) { return cut_short(rankings, rank_limit(depth)); },
        Unlocked());
    m.def("filled", filled_to, Unlocked());
    m.def("best_of_ties", best_of_ties, Unlocked());
    m.def("worst_of_ties", worst_of_ties, Unlocked());
    m.def("tied", tied, Unlocked());
    m.def("part", part, Unlocked());
    m.def("chosen", chosen, Unlocked());
    m.def("regraded", regraded, Unlocked());
    m.def("by_group", grouped, Unlocked());
    m.def("rank_items", ranked_items);
    m.def(
        "rank_against",
        [](const RowsPtr& run, const RowsPtr& reference, const MatchOptions& options, unsigned threads) {
            return rank_against(*run, reference, options, threads);
        },
        Unlocked());
}

}  // namespace idealist
