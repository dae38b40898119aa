// Lambda gradients: which way each score should move, and how much, so that the value of its ranking grows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace idealist {

// How the value of a ranking is made up. Documents have a worth u and a stop q; the rank r has a
// discount d(r).
enum class ValueForm {
    sum,      // Σ d(r)·u_r
    cascade,  // Σ d(r)·u_r·Π_{l<r} (1 − q_l): a reader goes on past a document with probability 1 − q
    running,  // Σ d(r)·u_r·Σ_{l≤r} u_l
};

// Documents of all queries, one query behind the other.
struct ScoredGroups {
    const double* scores;
    const double* worth;
    const double* stops;    // of the cascade; not read otherwise
    const uint64_t* begin;  // the first document of each query, and the number of documents
    const double* scale;  // what a query's changes are multiplied by: 1 / its ideal value, 0 to leave it out
    const double* discounts;  // as many as the longest query has documents, 0 where a rank does not count
    size_t queries;
};

struct LambdaOptions {
    ValueForm form;
    double sigmoid;    // how steep the pairwise loss log(1 + e^(−sigmoid·difference)) is
    uint64_t highest;  // one document of a pair stands among so many at the top
    bool normalised;   // changes by the distance of scores, and each query's gradients by their sum, as
                       // LightGBM does
};

// For each pair, the change of the value if the two changed places weighs the gradient of the pairwise loss.
// Burges, Ragno and Le, NIPS 2006. Every query by itself, in the order of its ranking; equal scores rank in
// the order given.
void lambda_gradients(const ScoredGroups& groups, const LambdaOptions& options, double* gradients,
                      double* hessians, unsigned threads);

// Queries of equal length in the order of their rankings, and what exchanging two documents changes: at
// changes[a·documents + b] of a query for those at ranks a < b, a among the `upper` first.
struct Exchanges {
    const double* scores;
    const double* changes;
    size_t queries, documents, upper;
};

// The same gradients from changes that are known, whatever they come from; `form` and `highest` are not read.
void exchange_gradients(const Exchanges& exchanges, const LambdaOptions& options, double* gradients,
                        double* hessians, unsigned threads);

}  // namespace idealist
