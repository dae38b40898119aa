// Run × judgments → rankings while the run is read, window by window. Rows are not kept, so memory does not
// grow with the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rows.hpp"
#include "base/segments.hpp"
#include "rank/match_options.hpp"
#include "rank/rankings.hpp"
#include "read/windows.hpp"

namespace idealist {

// Why the rows must be seen together: a bad line, a document that appears twice, or a query whose rows do
// not lie together.
enum class Stop { bad_row, duplicate, scattered };

struct Streamed {
    std::shared_ptr<Rankings> rankings;
    size_t run_queries;
    uint64_t rows;
};

class Stream {
  public:
    Stream(std::shared_ptr<const Rows> judgments, const MatchOptions& options, unsigned threads);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    // False when it stopped; what was read so far is then of no use.
    bool add(Window& window);
    // All rows of some queries, none of which was there before: a part of a run that was sorted out on disk.
    void add_queries(const Rows& rows);
    const std::optional<Stop>& stopped() const { return stopped_; }
    uint64_t rows() const { return rows_; }
    // How many of them have an infinite number.
    uint64_t infinite() const { return infinite_; }
    // The rankings of all judged queries.
    Streamed finish();

  private:
    struct Remains;
    class Worker;
    class Appearances;
    struct Open;
    struct Border;

    Worker& worker(unsigned number);
    bool stop(Stop why);
    bool join(std::vector<Remains>& pieces);
    std::vector<Border> borders(const std::vector<Remains>& pieces, bool& together);
    void keep_open(const Border& last, const std::vector<Segment>& segments);

    std::shared_ptr<const Rows> judgments_;
    MatchOptions options_;
    unsigned threads_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::unique_ptr<Appearances> appearances_;
    std::unique_ptr<Open> open_;
    std::optional<Stop> stopped_;
    uint64_t rows_ = 0, infinite_ = 0;
};

}  // namespace idealist
