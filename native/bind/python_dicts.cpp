#include "bind/python_dicts.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.hpp"
#include "base/compiler.hpp"
#include "base/query_rows.hpp"
#include "base/segments.hpp"
#include "bind/python_text.hpp"
#include "rank/hit_ranker.hpp"
#include "rank/rankings_builder.hpp"
#include "rank/ties.hpp"

namespace idealist {

namespace {

bool as_number(PyObject* object, bool finite, double& number) {
    if (PyFloat_CheckExact(object)) {
#if defined(Py_LIMITED_API)
        number = PyFloat_AsDouble(object);
#else
        number = PyFloat_AS_DOUBLE(object);
#endif
    } else if (PyFloat_Check(object)) {
        number = PyFloat_AsDouble(object);
    } else if (PyLong_Check(object)) {
        number = PyLong_AsDouble(object);
        if (number == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            return false;
        }
        // Whole numbers that a double cannot hold would tie with their neighbours.
        constexpr double exact = 9007199254740992.0;
        if (number > exact || number < -exact || number == exact || number == -exact) {
            // One of a class of its own may have an __eq__ that changes the dict whose keys are in use.
            if (!PyLong_CheckExact(object)) return false;
            const nb::object back = nb::steal(PyLong_FromDouble(number));
            if (!back.is_valid()) {
                PyErr_Clear();
                return false;
            }
            const int same = PyObject_RichCompareBool(back.ptr(), object, Py_EQ);
            if (same < 0) PyErr_Clear();
            if (same != 1) return false;
        }
    } else {
        return false;
    }
    return finite ? std::isfinite(number) : !std::isnan(number);
}

// A judged query of a run.
struct Visit {
    uint32_t judged;
    PyObject* documents;
};

class DictCandidates final : public Candidates {
  public:
    DictCandidates(const std::vector<PyObject*>& keys, TextReader& reader) : keys_(keys), reader_(reader) {}
    std::string_view id(uint32_t row) const override { return reader_.read(keys_[row]); }

  private:
    const std::vector<PyObject*>& keys_;
    TextReader& reader_;
};

// A dict whose order is that of PyDict_Next: not an OrderedDict, which may have been rearranged.
bool is_plain_dict(PyObject* object) {
    if (PyDict_CheckExact(object)) return true;
    if (!PyDict_Check(object)) return false;
    const nb::object type = nb::module_::import_("collections").attr("defaultdict");
    return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type.ptr();
}

PyObject* find(PyObject* dict, std::string_view key) {
    PyObject* found = PyDict_GetItemWithError(dict, to_python(key).ptr());
    if (!found && PyErr_Occurred()) throw nb::python_error();
    return found;
}

std::shared_ptr<Rows> plain_rows(nb::dict queries, bool finite, unsigned threads) {
    Segments segments;
    Arena& arena = segments.arenas.emplace_back();
    SegmentBuilder builder;
    TextReader reader;
    Py_ssize_t query_position = 0;
    PyObject *query, *documents;
    while (PyDict_Next(queries.ptr(), &query_position, &query, &documents)) {
        if (!PyUnicode_CheckExact(query) || !is_plain_dict(documents)) return nullptr;
        if (builder.full()) segments.list.push_back(builder.store(arena));
        builder.begin_group(reader.read(query));
        Py_ssize_t position = 0;
        PyObject *document, *value;
        while (PyDict_Next(documents, &position, &document, &value)) {
            double number;
            if (!PyUnicode_CheckExact(document) || !as_number(value, finite, number)) return nullptr;
            builder.add(reader.read(document), number);
        }
        reader.clear();
    }
    segments.list.push_back(builder.store(arena));
    const nb::gil_scoped_release released;
    return std::make_shared<Rows>(std::move(segments), threads, Uniqueness::given);
}

// The judged queries that a run has, in the run's own order, which is that of its memory. Nothing when an
// id is not an exact str, or its documents no dict; what unjudged queries hold is not looked at.
std::optional<std::vector<Visit>> visits(PyObject* run, const Rows& judgments, TextReader& reader) {
    std::vector<Visit> found;
    QueryFinder finder(judgments);
    Py_ssize_t position = 0;
    PyObject *query, *documents;
    while (PyDict_Next(run, &position, &query, &documents)) {
        if (!PyUnicode_CheckExact(query) || !PyDict_Check(documents)) return std::nullopt;
        const uint32_t judged = finder.find(reader.read(query));
        if (judged != QueryFinder::absent) found.push_back({judged, documents});
    }
    return found;
}

// One query of a run after the other, in memory that is used again.
class DictMatcher {
  public:
    explicit DictMatcher(const MatchOptions& options) : options_(options), ranker_(options) {}

