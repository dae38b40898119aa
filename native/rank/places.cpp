#include "rank/places.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace idealist {

namespace {

// Calls visit(begin, end) for every query's places.
template <class Visit>
void for_each_query(const Places& places, Visit&& visit) {
    for (size_t q = 0; q < places.queries(); ++q) visit((*places.begin)[q], (*places.begin)[q + 1], q);
}

template <class Step>
Places run_through(const Places& places, double start, bool inclusive, Step step) {
    Numbers out(places.numbers.size());
    for_each_query(places, [&](size_t begin, size_t end, size_t) {
        double state = start;
        for (size_t i = begin; i < end; ++i) {
            const double next = step(state, places.numbers[i]);
            out[i] = inclusive ? next : state;
            state = next;
        }
    });
    return places.like(std::move(out));
}

// 1, and one more for each number that is smaller; equal numbers stand together.
void find_standings(const double* numbers, size_t count, std::vector<uint32_t>& standings) {
    std::vector<uint32_t> order(count);
    standings.resize(count);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return numbers[a] < numbers[b]; });
    for (uint32_t i = 0; i < count; ++i) {
        const bool equal = i > 0 && numbers[order[i]] == numbers[order[i - 1]];
        standings[order[i]] = equal ? standings[order[i - 1]] : i + 1;
    }
}

}  // namespace

Numbers sums(const Places& places) {
    Numbers out(places.queries());
    for_each_query(places, [&](size_t begin, size_t end, size_t query) {
        double sum = 0;
        for (size_t i = begin; i < end; ++i) sum += places.numbers[i];
        out[query] = sum;
    });
    return out;
}

Numbers highest(const Places& places, double otherwise) {
    Numbers out(places.queries(), otherwise);
    for_each_query(places, [&](size_t begin, size_t end, size_t query) {
        if (begin == end) return;
        out[query] = *std::max_element(&places.numbers[begin], &places.numbers[begin] + (end - begin));
    });
    return out;
}

Places running_sum(const Places& places, bool inclusive) {
    return run_through(places, 0, inclusive, [](double sum, double x) { return sum + x; });
}

Places product_before(const Places& places) {
    return run_through(places, 1, false, [](double product, double x) { return product * x; });
}

Places following(const Places& places, double otherwise) {
    Numbers out(places.numbers.size());
    for_each_query(places, [&](size_t begin, size_t end, size_t) {
        for (size_t i = begin; i < end; ++i) out[i] = i + 1 < end ? places.numbers[i + 1] : otherwise;
    });
    return places.like(std::move(out));
}

Places standing(const Places& places) {
    Numbers out(places.numbers.size());
    std::vector<uint32_t> standings;
    for_each_query(places, [&](size_t begin, size_t end, size_t) {
        find_standings(places.numbers.data() + begin, end - begin, standings);
        std::copy(standings.begin(), standings.end(), out.begin() + ptrdiff_t(begin));
    });
    return places.like(std::move(out));
}

Places descending(const Places& places) {
    Numbers out = places.numbers;
    for_each_query(places, [&](size_t begin, size_t end, size_t) {
        std::sort(out.begin() + ptrdiff_t(begin), out.begin() + ptrdiff_t(end), std::greater<>());
    });
    return places.like(std::move(out));
}

Places last_up_to(const Places& places, const Places& keys, const Places& limits, double otherwise) {
    Numbers out(limits.numbers.size(), otherwise);
    for_each_query(limits, [&](size_t begin, size_t end, size_t query) {
        const double* first = keys.numbers.data() + (*keys.begin)[query];
        const double* last = keys.numbers.data() + (*keys.begin)[query + 1];
        for (size_t i = begin; i < end; ++i) {
            const double* after = std::upper_bound(first, last, limits.numbers[i]);
            if (after != first) out[i] = places.numbers[size_t(after - keys.numbers.data()) - 1];
        }
    });
    return limits.like(std::move(out));
}

Places earlier_less(const Places& places, const Places& weights) {
    Numbers out(places.numbers.size());
    std::vector<uint32_t> standings;
    Numbers tree;  // Fenwick's: sums of the weights seen, by standing
    for_each_query(places, [&](size_t begin, size_t end, size_t) {
        const size_t count = end - begin;
        find_standings(places.numbers.data() + begin, count, standings);
        tree.assign(count + 1, 0);
        for (size_t i = 0; i < count; ++i) {
            double sum = 0;
            for (uint32_t at = standings[i] - 1; at > 0; at &= at - 1) sum += tree[at];
            out[begin + i] = sum;
            for (uint32_t at = standings[i]; at <= count; at += at & (~at + 1)) {
                tree[at] += weights.numbers[begin + i];
            }
        }
    });
    return places.like(std::move(out));
}

}  // namespace idealist
