#include "rank/tree_scores.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace idealist {

namespace {

// What LightGBM takes for 0.
constexpr double near_zero = 1e-35f;

bool goes_left(const TreeNode& node, double cell) {
    const bool absent = std::isnan(cell);
    const double number = absent ? 0.0 : cell;
    switch (node.missing) {
        case MissingRule::as_zero:
            break;
        case MissingRule::nan_left:
            if (absent) return true;
            break;
        case MissingRule::nan_right:
            if (absent) return false;
            break;
        case MissingRule::zero_left:
            if (std::fabs(number) <= near_zero) return true;
            break;
        case MissingRule::zero_right:
            if (std::fabs(number) <= near_zero) return false;
            break;
    }
    return number <= node.number;
}

}  // namespace

void tree_scores(const double* cells, size_t rows, size_t columns, const std::vector<TreeNode>& nodes,
                 const std::vector<WeighedTree>& trees, double offset, double* scores, unsigned threads) {
    // So many rows and one tree stay in the cache together.
    constexpr size_t block = 128;
    parallel_for((rows + block - 1) / block, threads, [&](size_t number, unsigned) {
        const size_t begin = number * block, end = std::min(rows, begin + block);
        std::fill(scores + begin, scores + end, offset);
        for (const WeighedTree& tree : trees) {
            for (size_t row = begin; row < end; ++row) {
                const double* cell = cells + row * columns;
                const TreeNode* node = &nodes[tree.root];
                while (node->feature >= 0) {
                    node = &nodes[goes_left(*node, cell[node->feature]) ? node->left : node->right];
                }
                scores[row] += tree.weight * node->number;
            }
        }
    });
}

}  // namespace idealist
