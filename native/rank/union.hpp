// Several runs side by side: by query, one row for each document that any of them has.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/columns.hpp"
#include "base/query_rows.hpp"
#include "base/rows.hpp"
#include "rank/match_options.hpp"

namespace idealist {

class Union {
  public:
    // Documents of a query are in the order in which they first appear, run after run.
    Union(std::vector<std::shared_ptr<const Rows>> runs, const MatchOptions& options, unsigned threads);
    Union(const Union&) = delete;
    Union& operator=(const Union&) = delete;

    size_t runs() const { return runs_.size(); }
    size_t rows() const { return size_t(query_begin_.back()); }
    const std::vector<std::string_view>& queries() const { return names_; }
    std::span<const uint64_t> query_begin() const { return query_begin_; }
    // Run after run, a number for every row: nan and 0 where the run lacks the document.
    const Column<double>& scores() const { return scores_; }
    const Column<uint32_t>& ranks() const { return ranks_; }
    // Query after query, how many documents each run has.
    std::span<const uint32_t> retrieved() const { return retrieved_; }

    // A run of the united documents with a new score each, best first; those whose score is nan are left
    // out.
    std::shared_ptr<Rows> with_scores(const double* scores, unsigned threads) const;
    // For the queries [begin, end): how many documents of its query stand at or below each one, where they
    // are sorted by the weighted majority of the runs. Even votes keep the order of Borda's count, then ids.
    std::vector<double> majority(std::span<const double> weights, size_t begin, size_t end,
                                 unsigned threads) const;

  private:
    struct Worker;
    static constexpr uint32_t lacking = ~0u;

    void name_queries();
    void count_rows();
    void join(size_t query, Worker& worker);
    void fill(size_t query, Worker& worker);
    void gather_ids(size_t query, Worker& worker) const;
    void sort_by_majority(size_t query, std::span<const double> weights, Worker& worker, double* out) const;
    QueryRows rows_of(size_t query, size_t run) const {
        return runs_[run]->query_rows(query_in_[query * runs() + run]);
    }
    bool has(size_t query, size_t run) const { return query_in_[query * runs() + run] != lacking; }
    size_t rows_in(size_t query) const { return size_t(query_begin_[query + 1] - query_begin_[query]); }
    template <class Task>
    void each_query(size_t begin, size_t end, unsigned threads, Task&& task) const;

    std::vector<std::shared_ptr<const Rows>> runs_;
    MatchOptions options_;
    std::vector<std::string_view> names_;  // in bytewise order
    std::vector<uint32_t> query_in_;       // the query's number in each run
    std::vector<uint32_t> retrieved_;
    std::vector<uint64_t> slot_begin_, query_begin_;
    Column<uint32_t> slots_;  // for each row of each run, its row among those of the query here
    Column<double> scores_;
    Column<uint32_t> ranks_;
};

}  // namespace idealist
