#include "match.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace idealist {

namespace {

// Up to this many comparisons of ids, comparing each hit with each tied document beats sorting.
constexpr size_t few_comparisons = 256;
constexpr size_t few_levels = 4;
constexpr size_t few_judged = 8;

class RowCandidates final : public Candidates {
  public:
    explicit RowCandidates(const QueryRows& rows) : rows_(rows) {}
    std::string_view id(uint32_t row) const override { return rows_.id(row); }

  private:
    const QueryRows& rows_;
};

bool by_score(const Hit& a, const Hit& b) { return a.score > b.score; }

const double* as_compared(const double* scores, size_t count, const MatchOptions& options,
                          std::vector<double>& scratch) {
    if (!options.single_precision) return scores;
    scratch.resize(count);
    for (size_t i = 0; i < count; ++i) scratch[i] = options.compared(scores[i]);
    return scratch.data();
}

}  // namespace

void HitRanker::rank(const double* scores, uint32_t count, const Candidates& candidates,
                     std::vector<Hit>& hits) {
    ties_.clear();
    if (hits.empty()) return;
    std::sort(hits.begin(), hits.end(), by_score);
    if (std::is_sorted(scores, scores + count, std::greater<double>())) {
        settle_sorted(scores, count, candidates, hits);
    } else {
        settle_counted(scores, count, candidates, hits);
    }
    std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.grade > b.grade;
    });
    if (options_.remove_unjudged) close_up(hits);
}

// Ranks without the unjudged documents.
void HitRanker::close_up(std::vector<Hit>& hits) {
    for (TiedHits& tie : ties_)
        tie = {uint32_t(tie.begin), uint32_t(tie.end - tie.begin), tie.begin, tie.end};
    for (size_t i = 0, end; i < hits.size(); i = end) {
        end = i + 1;
        while (options_.ties == Ties::averaged && end < hits.size() && hits[end].rank == hits[i].rank) ++end;
        std::for_each(&hits[i], &hits[i] + (end - i), [&](Hit& hit) {
            hit.rank = uint32_t(i + 1);
            hit.tied = uint32_t(end - i);
        });
    }
}

void HitRanker::settle_sorted(const double* scores, uint32_t count, const Candidates& candidates,
                              std::vector<Hit>& hits) {
    const double* from = scores;
    for (size_t i = 0, end; i < hits.size(); i = end) {
        for (end = i + 1; end < hits.size() && hits[end].score == hits[i].score;) ++end;
        const auto [low, high] =
            std::equal_range(from, scores + count, hits[i].score, std::greater<double>());
        const uint32_t before = uint32_t(low - scores);
        members_.resize(size_t(high - low));
        std::iota(members_.begin(), members_.end(), before);
        settle_group(before, members_, candidates, hits, i, end);
        from = high;
    }
}

void HitRanker::settle_counted(const double* scores, uint32_t count, const Candidates& candidates,
                               std::vector<Hit>& hits) {
    levels_.clear();
    for (const Hit& hit : hits) {
        if (levels_.empty() || levels_.back() != hit.score) levels_.push_back(hit.score);
    }
    auto level_of = [&](double score) {
        return size_t(std::lower_bound(levels_.begin(), levels_.end(), score, std::greater<double>()) -
                      levels_.begin());
    };
    above_.assign(levels_.size() + 1, 0);
    equal_.assign(levels_.size(), 0);
    if (levels_.size() <= few_levels) {
        for (size_t level = 0; level < levels_.size(); ++level) {
            const double score = levels_[level];
            uint32_t above = 0, equal = 0;
            for (uint32_t row = 0; row < count; ++row) {
                above += scores[row] > score;
                equal += scores[row] == score;
            }
            above_[level] = above;
            equal_[level] = equal;
        }
    } else {
        for (uint32_t row = 0; row < count; ++row) {
            const size_t level = level_of(scores[row]);
            const bool equal = level < levels_.size() && levels_[level] == scores[row];
            if (equal) ++equal_[level];
            ++above_[level + equal];
        }
        std::partial_sum(above_.begin(), above_.end(), above_.begin());
    }
    // The members of every tied group in one pass; a group of one needs none.
    std::vector<uint32_t>& next = starts_;
    next.assign(levels_.size(), 0);
    uint32_t tied = 0;
    for (size_t level = 0; level < levels_.size(); ++level) {
        next[level] = tied;
        if (equal_[level] > 1) tied += equal_[level];
    }
    members_.resize(tied);
    for (uint32_t row = 0; tied > 0 && row < count; ++row) {
        const size_t level = level_of(scores[row]);
        if (level < levels_.size() && levels_[level] == scores[row] && equal_[level] > 1) {
            members_[next[level]++] = row;
        }
    }
    for (size_t i = 0, end, level = 0; i < hits.size(); i = end, ++level) {
        for (end = i + 1; end < hits.size() && hits[end].score == hits[i].score;) ++end;
        std::span<const uint32_t> members;
        if (equal_[level] > 1)
            members = std::span(members_).subspan(next[level] - equal_[level], equal_[level]);
        settle_group(above_[level], members, candidates, hits, i, end);
    }
}

