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

using SmallGradeCounts = std::array<uint32_t, 32>;

// Counts grades that are small whole numbers; says false, and counts in vain, when one is not.
bool count_small_grades(const std::vector<double>& grades, SmallGradeCounts& counts) {
    counts.fill(0);
    for (const double grade : grades) {
        if (!(grade >= 0 && grade < double(counts.size()))) return false;
        const auto whole = size_t(grade);
        if (double(whole) != grade) return false;
        ++counts[whole];
    }
    return true;
}

bool by_score(const Hit& a, const Hit& b) { return a.score > b.score; }

const double* as_compared(const double* scores, size_t count, bool single, std::vector<double>& scratch) {
    if (!single) return scores;
    scratch.resize(count);
    for (size_t i = 0; i < count; ++i) scratch[i] = double(float(scores[i]));
    return scratch.data();
}

}  // namespace

void HitRanker::rank(const double* scores, uint32_t count, const Candidates& candidates,
                     std::vector<Hit>& hits) {
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
    if (!options_.remove_unjudged) return;
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
        settle_group(before, members_, candidates, &hits[i], &hits[i] + (end - i));
        from = high;
    }
}

void HitRanker::settle_counted(const double* scores, uint32_t count, const Candidates& candidates,
                               std::vector<Hit>& hits) {
    levels_.clear();
    for (const Hit& hit : hits) {
        if (levels_.empty() || levels_.back() != hit.score) levels_.push_back(hit.score);
    }
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
            const auto level =
                size_t(std::lower_bound(levels_.begin(), levels_.end(), scores[row], std::greater<double>()) -
                       levels_.begin());
            const bool equal = level < levels_.size() && levels_[level] == scores[row];
            if (equal) ++equal_[level];
            ++above_[level + equal];
        }
        std::partial_sum(above_.begin(), above_.end(), above_.begin());
    }
    for (size_t i = 0, end, level = 0; i < hits.size(); i = end, ++level) {
        for (end = i + 1; end < hits.size() && hits[end].score == hits[i].score;) ++end;
        members_.clear();
        if (equal_[level] > 1) {
            for (uint32_t row = 0; row < count; ++row) {
                if (scores[row] == levels_[level]) members_.push_back(row);
            }
        } else {
            members_.push_back(0);  // alone: which row it is does not matter
        }
        settle_group(above_[level], members_, candidates, &hits[i], &hits[i] + (end - i));
    }
}

