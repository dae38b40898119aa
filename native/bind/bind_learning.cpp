// What learners need of the core: gradients of scores, and scores by trees.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "bind/bindings.hpp"
#include "rank/lambdas.hpp"
#include "rank/tree_scores.hpp"

namespace idealist {

namespace {

template <class T>
using Column1D = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Written1D = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Written2D = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cells = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ValueForm form_named(const std::string& name) {
    if (name == "sum") return ValueForm::sum;
    if (name == "cascade") return ValueForm::cascade;
    if (name == "running") return ValueForm::running;
    throw nb::value_error("form must be 'sum', 'cascade' or 'running'");
}

void check_groups(const Column1D<uint64_t>& begin, size_t documents, size_t discounts) {
    const size_t queries = begin.shape(0) - 1;
    const uint64_t* at = begin.data();
    if (at[0] != 0 || at[queries] != documents)
        throw nb::value_error("begin must start at 0 and end at the number of documents");
    for (size_t query = 0; query < queries; ++query) {
        if (at[query + 1] < at[query]) throw nb::value_error("begin must not decrease");
        if (at[query + 1] - at[query] > std::min<uint64_t>(discounts, UINT32_MAX)) {
            throw nb::value_error("there are fewer discounts than ranks");
        }
    }
}

void gradients(const Column1D<double>& scores, const Column1D<double>& worth, const Column1D<double>& stops,
               const Column1D<uint64_t>& begin, const Column1D<double>& scale,
               const Column1D<double>& discounts, const std::string& form, double sigmoid, uint64_t highest,
               bool normalised, const Written1D<double>& gradient, const Written1D<double>& hessian,
               unsigned threads) {
    const LambdaOptions options{form_named(form), sigmoid, highest, normalised};
    const size_t documents = scores.shape(0);
    const size_t stopping = options.form == ValueForm::cascade ? documents : 0;
    if (worth.shape(0) != documents || stops.shape(0) != stopping || gradient.shape(0) != documents ||
        hessian.shape(0) != documents || begin.shape(0) != scale.shape(0) + 1) {
        throw nb::value_error("the arrays differ in length");
    }
    check_groups(begin, documents, discounts.shape(0));
    const ScoredGroups groups{scores.data(), worth.data(),     stops.data(),  begin.data(),
                              scale.data(),  discounts.data(), scale.shape(0)};
    const nb::gil_scoped_release released;
    lambda_gradients(groups, options, gradient.data(), hessian.data(), threads);
}

void gradients_of_exchanges(
    const Cells& scores, const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& changes,
    double sigmoid, bool normalised, const Written2D& gradient, const Written2D& hessian, unsigned threads) {
    const size_t queries = scores.shape(0), documents = scores.shape(1), upper = changes.shape(1);
    const auto alike = [&](const auto& cells) {
        return cells.shape(0) == queries && cells.shape(1) == documents;
    };
    if (documents == 0 || documents > UINT32_MAX || upper > documents || changes.shape(0) != queries ||
        changes.shape(2) != documents || !alike(gradient) || !alike(hessian)) {
        throw nb::value_error("the arrays differ in shape");
    }
    const LambdaOptions options{ValueForm::sum, sigmoid, upper, normalised};
    const Exchanges exchanges{scores.data(), changes.data(), queries, documents, upper};
    const nb::gil_scoped_release released;
    exchange_gradients(exchanges, options, gradient.data(), hessian.data(), threads);
}

std::vector<TreeNode> nodes_of(const Column1D<int32_t>& features, const Column1D<double>& numbers,
                               const Column1D<uint32_t>& left, const Column1D<uint32_t>& right,
                               const Column1D<uint8_t>& missing, size_t columns) {
    const size_t count = features.shape(0);
    if (numbers.shape(0) != count || left.shape(0) != count || right.shape(0) != count ||
        missing.shape(0) != count) {
        throw nb::value_error("the arrays of nodes differ in length");
    }
    std::vector<TreeNode> nodes(count);
    for (size_t at = 0; at < count; ++at) {
        const int32_t feature = features.data()[at];
        const uint32_t to_left = left.data()[at], to_right = right.data()[at];
        if (feature >= 0 && (size_t(feature) >= columns || to_left <= at || to_right <= at ||
                             to_left >= count || to_right >= count)) {
            throw nb::value_error("a tree node refers to a feature or a child that does not exist");
        }
        const auto rule = std::min<uint8_t>(missing.data()[at], uint8_t(MissingRule::zero_right));
        nodes[at] = {numbers.data()[at], feature, to_left, to_right, MissingRule(rule)};
    }
    return nodes;
}

void scores_by_trees(const Cells& cells, const Column1D<int32_t>& features, const Column1D<double>& numbers,
                     const Column1D<uint32_t>& left, const Column1D<uint32_t>& right,
                     const Column1D<uint8_t>& missing, const Column1D<uint32_t>& roots,
                     const Column1D<double>& weights, double offset, const Written1D<double>& scores,
                     unsigned threads) {
    const size_t rows = cells.shape(0), columns = cells.shape(1);
    if (scores.shape(0) != rows || weights.shape(0) != roots.shape(0)) {
        throw nb::value_error("the arrays differ in length");
    }
    const std::vector<TreeNode> nodes = nodes_of(features, numbers, left, right, missing, columns);
    std::vector<WeighedTree> trees(roots.shape(0));
    for (size_t tree = 0; tree < trees.size(); ++tree) {
        trees[tree] = {roots.data()[tree], weights.data()[tree]};
        if (trees[tree].root >= nodes.size()) throw nb::value_error("the root of a tree does not exist");
    }
    const nb::gil_scoped_release released;
    tree_scores(cells.data(), rows, columns, nodes, trees, offset, scores.data(), threads);
}

}  // namespace

void bind_learning(Module& m) {
    m.def("lambda_gradients", gradients);
    m.def("exchange_gradients", gradients_of_exchanges);
    m.def("tree_scores", scores_by_trees);
}

}  // namespace idealist