// `members` are the rows that share the score of the hits in [first, last), in input order; none for a hit
// that is alone.
void HitRanker::settle_group(uint32_t before, std::span<const uint32_t> members, const Candidates& candidates,
                             std::vector<Hit>& hits, size_t first, size_t last) {
    const uint32_t size = uint32_t(members.size());
    Hit *const begin = &hits[first], *const end = begin + (last - first);
    if (size <= 1) {
        begin->rank = before + 1;
        return;
    }
    if (options_.ties == Ties::averaged) {
        for (Hit* hit = begin; hit != end; ++hit) {
            hit->rank = before + 1;
            hit->tied = size;
        }
        return;
    }
    ties_.push_back({before, size, first, last});
    if (options_.ties == Ties::optimistic || options_.ties == Ties::pessimistic) {
        settle_by_grade(before, size, options_.ties == Ties::optimistic, begin, end);
        return;
    }
    const bool by_input = options_.ties == Ties::input_order;
    const bool ascending = options_.ties == Ties::id_ascending;
    if (size_t(end - begin) * size <= few_comparisons) {
        for (Hit* hit = begin; hit != end; ++hit) {
            uint32_t ahead = 0;
            for (uint32_t i = 0; i < size; ++i) {
                const int order = candidates.id(members[i]).compare(hit->id);
                if (by_input && order == 0) {
                    ahead = i;
                    break;
                }
                ahead += ascending ? order < 0 : order > 0;
            }
            hit->rank = before + 1 + ahead;
        }
        return;
    }
    ids_.clear();
    for (const uint32_t row : members) ids_.push_back(candidates.id(row));
    std::vector<uint32_t> order(size);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return ids_[a] < ids_[b]; });
    for (Hit* hit = begin; hit != end; ++hit) {
        const auto place =
            std::lower_bound(order.begin(), order.end(), hit->id,
                             [&](uint32_t member, std::string_view id) { return ids_[member] < id; });
        const uint32_t position = uint32_t(place - order.begin());
        hit->rank = before + 1 + (by_input ? *place : ascending ? position : size - 1 - position);
    }
}

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

void QueryMatcher::match(const QueryRows* rows, const QueryRows& judged, const double* grades,
                         RankingsBuilder& out) {
    all_grades_.clear();
    for (size_t i = 0; i < judged.size(); ++i) {
        if (!options_.skips(grades[i])) all_grades_.push_back(grades[i]);
    }
    hits_.clear();
    if (!rows) return out.add(0, true, hits_, all_grades_);
    const double* scores = as_compared(rows->values(score_scratch_), rows->size(), options_, single_scratch_);
    find_hits(*rows, scores, judged, grades);
    ranker_.rank(scores, uint32_t(rows->size()), RowCandidates(*rows), hits_);
    out.add(uint32_t(rows->size()), false, hits_, all_grades_, ranker_.ties());
}

