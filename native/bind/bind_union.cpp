#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "base/columns.hpp"
#include "base/rows.hpp"
#include "bind/bindings.hpp"
#include "rank/match_options.hpp"
#include "rank/union.hpp"

namespace idealist {

namespace {

template <class T>
using Array = nb::ndarray<nb::numpy, const T>;
using Numbers1D = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using UnionHandle = nb::handle_t<Union>;

const Union& in(UnionHandle self) { return nb::cast<const Union&>(self); }

// Rows × runs over memory that holds run after run.
template <class T>
Array<T> by_row(UnionHandle self, const Column<T>& column) {
    const Union& united = in(self);
    return Array<T>(column.data(), {united.rows(), united.runs()}, self, {1, int64_t(united.rows())});
}

Array<uint64_t> query_begin_of(UnionHandle self) {
    const auto begin = in(self).query_begin();
    return Array<uint64_t>(begin.data(), {begin.size()}, self);
}

Array<uint32_t> retrieved_of(UnionHandle self) {
    const Union& united = in(self);
    static const uint32_t nothing = 0;
    const auto counts = united.retrieved();
    return Array<uint32_t>(counts.empty() ? &nothing : counts.data(),
                           {united.queries().size(), united.runs()}, self);
}

RowsPtr with_scores(const Union& united, const Numbers1D& scores, unsigned threads) {
    if (scores.shape(0) != united.rows())
        throw nb::value_error("the number of scores differs from the number of rows");
    const double* numbers = scores.data();
    const nb::gil_scoped_release released;
    return united.with_scores(numbers, threads);
}

Array<double> majority(const Union& united, const std::vector<double>& weights, size_t begin, size_t end,
                       unsigned threads) {
    auto places = std::make_unique<std::vector<double>>();
    {
        const nb::gil_scoped_release released;
        *places = united.majority(weights, begin, end, threads);
        places->reserve(1);
    }
    const double* data = places->data();
    const size_t size = places->size();
    const nb::capsule owner(places.get(),
                            [](void* kept) noexcept { delete static_cast<std::vector<double>*>(kept); });
    places.release();
    return Array<double>(data, {size}, owner);
}

}  // namespace

void bind_union(Module& m) {
    Class<Union>(m, "Union")
        .def("__len__", &Union::rows)
        .def("queries", [](const Union& united) { return names(united.queries()); })
        .def_prop_ro("query_begin", query_begin_of)
        .def_prop_ro("scores", [](UnionHandle self) { return by_row(self, in(self).scores()); })
        .def_prop_ro("ranks", [](UnionHandle self) { return by_row(self, in(self).ranks()); })
        .def_prop_ro("retrieved", retrieved_of)
        .def("rows", with_scores)
        .def("majority", majority);
    m.def(
        "unite",
        [](const std::vector<RowsPtr>& runs, const MatchOptions& options, unsigned threads) {
            return std::make_shared<Union>(std::vector<std::shared_ptr<const Rows>>(runs.begin(), runs.end()),
                                           options, threads);
        },
        Unlocked());
}

}  // namespace idealist