// `members` are the rows that share the score of the hits in [begin, end), in input order.
void HitRanker::settle_group(uint32_t before, const std::vector<uint32_t>& members,
                             const Candidates& candidates, Hit* begin, Hit* end) {
    const uint32_t size = uint32_t(members.size());
    if (size == 1) {
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

void settle_by_grade(uint32_t before, uint32_t size, bool best, Hit* begin, Hit* end) {
    std::sort(begin, end, [](const Hit& a, const Hit& b) { return a.grade > b.grade; });
    const uint32_t unjudged = size - uint32_t(end - begin);
    uint32_t place = 0;  // in the best order
    bool passed_unjudged = false;
    for (Hit* hit = begin; hit != end; ++hit) {
        if (hit->grade < 0 && !passed_unjudged) {
            place += unjudged;
            passed_unjudged = true;
        }
        hit->rank = before + (best ? place + 1 : size - place);
        ++place;
    }
}

void RankingsBuilder::add(uint32_t retrieved, bool missing, const std::vector<Hit>& hits,
                          std::vector<double>& grades) {
    Rankings& out = rankings_;
    out.retrieved.push_back(options_.remove_unjudged ? uint32_t(hits.size()) : retrieved);
    out.missing.push_back(missing);
    for (const Hit& hit : hits) {
        if (hit.rank > options_.depth) break;
        out.rank.push_back(hit.rank);
        out.grade.push_back(hit.grade);
        if (options_.ties == Ties::averaged) out.tied.push_back(hit.tied);
    }
    out.hit_begin.push_back(out.rank.size());
    auto add_level = [&](double grade, size_t count) {
        out.judged_grade.push_back(grade);
        out.judged_count.push_back(uint32_t(count));
    };
    SmallGradeCounts counts;
    if (grades.size() > counts.size() && count_small_grades(grades, counts)) {
        for (size_t grade = counts.size(); grade-- > 0;) {
            if (counts[grade] > 0) add_level(double(grade), counts[grade]);
        }
    } else {
        std::sort(grades.begin(), grades.end(), std::greater<double>());
        for (size_t i = 0, end; i < grades.size(); i = end) {
            for (end = i + 1; end < grades.size() && grades[end] == grades[i];) ++end;
            add_level(grades[i], end - i);
        }
    }
    out.judged_begin.push_back(out.judged_grade.size());
}

std::shared_ptr<Rankings> join(std::vector<RankingsBuilder>& parts, const MatchOptions& options,
                               unsigned threads) {
    auto joined = std::make_shared<Rankings>();
    Rankings& out = *joined;
    out.depth = options.depth;
    std::vector<uint64_t> hits{0}, levels{0};
    std::vector<size_t> queries{0};
    for (RankingsBuilder& part : parts) {
        queries.push_back(queries.back() + part.rankings().queries());
        hits.push_back(hits.back() + part.rankings().rank.size());
        levels.push_back(levels.back() + part.rankings().judged_grade.size());
    }
    out.retrieved.resize(queries.back());
    out.missing.resize(queries.back());
    out.hit_begin.assign(queries.back() + 1, 0);
    out.judged_begin.assign(queries.back() + 1, 0);
    out.rank.resize_uninitialised(hits.back());
    out.grade.resize_uninitialised(hits.back());
    if (options.ties == Ties::averaged) out.tied.resize_uninitialised(hits.back());
    out.judged_grade.resize_uninitialised(levels.back());
    out.judged_count.resize_uninitialised(levels.back());
    parallel_for(parts.size(), threads, [&](size_t p, unsigned) {
        const Rankings& part = parts[p].rankings();
        std::copy(part.retrieved.begin(), part.retrieved.end(), out.retrieved.begin() + long(queries[p]));
        std::copy(part.missing.begin(), part.missing.end(), out.missing.begin() + long(queries[p]));
        std::copy(part.rank.begin(), part.rank.end(), out.rank.data() + hits[p]);
        std::copy(part.grade.begin(), part.grade.end(), out.grade.data() + hits[p]);
        std::copy(part.tied.begin(), part.tied.end(), out.tied.data() + hits[p]);
        std::copy(part.judged_grade.begin(), part.judged_grade.end(), out.judged_grade.data() + levels[p]);
        std::copy(part.judged_count.begin(), part.judged_count.end(), out.judged_count.data() + levels[p]);
        for (size_t q = 0; q < part.queries(); ++q) {
            out.hit_begin[queries[p] + q + 1] = hits[p] + part.hit_begin[q + 1];
            out.judged_begin[queries[p] + q + 1] = levels[p] + part.judged_begin[q + 1];
        }
    });
    return joined;
}

namespace {

// One worker's memory, reused from query to query.
class QueryMatcher {
  public:
    explicit QueryMatcher(const MatchOptions& options) : options_(options), ranker_(options) {}

    void match(const Rows& run, std::optional<size_t> run_query, const Rows& judgments, size_t query,
               RankingsBuilder& out) {
        const QueryRows judged = judgments.query_rows(query);
        const double* grades = judged.values(grade_scratch_);
        all_grades_.clear();
        for (size_t i = 0; i < judged.size(); ++i) {
            if (!skipped(grades[i])) all_grades_.push_back(grades[i]);
        }
        hits_.clear();
        if (!run_query) {
            out.add(0, true, hits_, all_grades_);
            return;
        }
        const QueryRows rows = run.query_rows(*run_query);
        const double* scores =
            as_compared(rows.values(score_scratch_), rows.size(), options_.single_precision, single_scratch_);
        find_hits(rows, scores, judged, grades);
        ranker_.rank(scores, uint32_t(rows.size()), RowCandidates(rows), hits_);
        out.add(uint32_t(rows.size()), false, hits_, all_grades_);
    }

  private:
    bool skipped(double grade) const { return options_.negative_unjudged && grade < 0; }

    void find_hits(const QueryRows& rows, const double* scores, const QueryRows& judged,
                   const double* grades) {
        const uint32_t* judged_hashes = judged.hashes(judged_hash_scratch_);
        const uint32_t* hashes = rows.hashes(hash_scratch_);
        const uint32_t count = uint32_t(rows.size());
        if (judged.size() <= few_judged) {
            for (uint32_t one = 0; one < judged.size(); ++one) {
                if (skipped(grades[one])) continue;
                size_t row = 0;
                while ((row = find_equal(hashes, row, count, judged_hashes[one])) < count) {
                    if (same_text(rows.id(row), judged.id(one))) {
                        hits_.push_back({scores[row], grades[one], judged.id(one)});
                        break;
                    }
                    ++row;
                }
            }
            return;
        }
        table_.reset(judged.size());
        auto judged_id = [&](uint32_t row) { return judged.id(row); };
        for (uint32_t row = 0; row < judged.size(); ++row) {
            if (!skipped(grades[row])) table_.insert(judged_hashes[row], row, judged_id);
        }
        for (uint32_t row = 0; row < count; ++row) {
            const uint32_t found = table_.find(hashes[row], [&] { return rows.id(row); }, judged_id);
            if (found != IdTable::absent) hits_.push_back({scores[row], grades[found], judged.id(found)});
        }
    }

    MatchOptions options_;
    HitRanker ranker_;
    IdTable table_;
    std::vector<Hit> hits_;
    std::vector<double> all_grades_, grade_scratch_, score_scratch_, single_scratch_;
    std::vector<uint32_t> hash_scratch_, judged_hash_scratch_;
};

}  // namespace

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
            std::optional<size_t> run_query;
            if (at != run_names.end() && *at == names[q]) run_query = size_t(at - run_names.begin());
            matcher->match(*run, run_query, *judgments, q, parts[block]);
        }
    });
    auto rankings = join(parts, options, threads);
    rankings->names = QueryNames(judgments, &judgments->queries());
    return rankings;
}

std::vector<uint32_t> ranked_rows(const Rows& run, size_t query, const MatchOptions& options) {
    const QueryRows rows = run.query_rows(query);
    std::vector<double> scratch, single;
    const double* scores = as_compared(rows.values(scratch), rows.size(), options.single_precision, single);
    std::vector<uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        if (scores[a] != scores[b]) return scores[a] > scores[b];
        if (options.ties == Ties::input_order) return false;
        const int compared = rows.id(a).compare(rows.id(b));
        return options.ties == Ties::id_ascending ? compared < 0 : compared > 0;
    });
    return order;
}

}  // namespace idealist
