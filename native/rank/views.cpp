#include "rank/views.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "rank/ties.hpp"

namespace idealist {

std::shared_ptr<Rankings> like(const Rankings& rankings) {
    auto out = std::make_shared<Rankings>();
    out->names = rankings.names;
    out->depth = rankings.depth;
    out->retrieved = rankings.retrieved;
    out->missing = rankings.missing;
    out->hit_begin.push_back(0);
    out->judged_begin.push_back(0);
    return out;
}

void copy_judged(const Rankings& from, Rankings& to) {
    to.judged_begin = from.judged_begin;
    to.judged_grade.append(from.judged_grade.begin(), from.judged_grade.size());
    to.judged_count.append(from.judged_count.begin(), from.judged_count.size());
}

void refuse_averaged(const Rankings& rankings) {
    if (rankings.averaged())
        throw std::invalid_argument(
            "tied documents share their ranks here, and this needs one rank for each document: choose a rule "
            "for "
            "ties other than ties=averaged");
}

std::shared_ptr<Rankings> ideal_order(const Rankings& rankings) {
    auto out = like(rankings);
    out->depth = all_ranks;
    copy_judged(rankings, *out);
    for (size_t q = 0; q < rankings.queries(); ++q) {
        uint32_t rank = 0;
        for (size_t i = rankings.judged_begin[q]; i < rankings.judged_begin[q + 1]; ++i) {
            for (uint32_t j = 0; j < rankings.judged_count[i]; ++j) {
                out->rank.push_back(++rank);
                out->grade.push_back(rankings.judged_grade[i]);
            }
        }
        out->retrieved[q] = rank;
        out->missing[q] = 0;
        out->hit_begin.push_back(out->rank.size());
    }
    return out;
}

std::vector<double> ideal_ranks(const Rankings& rankings) {
    refuse_averaged(rankings);
    std::vector<double> out;
    out.reserve(rankings.grade.size());
    std::vector<double> next;  // by level, highest first: the rank of its next document
    for (size_t q = 0; q < rankings.queries(); ++q) {
        const double* const levels = rankings.judged_grade.begin() + rankings.judged_begin[q];
        const size_t count = rankings.judged_begin[q + 1] - rankings.judged_begin[q];
        next.assign(1, 1);
        for (size_t i = 0; i < count; ++i) {
            next.push_back(next.back() + rankings.judged_count[rankings.judged_begin[q] + i]);
        }
        for (size_t i = rankings.hit_begin[q]; i < rankings.hit_begin[q + 1]; ++i) {
            const auto level =
                std::lower_bound(levels, levels + count, rankings.grade[i], std::greater<double>());
            out.push_back(next[size_t(level - levels)]++);
        }
    }
    return out;
}

std::shared_ptr<Rankings> condensed(const Rankings& rankings) {
    auto out = like(rankings);
    copy_judged(rankings, *out);
    out->hit_begin = rankings.hit_begin;
    out->grade.append(rankings.grade.begin(), rankings.grade.size());
    for (size_t q = 0; q < rankings.queries(); ++q) {
        const size_t begin = rankings.hit_begin[q], end = rankings.hit_begin[q + 1];
        for_groups(rankings, q, [&](const TieGroup& group) {
            for (size_t i = group.begin; i < group.end; ++i) {
                out->rank.push_back(uint32_t(group.begin - begin + 1));
                if (rankings.averaged()) out->tied.push_back(uint32_t(group.end - group.begin));
            }
            return true;
        });
        out->retrieved[q] = uint32_t(end - begin);
    }
    return out;
}

std::shared_ptr<Rankings> cut_short(const Rankings& rankings, uint32_t depth) {
    refuse_averaged(rankings);
    auto out = like(rankings);
    copy_judged(rankings, *out);
    for (size_t q = 0; q < rankings.queries(); ++q) {
        for (size_t i = rankings.hit_begin[q]; i < rankings.hit_begin[q + 1]; ++i) {
            if (rankings.rank[i] > depth) break;
            out->rank.push_back(rankings.rank[i]);
            out->grade.push_back(rankings.grade[i]);
        }
        out->retrieved[q] = std::min(depth, rankings.retrieved[q]);
        out->hit_begin.push_back(out->rank.size());
    }
    return out;
}

std::shared_ptr<Rankings> filled(const Rankings& rankings, double grade, uint32_t depth, bool padded) {
    refuse_averaged(rankings);
    auto out = like(rankings);
    for (size_t q = 0; q < rankings.queries(); ++q) {
        const uint32_t last = padded ? depth : std::min(depth, rankings.retrieved[q]);
        size_t hit = rankings.hit_begin[q];
        uint32_t added = 0;
        for (uint32_t rank = 1; rank <= last; ++rank) {
            const bool judged = hit < rankings.hit_begin[q + 1] && rankings.rank[hit] == rank;
            out->rank.push_back(rank);
            out->grade.push_back(judged ? rankings.grade[hit++] : grade);
            added += !judged;
        }
        if (padded) out->retrieved[q] = last;
        bool entered = added == 0;
        for (size_t i = rankings.judged_begin[q]; i < rankings.judged_begin[q + 1]; ++i) {
            const double its_grade = rankings.judged_grade[i];
            if (!entered && its_grade < grade) {
                out->judged_grade.push_back(grade);
                out->judged_count.push_back(added);
                entered = true;
            }
            const bool same = !entered && its_grade == grade;
            out->judged_grade.push_back(its_grade);
            out->judged_count.push_back(rankings.judged_count[i] + (same ? added : 0));
            entered = entered || same;
        }
        if (!entered) {
            out->judged_grade.push_back(grade);
            out->judged_count.push_back(added);
        }
        out->hit_begin.push_back(out->rank.size());
        out->judged_begin.push_back(out->judged_grade.size());
    }
    return out;
}

std::shared_ptr<Rankings> part(const Rankings& rankings, size_t begin, size_t end) {
    if (begin > end || end > rankings.queries())
        throw std::out_of_range("the range of queries is out of bounds");
    std::vector<size_t> queries(end - begin);
    std::iota(queries.begin(), queries.end(), begin);
    return chosen(rankings, queries);
}

std::shared_ptr<Rankings> chosen(const Rankings& rankings, const std::vector<size_t>& queries) {
    struct Kept {
        QueryNames all;
        std::vector<std::string_view> names;
    };
    auto kept = std::make_shared<Kept>();
    kept->all = rankings.names;
    auto out = std::make_shared<Rankings>();
    out->depth = rankings.depth;
    out->hit_begin.push_back(0);
    out->judged_begin.push_back(0);
    for (const size_t q : queries) {
        if (q >= rankings.queries()) throw std::out_of_range("a query number is out of bounds");
        kept->names.push_back((*rankings.names)[q]);
        out->retrieved.push_back(rankings.retrieved[q]);
        out->missing.push_back(rankings.missing[q]);
        const size_t hit = rankings.hit_begin[q], hits = rankings.hit_begin[q + 1] - hit;
        const size_t level = rankings.judged_begin[q], levels = rankings.judged_begin[q + 1] - level;
        out->rank.append(rankings.rank.begin() + hit, hits);
        out->grade.append(rankings.grade.begin() + hit, hits);
        if (rankings.averaged()) out->tied.append(rankings.tied.begin() + hit, hits);
        out->judged_grade.append(rankings.judged_grade.begin() + level, levels);
        out->judged_count.append(rankings.judged_count.begin() + level, levels);
        out->hit_begin.push_back(out->rank.size());
        out->judged_begin.push_back(out->judged_grade.size());
        copy_ties(rankings, q, *out, out->queries() - 1);
    }
    out->names = QueryNames(kept, &kept->names);
    return out;
}

std::shared_ptr<Rankings> regraded(const Rankings& rankings, const Gain& gain) {
    const GainOf gain_of(gain);
    auto out = like(rankings);
    out->hit_begin = rankings.hit_begin;
    out->rank.append(rankings.rank.begin(), rankings.rank.size());
    out->tied.append(rankings.tied.begin(), rankings.tied.size());
    for (const double grade : rankings.grade) out->grade.push_back(gain_of(grade));
    std::vector<std::pair<double, uint32_t>> levels;
    for (size_t q = 0; q < rankings.queries(); ++q) {
        levels.clear();
        for (size_t i = rankings.judged_begin[q]; i < rankings.judged_begin[q + 1]; ++i) {
            levels.emplace_back(gain_of(rankings.judged_grade[i]), rankings.judged_count[i]);
        }
        std::sort(levels.begin(), levels.end(), std::greater<>());
        for (const auto& [grade, count] : levels) {
            const bool same = out->judged_grade.size() > out->judged_begin.back() &&
                              out->judged_grade[out->judged_grade.size() - 1] == grade;
            if (same) {
                out->judged_count[out->judged_count.size() - 1] += count;
            } else {
                out->judged_grade.push_back(grade);
                out->judged_count.push_back(count);
            }
        }
        out->judged_begin.push_back(out->judged_grade.size());
    }
    return out;
}

}  // namespace idealist
