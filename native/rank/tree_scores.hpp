// Documents through decision trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace idealist {

// Where nan goes, and with the last two 0 as well.
enum class MissingRule : uint8_t { as_zero, nan_left, nan_right, zero_left, zero_right };

struct TreeNode {
    double number;    // of a leaf, its value; of others, the threshold: up to it, a document goes left
    int32_t feature;  // −1: a leaf
    uint32_t left, right;
    MissingRule missing;
};

struct WeighedTree {
    uint32_t root;
    double weight;
};

// offset + Σ weight × leaf, trees in their order. Children stand behind their parents, and no node compares a
// feature beyond the columns: whoever calls makes sure.
void tree_scores(const double* cells, size_t rows, size_t columns, const std::vector<TreeNode>& nodes,
                 const std::vector<WeighedTree>& trees, double offset, double* scores, unsigned threads);

}  // namespace idealist