void QueryMatcher::find_hits(const QueryRows& rows, const double* scores, const QueryRows& judged,
                             const double* grades) {
    const uint32_t* judged_hashes = judged.hashes(judged_hash_scratch_);
    const uint32_t* hashes = rows.hashes(hash_scratch_);
    const uint32_t count = uint32_t(rows.size());
    if (judged.size() <= few_judged) {
        for (uint32_t one = 0; one < judged.size(); ++one) {
            if (options_.skips(grades[one])) continue;
            for (size_t row = 0; (row = find_equal(hashes, row, count, judged_hashes[one])) < count; ++row) {
                if (!same_text(rows.id(row), judged.id(one))) continue;
                hits_.push_back({scores[row], grades[one], judged.id(one)});
                break;
            }
        }
        return;
    }
    table_.reset(judged.size());
    auto judged_id = [&](uint32_t row) { return judged.id(row); };
    for (uint32_t row = 0; row < judged.size(); ++row) {
        if (!options_.skips(grades[row])) table_.insert(judged_hashes[row], row, judged_id);
    }
    for (uint32_t row = 0; row < count; ++row) {
        const uint32_t found = table_.find(hashes[row], [&] { return rows.id(row); }, judged_id);
        if (found != IdTable::absent) hits_.push_back({scores[row], grades[found], judged.id(found)});
    }
}

std::shared_ptr<Rankings> match(const std::shared_ptr<const Rows>& run,
                                const std::shared_ptr<const Rows>& judgments, const MatchOptions& options,
                                unsigned threads) {
    const auto& names = judgments->queries();
    // Small enough to share out evenly, large enough that starting one costs nothing.
    const size_t per_block = std::clamp<size_t>(names.size() / (8 * size_t(std::max(1u, threads))), 1, 512);
    const size_t blocks = (names.size() + per_block - 1) / per_block;
    std::vector<RankingsBuilder> parts;
    parts.reserve(blocks);
    for (size_t block = 0; block < blocks; ++block) parts.emplace_back(options);
    std::vector<std::unique_ptr<QueryMatcher>> matchers(std::max(1u, threads));
    const auto& run_names = run->queries();
    parallel_for(blocks, threads, [&](size_t block, unsigned worker) {
        auto& matcher = matchers[worker];
        if (!matcher) matcher = std::make_unique<QueryMatcher>(options);
        const size_t begin = block * per_block;
        const size_t end = std::min(names.size(), begin + per_block);
        auto at = std::lower_bound(run_names.begin(), run_names.end(), names[begin]);
        for (size_t q = begin; q < end; ++q) {
            while (at != run_names.end() && *at < names[q]) ++at;
            const QueryRows judged = judgments->query_rows(q);
            if (at != run_names.end() && *at == names[q]) {
                const QueryRows rows = run->query_rows(size_t(at - run_names.begin()));
                matcher->match(&rows, judged, parts[block]);
            } else {
                matcher->match(nullptr, judged, parts[block]);
            }
        }
    });
    auto rankings = gather_in_order(parts, options, threads);
    rankings->names = QueryNames(judgments, &judgments->queries());
    return rankings;
}

std::vector<uint32_t> ranked_rows(const Rows& run, size_t query, const MatchOptions& options, size_t most) {
    const QueryRows rows = run.query_rows(query);
    std::vector<double> scratch, single;
    const double* scores = as_compared(rows.values(scratch), rows.size(), options, single);
    std::vector<uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    if (most > 0 && most < order.size()) {
        std::vector<double> sorted(scores, scores + rows.size());
        std::nth_element(sorted.begin(), sorted.begin() + long(most) - 1, sorted.end(),
                         std::greater<double>());
        const double last = sorted[most - 1];
        std::erase_if(order, [&](uint32_t row) { return scores[row] < last; });
    }
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        if (scores[a] != scores[b]) return scores[a] > scores[b];
        if (options.ties == Ties::input_order) return false;
        const int compared = rows.id(a).compare(rows.id(b));
        return options.ties == Ties::id_ascending ? compared < 0 : compared > 0;
    });
    return order;
}

}  // namespace idealist
