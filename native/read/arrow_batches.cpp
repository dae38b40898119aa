#include "read/arrow_batches.hpp"

#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.hpp"
#include "base/columns.hpp"
#include "base/id_table.hpp"
#include "base/ids.hpp"
#include "base/parallel.hpp"
#include "base/problem.hpp"
#include "base/segments.hpp"
#include "read/text_pieces.hpp"

namespace idealist {

namespace {

constexpr size_t piece_rows = size_t(1) << 16;

// A row by the keys of its ids.
struct KeyedRow {
    uint64_t query, document;
    double value;
    uint32_t hash, batch;  // of the query
};

// Counts a row and takes its number; nothing when there is something wrong with it.
std::optional<double> number_at(const Batches& batches, const Cells& queries, const Cells& documents,
                                const Cells& numbers, size_t row, Segment& extra) {
    ++extra.lines;
    if (!queries.valid(row) || !documents.valid(row) || !numbers.valid(row)) {
        const char* what = !queries.valid(row) ? "query" : !documents.valid(row) ? "document" : "number";
        note_problem(extra, Problem::Kind::empty, 0, what);
        return std::nullopt;
    }
    const double value = batches.columns().negated ? -numbers.number(row) : numbers.number(row);
    if (std::isnan(value)) {
        note_problem(extra, Problem::Kind::not_a_number, 0, "nan");
        return std::nullopt;
    }
    if (batches.columns().finite && std::isinf(value)) {
        note_problem(extra, Problem::Kind::not_finite, 0, value > 0 ? "inf" : "-inf");
        return std::nullopt;
    }
    if (!numbers.exact(row)) {
        note_problem(extra, Problem::Kind::not_a_number, 0,
                     numbers.whole_text(row) + ", more digits than a float holds");
        return std::nullopt;
    }
    return value;
}

class ArrowWindow : public Window {
  public:
    explicit ArrowWindow(std::shared_ptr<const Batches> batches)
        : batches_(std::move(batches)), slices_(batches_->slices(piece_rows)) {}
    size_t pieces() const override { return slices_.size(); }

    void parse(size_t piece, unsigned, SegmentBuilder& out) override {
        const auto [batch, begin, end] = slices_[piece];
        const Cells queries = batches_->queries(batch), documents = batches_->documents(batch),
                    numbers = batches_->numbers(batch);
        const size_t count = end - begin;
        out.id_end.reserve(count);
        out.id_hash.reserve(count);
        out.value.reserve(count);
        out.id_text.reserve(count * 16);
        char query_scratch[24], document_scratch[24];
        std::string query;
        std::optional<size_t> query_row;
        for (size_t row = begin; row < end; ++row) {
            const auto value = number_at(*batches_, queries, documents, numbers, row, out.extra);
            if (!value) continue;
            if (!query_row || !queries.surely_same(*query_row, row)) {
                const std::string_view its_query = queries.id(row, query_scratch);
                if (!query_row || !same_text(query, its_query)) {
                    query.assign(its_query);
                    out.begin_group(query);
                }
                query_row = row;
            }
            out.add(documents.id(row, document_scratch), *value);
        }
    }

  private:
    std::shared_ptr<const Batches> batches_;
    std::vector<Batches::Slice> slices_;
};

class RegroupedWindow : public Window {
  public:
    RegroupedWindow(std::shared_ptr<const Batches> batches, unsigned threads) : batches_(std::move(batches)) {
        const size_t rows = batches_->rows();
        while (rows >> shift_ > piece_rows && shift_ < 12) ++shift_;
        const size_t parts = size_t(1) << shift_;
        for (size_t batch = 0; batch < batches_->size(); ++batch) {
            queries_.push_back(batches_->queries(batch));
            documents_.push_back(batches_->documents(batch));
        }
        const auto shares = batches_->shares(std::max(piece_rows, rows / 1024));
        std::vector<size_t> begins{0};
        for (const auto& share : shares) {
            begins.push_back(begins.back());
            for (const auto& slice : share) begins.back() += slice.end - slice.begin;
        }
        Column<uint32_t> hashes;
        hashes.resize_uninitialised(rows);
        std::vector<std::vector<size_t>> next(shares.size(), std::vector<size_t>(parts));
        parallel_for(shares.size(), threads, [&](size_t s, unsigned) {
            uint32_t* hash = hashes.data() + begins[s];
            for (const auto& slice : shares[s]) hash = hash_queries(slice, hash);
            for (size_t i = begins[s]; i < begins[s + 1]; ++i) ++next[s][part_of(hashes[i])];
        });
        begins_.reserve(parts + 1);
        size_t at = 0;
        for (size_t part = 0; part < parts; ++part) {
            begins_.push_back(at);
            for (auto& counts : next) at += std::exchange(counts[part], at);
        }
        begins_.push_back(at);
        rows_.resize_uninitialised(rows);
        parallel_for(shares.size(), threads, [&](size_t s, unsigned) {
            const uint32_t* hash = hashes.data() + begins[s];
            for (const auto& slice : shares[s]) {
                if (!deal(slice, hash, next[s])) return;
                hash += slice.end - slice.begin;
            }
        });
    }
    size_t pieces() const override { return begins_.size() - 1; }