    // False when something is not plain. Without documents the query is missing from the run.
    bool match(PyObject* documents, const QueryRows& judged, RankingsBuilder& out) {
        if (documents && !(is_plain_dict(documents) && read_scores(documents))) return false;
        const double* grades = judged.values(grade_scratch_);
        hits_.clear();
        all_grades_.clear();
        for (size_t i = 0; i < judged.size(); ++i) {
            if (options_.skips(grades[i])) continue;
            all_grades_.push_back(grades[i]);
            const std::string_view id = judged.id(i);
            PyObject* found = documents ? find(documents, id) : nullptr;
            double score;
            if (found && as_score(found, score)) hits_.push_back({score, grades[i], id});
        }
        std::span<const TiedHits> ties;
        if (documents) {
            const DictCandidates candidates(keys_, reader_);
            ranker_.rank(scores_.data(), uint32_t(scores_.size()), candidates, hits_);
            reader_.clear();
            ties = ranker_.ties();
        }
        out.add(documents ? uint32_t(scores_.size()) : 0, documents == nullptr, hits_, all_grades_, ties);
        return true;
    }

  private:
    bool as_score(PyObject* object, double& score) const {
        if (!as_number(object, false, score)) return false;
        score = options_.compared(score);
        return true;
    }
    bool read_scores(PyObject* documents) {
        keys_.clear();
        values_.clear();
        Py_ssize_t position = 0;
        PyObject *key, *value;
        while (PyDict_Next(documents, &position, &key, &value)) {
            // Each object is a place in memory of its own: all are on their way before the first is looked
            // at.
            prefetch_from(key);
            prefetch_from(value);
            keys_.push_back(key);
            values_.push_back(value);
        }
        scores_.resize(values_.size());
        for (size_t i = 0; i < values_.size(); ++i) {
            if (!PyUnicode_CheckExact(keys_[i]) || !as_score(values_[i], scores_[i])) return false;
        }
        return true;
    }

    MatchOptions options_;
    HitRanker ranker_;
    TextReader reader_;
    std::vector<PyObject*> keys_, values_;
    std::vector<double> scores_, all_grades_, grade_scratch_;
    std::vector<Hit> hits_;
};

std::shared_ptr<Rankings> match_plain(nb::dict run, const std::shared_ptr<const Rows>& judgments,
                                      const MatchOptions& options) {
    TextReader reader;
    const auto found = visits(run.ptr(), *judgments, reader);
    if (!found) return nullptr;
    std::vector<RankingsBuilder> parts;
    RankingsBuilder& out = parts.emplace_back(options);
    DictMatcher matcher(options);
    constexpr Place nowhere{~0u, 0};
    std::vector<Place> places(judgments->queries().size(), nowhere);
    uint32_t measured = 0;
    for (const Visit& visit : *found) {
        if (!matcher.match(visit.documents, judgments->query_rows(visit.judged), out)) return nullptr;
        places[visit.judged] = {0, measured++};
    }
    for (uint32_t q = 0; q < places.size(); ++q) {
        if (places[q].part != nowhere.part) continue;
        matcher.match(nullptr, judgments->query_rows(q), out);
        places[q] = {0, measured++};
    }
    auto rankings = gather(parts, places, options, 1);
    rankings->names = QueryNames(judgments, &judgments->queries());
    return rankings;
}

}  // namespace

std::shared_ptr<Rows> rows_from_dict(nb::dict queries, bool finite, unsigned threads) {
    try {
        return plain_rows(std::move(queries), finite, threads);
    } catch (const NotText&) {
        return nullptr;
    }
}

std::shared_ptr<Rankings> match_dict(nb::dict run, const std::shared_ptr<const Rows>& judgments,
                                     const MatchOptions& options) {
    try {
        return match_plain(std::move(run), judgments, options);
    } catch (const NotText&) {
        return nullptr;
    }
}

}  // namespace idealist
