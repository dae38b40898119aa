#include "read/arrow_input.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "read/arrow_batches.hpp"

namespace idealist {

ArrowReader::ArrowReader(ArrowArrayStream* stream) : stream_(stream) {
    if (stream_->get_schema(stream_.get(), schema_.get()) != 0) {
        const char* why = stream_->get_last_error(stream_.get());
        throw ArrowFailed(why ? why : "the Arrow table has no schema");
    }
    if (std::strcmp(schema_->format, "+s") != 0)
        throw ArrowFailed("a single Arrow column was given, not a table");
    for (int64_t i = 0; i < schema_->n_children; ++i) {
        const ArrowSchema& column = *schema_->children[i];
        names_.emplace_back(column.name ? column.name : "");
        formats_.emplace_back(column.dictionary ? std::string("dictionary<") + column.format + "," +
                                                      column.dictionary->format + ">"
                                                : column.format);
        types_.push_back(type_of(column));
    }
}

void ArrowReader::choose(const ArrowColumns& columns) {
    const size_t count = types_.size();
    if (columns.query >= count || columns.document >= count || columns.number >= count) {
        throw std::out_of_range("a column number is out of bounds");
    }
    if (!types_[columns.query].is_id() || !types_[columns.document].is_id() ||
        !types_[columns.number].is_number()) {
        throw std::invalid_argument("a column has a type that cannot be read as ids or numbers");
    }
    columns_ = columns;
    chosen_ = true;
}

// Makes sure that there are rows to take, unless there are no more.
bool ArrowReader::fetch() {
    while (!batch_ || taken_ == size_t((*batch_)->length)) {
        if (kept_at_ < kept_.size()) {
            batch_ = kept_[kept_at_++];
            taken_ = 0;
            continue;
        }
        if (ended_) {
            batch_ = nullptr;
            break;
        }
        auto batch = std::make_shared<Owned<ArrowArray>>();
        if (stream_->get_next(stream_.get(), batch->get()) != 0) {
            const char* why = stream_->get_last_error(stream_.get());
            throw ArrowFailed(why ? why : "the table could not be read to its end");
        }
        if (!(*batch)->release) {
            ended_ = true;
            batch_ = nullptr;
            break;
        }
        if ((*batch)->length < 0 || (*batch)->n_children != int64_t(types_.size())) {
            throw ArrowFailed("a batch does not match its schema");
        }
        if (uint64_t((*batch)->length) > std::numeric_limits<uint32_t>::max()) {
            throw ArrowFailed("a batch has more than 4,294,967,295 rows");
        }
        batch_ = std::move(batch);
        taken_ = 0;
        if (keeps_) {
            kept_.push_back(batch_);
            kept_at_ = kept_.size();
        }
    }
    return batch_ != nullptr;
}

void ArrowReader::rewind() {
    if (!keeps_) throw std::logic_error("a stream that is not kept cannot be read again");
    batch_ = nullptr;
    kept_at_ = 0;
}

std::shared_ptr<Batches> ArrowReader::pull(size_t rows) {
    if (!chosen_) throw std::logic_error("no columns were chosen");
    auto batches = std::make_shared<Batches>(columns_, types_[columns_.query], types_[columns_.document],
                                             types_[columns_.number]);
    while (batches->rows() < rows && fetch()) {
        const size_t left = size_t((*batch_)->length) - taken_;
        const size_t count = std::min(left, rows - batches->rows());
        batches->add(batch_, taken_, taken_ + count);
        taken_ += count;
    }
    return batches;
}

WindowPtr ArrowReader::next(size_t rows) {
    const auto batches = pull(std::max<size_t>(rows, 1));
    return batches->rows() == 0 ? nullptr : in_order(batches);
}

WindowPtr ArrowReader::regrouped(unsigned threads) {
    return by_query(pull(std::numeric_limits<size_t>::max()), threads);
}

}  // namespace idealist
