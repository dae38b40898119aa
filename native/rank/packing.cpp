#include "rank/packing.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/columns.hpp"

namespace idealist {

namespace {

// How many there are, then the items as they lie in memory.
class Packer {
  public:
    template <class Items>
    void add(const Items& items) {
        using Item = std::remove_cvref_t<decltype(*items.data())>;
        static_assert(std::is_trivially_copyable_v<Item>);
        const uint64_t count = items.size();
        bytes_.append(reinterpret_cast<const char*>(&count), sizeof count);
        if (count) bytes_.append(reinterpret_cast<const char*>(items.data()), count * sizeof(Item));
    }
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

class Unpacker {
  public:
    explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

    template <class Item>
    void take(std::vector<Item>& items) {
        items.resize(count<Item>());
        copy(items.data(), items.size());
    }
    template <class Item>
    void take(Column<Item>& items) {
        items.resize_uninitialised(count<Item>());
        copy(items.data(), items.size());
    }
    bool done() const { return bytes_.empty(); }

  private:
    template <class Item>
    size_t count() {
        uint64_t size;
        if (bytes_.size() < sizeof size) throw std::invalid_argument("the packed rankings are incomplete");
        std::memcpy(&size, bytes_.data(), sizeof size);
        bytes_.remove_prefix(sizeof size);
        if (size > bytes_.size() / sizeof(Item))
            throw std::invalid_argument("the packed rankings are incomplete");
        return size_t(size);
    }
    template <class Item>
    void copy(Item* to, size_t count) {
        if (count) std::memcpy(to, bytes_.data(), count * sizeof(Item));
        bytes_.remove_prefix(count * sizeof(Item));
    }

    std::string_view bytes_;
};

struct Names {
    std::vector<char> text;
    std::vector<std::string_view> list;
};

// The same members in the same order, for packing and for unpacking.
template <class R, class Visit>
void for_members(R& rankings, Visit&& visit) {
    visit(rankings.retrieved);
    visit(rankings.missing);
    visit(rankings.hit_begin);
    visit(rankings.rank);
    visit(rankings.grade);
    visit(rankings.tied);
    visit(rankings.ties);
    visit(rankings.left_out);
    visit(rankings.judged_begin);
    visit(rankings.judged_grade);
    visit(rankings.judged_count);
}

bool is_begin(const std::vector<uint64_t>& begin, size_t queries, size_t items) {
    return begin.size() == queries + 1 && begin.front() == 0 && begin.back() == items &&
           std::is_sorted(begin.begin(), begin.end());
}

void refuse_mismatch(const Rankings& r) {
    const size_t queries = r.queries();
    const bool fits =
        r.names->size() == queries && r.missing.size() == queries &&
        is_begin(r.hit_begin, queries, r.rank.size()) && r.grade.size() == r.rank.size() &&
        (r.tied.empty() || r.tied.size() == r.rank.size()) &&
        is_begin(r.judged_begin, queries, r.judged_grade.size()) &&
        r.judged_count.size() == r.judged_grade.size() &&
        std::all_of(r.ties.begin(), r.ties.end(), [&](const TieBlock& tie) { return tie.query < queries; }) &&
        std::all_of(r.left_out.begin(), r.left_out.end(),
                    [&](const LeftOut& left_out) { return left_out.query < queries; });
    if (!fits) throw std::invalid_argument("these bytes are not packed rankings");
}

}  // namespace

std::string packed(const Rankings& rankings) {
    Packer packer;
    std::vector<uint64_t> sizes{rankings.depth};
    std::string text;
    for (const std::string_view name : *rankings.names) {
        sizes.push_back(name.size());
        text += name;
    }
    packer.add(sizes);
    packer.add(text);
    for_members(rankings, [&](const auto& items) { packer.add(items); });
    return packer.take();
}

std::shared_ptr<Rankings> unpacked(std::string_view bytes) {
    Unpacker unpacker(bytes);
    std::vector<uint64_t> sizes;
    auto names = std::make_shared<Names>();
    unpacker.take(sizes);
    unpacker.take(names->text);
    if (sizes.empty() || sizes[0] > all_ranks)
        throw std::invalid_argument("these bytes are not packed rankings");
    std::string_view left(names->text.data(), names->text.size());
    for (size_t i = 1; i < sizes.size(); ++i) {
        if (sizes[i] > left.size()) throw std::invalid_argument("these bytes are not packed rankings");
        names->list.push_back(left.substr(0, size_t(sizes[i])));
        left.remove_prefix(size_t(sizes[i]));
    }
    auto rankings = std::make_shared<Rankings>();
    rankings->names = QueryNames(names, &names->list);
    rankings->depth = uint32_t(sizes[0]);
    for_members(*rankings, [&](auto& items) { unpacker.take(items); });
    if (!unpacker.done()) throw std::invalid_argument("these bytes are not packed rankings");
    refuse_mismatch(*rankings);
    return rankings;
}

}  // namespace idealist
