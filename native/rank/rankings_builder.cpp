#include "rank/rankings_builder.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "base/parallel.hpp"

namespace idealist {

void RankingsBuilder::add_hits(const std::vector<Hit>& hits) {
    for (const Hit& hit : hits) {
        if (hit.rank > options_.depth) break;
        rankings_.rank.push_back(hit.rank);
        rankings_.grade.push_back(hit.grade);
        if (options_.ties == Ties::averaged) rankings_.tied.push_back(hit.tied);
    }
}

void RankingsBuilder::add_judged(const SmallGradeCounts& counts) {
    for (size_t grade = counts.size(); grade-- > 0;) {
        if (counts[grade] == 0) continue;
        rankings_.judged_grade.push_back(double(grade));
        rankings_.judged_count.push_back(counts[grade]);
    }
}

void RankingsBuilder::add_judged(std::vector<double>& grades) {
    SmallGradeCounts counts;
    if (grades.size() > counts.size() && count_small_grades(grades.data(), grades.size(), counts)) {
        return add_judged(counts);
    }
    std::sort(grades.begin(), grades.end(), std::greater<double>());
    for (size_t i = 0, end; i < grades.size(); i = end) {
        for (end = i + 1; end < grades.size() && grades[end] == grades[i];) ++end;
        rankings_.judged_grade.push_back(grades[i]);
        rankings_.judged_count.push_back(uint32_t(end - i));
    }
}

void RankingsBuilder::finish(uint32_t retrieved, bool missing) {
    rankings_.retrieved.push_back(retrieved);
    rankings_.missing.push_back(missing);
    rankings_.hit_begin.push_back(rankings_.rank.size());
    rankings_.judged_begin.push_back(rankings_.judged_grade.size());
}

QueryNames numbered(size_t count) {
    struct Numbers {
        std::vector<std::string> text;
        std::vector<std::string_view> names;
    };
    auto numbers = std::make_shared<Numbers>();
    numbers->text.reserve(count);
    for (size_t i = 0; i < count; ++i) numbers->text.push_back(std::to_string(i));
    numbers->names.assign(numbers->text.begin(), numbers->text.end());
    return {numbers, &numbers->names};
}

std::shared_ptr<Rankings> gather(std::vector<RankingsBuilder>& parts, const std::vector<Place>& places,
                                 const MatchOptions& options, unsigned threads) {
    auto gathered = std::make_shared<Rankings>();
    Rankings& out = *gathered;
    out.depth = options.depth;
    out.retrieved.resize(places.size());
    out.missing.resize(places.size());
    out.hit_begin.assign(places.size() + 1, 0);
    out.judged_begin.assign(places.size() + 1, 0);
    for (size_t q = 0; q < places.size(); ++q) {
        const Rankings& part = parts[places[q].part].rankings();
        const size_t at = places[q].query;
        out.retrieved[q] = part.retrieved[at];
        out.missing[q] = part.missing[at];
        out.hit_begin[q + 1] = out.hit_begin[q] + part.hit_begin[at + 1] - part.hit_begin[at];
        out.judged_begin[q + 1] = out.judged_begin[q] + part.judged_begin[at + 1] - part.judged_begin[at];
    }
    const size_t hits = out.hit_begin.back(), levels = out.judged_begin.back();
    out.rank.resize_uninitialised(hits);
    out.grade.resize_uninitialised(hits);
    const bool any_tie = std::any_of(parts.begin(), parts.end(), [](RankingsBuilder& part) {
        const auto& tied = part.rankings().tied;
        return std::any_of(tied.begin(), tied.end(), [](uint32_t size) { return size > 1; });
    });
    if (any_tie) out.tied.resize_uninitialised(hits);
    out.judged_grade.resize_uninitialised(levels);
    out.judged_count.resize_uninitialised(levels);
    const bool any_block = std::any_of(parts.begin(), parts.end(),
                                       [](RankingsBuilder& part) { return !part.rankings().ties.empty(); });
    for (size_t q = 0; any_block && q < places.size(); ++q) {
        copy_ties(parts[places[q].part].rankings(), places[q].query, out, q);
    }
    constexpr size_t block = 1024;
    if (hits + levels < 20000) threads = 1;
    parallel_for((places.size() + block - 1) / block, threads, [&](size_t b, unsigned) {
        for (size_t q = b * block; q < std::min(places.size(), (b + 1) * block); ++q) {
            const Rankings& part = parts[places[q].part].rankings();
            const size_t at = places[q].query;
            auto copy = [](auto& to, const auto& from, const auto& to_begin, size_t target, const auto& begin,
                           size_t source) {
                const size_t count = size_t(begin[source + 1] - begin[source]);
                std::copy_n(from.data() + begin[source], count, to.data() + to_begin[target]);
            };
            copy(out.rank, part.rank, out.hit_begin, q, part.hit_begin, at);
            copy(out.grade, part.grade, out.hit_begin, q, part.hit_begin, at);
            if (!out.tied.empty()) copy(out.tied, part.tied, out.hit_begin, q, part.hit_begin, at);
            copy(out.judged_grade, part.judged_grade, out.judged_begin, q, part.judged_begin, at);
            copy(out.judged_count, part.judged_count, out.judged_begin, q, part.judged_begin, at);
        }
    });
    return gathered;
}

std::shared_ptr<Rankings> gather_in_order(std::vector<RankingsBuilder>& parts, const MatchOptions& options,
                                          unsigned threads) {
    std::vector<Place> places;
    for (uint32_t part = 0; part < parts.size(); ++part) {
        for (uint32_t q = 0; q < parts[part].rankings().queries(); ++q) places.push_back({part, q});
    }
    return gather(parts, places, options, threads);
}

}  // namespace idealist