    void parse(size_t piece, unsigned, SegmentBuilder& out) override {
        if (problem_) {
            out.extra.problem = *problem_;
            out.extra.problems = 1;
            return;
        }
        const std::span<const KeyedRow> rows(rows_.data() + begins_[piece],
                                             begins_[piece + 1] - begins_[piece]);
        Grouping grouping;
        group(rows, grouping);
        char scratch[24];
        for (size_t query = 0; query < grouping.names.size(); ++query) {
            out.begin_group(grouping.names[query]);
            for (size_t i = grouping.begins[query]; i < grouping.begins[query + 1]; ++i) {
                if (i + ahead < rows.size()) {
                    const KeyedRow& coming = rows[grouping.order[i + ahead]];
                    documents_[coming.batch].prefetch(coming.document);
                }
                const KeyedRow& row = rows[grouping.order[i]];
                out.add(documents_[row.batch].id_of(row.document, scratch), row.value);
            }
        }
        out.extra.lines += rows.size();
    }

  private:
    static constexpr size_t ahead = 16;  // as many rows as memory can fetch at once

    // The queries of a part, and its rows in their order.
    struct Grouping {
        Arena arena;
        std::vector<std::string_view> names;
        std::vector<uint32_t> begins, order;
    };

    size_t part_of(uint32_t hash) const { return shift_ == 0 ? 0 : hash >> (32 - shift_); }

    // A null has no hash; its row is refused when it is dealt out.
    uint32_t* hash_queries(const Batches::Slice& slice, uint32_t* out) const {
        const Cells& queries = queries_[slice.batch];
        char scratch[24];
        for (size_t row = slice.begin; row < slice.end; ++row) {
            if (!queries.valid(row)) {
                *out++ = 0;
                continue;
            }
            const std::string_view query = queries.id(row, scratch);
            *out++ = hash_id(query.data(), query.size());
        }
        return out;
    }

    // Whether all of its rows are good.
    bool deal(const Batches::Slice& slice, const uint32_t* hashes, std::vector<size_t>& next) {
        const Cells &queries = queries_[slice.batch], &documents = documents_[slice.batch];
        const Cells numbers = batches_->numbers(slice.batch);
        Segment problems;
        for (size_t row = slice.begin; row < slice.end; ++row, ++hashes) {
            const auto value = number_at(*batches_, queries, documents, numbers, row, problems);
            if (!value) break;
            rows_[next[part_of(*hashes)]++] = {queries.key(row), documents.key(row), *value, *hashes,
                                               slice.batch};
        }
        if (!problems.problem) return true;
        const std::lock_guard<std::mutex> lock(problem_lock_);
        problem_ = problems.problem;
        return false;
    }

    void group(std::span<const KeyedRow> rows, Grouping& out) const {
        IdTable table;
        table.reset(rows.size());
        std::vector<uint32_t> numbers(rows.size());
        auto name_of = [&](uint32_t query) { return out.names[query]; };
        char scratch[24];
        for (size_t i = 0; i < rows.size(); ++i) {
            if (i + ahead < rows.size()) queries_[rows[i + ahead].batch].prefetch(rows[i + ahead].query);
            const uint32_t hash = rows[i].hash;
            const std::string_view name = queries_[rows[i].batch].id_of(rows[i].query, scratch);
            uint32_t query = table.find(hash, [&] { return name; }, name_of);
            if (query == IdTable::absent) {
                query = uint32_t(out.names.size());
                const auto kept = out.arena.keep(name.data(), name.size());
                out.names.emplace_back(kept.data(), kept.size());
                table.insert(hash, query, name_of);
            }
            numbers[i] = query;
        }
        out.begins.assign(out.names.size() + 1, 0);
        for (const uint32_t query : numbers) ++out.begins[query + 1];
        std::partial_sum(out.begins.begin(), out.begins.end(), out.begins.begin());
        std::vector<uint32_t> next(out.begins.begin(), out.begins.end() - 1);
        out.order.resize(rows.size());
        for (uint32_t i = 0; i < rows.size(); ++i) out.order[next[numbers[i]]++] = i;
    }

    std::shared_ptr<const Batches> batches_;
    std::vector<Cells> queries_, documents_;  // by batch
    unsigned shift_ = 0;
    std::vector<size_t> begins_;  // of the parts
    Column<KeyedRow> rows_;
    std::mutex problem_lock_;
    std::optional<Problem> problem_;
};

}  // namespace

WindowPtr in_order(std::shared_ptr<const Batches> batches) {
    return std::make_shared<ArrowWindow>(std::move(batches));
}

WindowPtr by_query(std::shared_ptr<const Batches> batches, unsigned threads) {
    return std::make_shared<RegroupedWindow>(std::move(batches), threads);
}

}  // namespace idealist
