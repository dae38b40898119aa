// The choices that decide how a run is matched with the judgments.
#pragma once

#include <cstdint>

#include "rank/rankings.hpp"

namespace idealist {

enum class Ties { id_descending, id_ascending, input_order, averaged, optimistic, pessimistic };

struct MatchOptions {
    Ties ties = Ties::id_descending;
    bool remove_unjudged = false;
    bool single_precision = false;   // compare scores as float, as trec_eval 9 does
    bool negative_unjudged = false;  // a negative grade is as good as none
    uint32_t depth = all_ranks;

    double compared(double score) const { return single_precision ? double(float(score)) : score; }
    // Whether a judged document counts as unjudged.
    bool skips(double grade) const { return negative_unjudged && grade < 0; }
    // Whether even a list of judged documents only may lose some, and its ranks close up.
    bool may_remove_judged() const { return remove_unjudged && negative_unjudged; }
};

}  // namespace idealist
