#include "rank/group_views.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "rank/match_options.hpp"
#include "rank/rankings_builder.hpp"
#include "rank/ties.hpp"
#include "rank/views.hpp"

namespace idealist {

std::shared_ptr<Rankings> by_group(const Rankings& numbered, const Membership& members) {
    refuse_averaged(numbered);
    const size_t documents = members.begin.empty() ? 0 : members.begin.size() - 1;
    if (members.groups.size() != numbered.queries() || members.group.size() != members.grade.size() ||
        members.begin.empty() || members.begin.front() != 0 || members.begin.back() != members.group.size() ||
        !std::is_sorted(members.begin.begin(), members.begin.end())) {
        throw std::invalid_argument("the groups were made for other rankings");
    }
    std::vector<size_t> first_group{0};
    for (const uint32_t count : members.groups) first_group.push_back(first_group.back() + count);
    const size_t groups = first_group.back();
    struct Entry {
        uint32_t rank;
        double grade;
    };
    std::vector<std::vector<Entry>> hits(groups);
    std::vector<std::vector<double>> judged(groups);
    for (size_t q = 0; q < numbered.queries(); ++q) {
        auto each_entry = [&](double number, auto&& use) {
            if (!(number >= 0 && number < double(documents)))
                throw std::invalid_argument("a document number lies outside the table of members");
            const size_t document = size_t(number);
            for (size_t e = members.begin[document]; e < members.begin[document + 1]; ++e) {
                if (members.group[e] < first_group[q] || members.group[e] >= first_group[q + 1]) {
                    throw std::invalid_argument("a document belongs to a group of another query");
                }
                use(members.group[e], members.grade[e]);
            }
        };
        for (size_t i = numbered.hit_begin[q]; i < numbered.hit_begin[q + 1]; ++i) {
            each_entry(numbered.grade[i], [&](uint32_t group, double grade) {
                hits[group].push_back({numbered.rank[i], grade});
            });
        }
        for (size_t i = numbered.judged_begin[q]; i < numbered.judged_begin[q + 1]; ++i) {
            each_entry(numbered.judged_grade[i],
                       [&](uint32_t group, double grade) { judged[group].push_back(grade); });
        }
    }
    const MatchOptions options;
    std::vector<RankingsBuilder> parts;
    RankingsBuilder& out = parts.emplace_back(options);
    std::vector<Hit> its_hits;
    for (size_t q = 0; q < numbered.queries(); ++q) {
        for (size_t group = first_group[q]; group < first_group[q + 1]; ++group) {
            its_hits.clear();
            for (const Entry& entry : hits[group]) its_hits.push_back({0, entry.grade, {}, entry.rank, 1});
            out.add(numbered.retrieved[q], numbered.missing[q] != 0, its_hits, judged[group]);
        }
    }
    auto rankings = gather_in_order(parts, options, 1);
    // Each is called like its query; the names live as long as the query's do.
    struct Names {
        QueryNames kept;
        std::vector<std::string_view> names;
    };
    auto names = std::make_shared<Names>(Names{numbered.names, {}});
    names->names.reserve(groups);
    for (size_t q = 0; q < numbered.queries(); ++q) {
        names->names.insert(names->names.end(), members.groups[q], (*numbered.names)[q]);
    }
    rankings->names = QueryNames(names, &names->names);
    rankings->depth = numbered.depth;
    return rankings;
}

}  // namespace idealist
