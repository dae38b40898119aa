#include "python_dicts.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <deque>

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

struct NotText {};

// The bytes of an exact str, borrowed from it where Python keeps them, else held here.
class TextReader {
  public:
    std::string_view read(PyObject* text) {
        Py_ssize_t size = 0;
        const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
        if (bytes) return {bytes, size_t(size)};
        PyErr_Clear();
        std::optional<std::string> encoded = to_text(text);
        if (!encoded) throw NotText{};
        return kept_.emplace_back(std::move(*encoded));
    }
    void clear() { kept_.clear(); }

  private:
    std::deque<std::string> kept_;
};

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

// Python's floats for numbers of which the same come again and again, as values of measures do.
class FloatMaker {
  public:
    // Borrowed, until the next call.
    PyObject* make(double number) {
        const auto bits = std::bit_cast<uint64_t>(number);
        Entry& entry = entries_[(bits * 0x9E3779B97F4A7C15u) >> (64 - width)];
        if (!entry.object.is_valid() || entry.bits != bits) {
            entry.object = nb::steal(PyFloat_FromDouble(number));
            if (!entry.object.is_valid()) throw nb::python_error();
            entry.bits = bits;
        }
        return entry.object.ptr();
    }

  private:
    static constexpr int width = 6;
    struct Entry {
        uint64_t bits = 0;
        nb::object object;
    };
    std::array<Entry, size_t(1) << width> entries_;
};

// The number of a judged query, QueryFinder::absent for another; nothing for what is no text.
std::optional<uint32_t> find_query(nb::handle query, QueryFinder& finder, TextReader& reader) {
    if (!PyUnicode_Check(query.ptr())) return std::nullopt;
    try {
        const uint32_t found = finder.find(reader.read(query.ptr()));
        reader.clear();
        return found;
    } catch (const NotText&) {
        return std::nullopt;
    }
}

std::shared_ptr<Rows> plain_rows(nb::dict queries, bool finite, unsigned threads);
std::shared_ptr<Rankings> match_plain(nb::dict run, const std::shared_ptr<const Rows>& judgments,
                                      const MatchOptions& options);

}  // namespace

nb::str to_python(std::string_view text) {
    PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "surrogateescape");
    if (!decoded) throw nb::python_error();
    return nb::steal<nb::str>(decoded);
}

std::optional<std::string> to_text(nb::handle text) {
    PyObject* encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape");
    if (!encoded) {
        PyErr_Clear();
        return std::nullopt;
    }
    const nb::bytes bytes = nb::steal<nb::bytes>(encoded);
    return std::string(bytes.c_str(), bytes.size());
}

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

nb::dict values_by_query(nb::iterable queries, const Rows& judgments, const std::vector<nb::str>& names,
                         const std::vector<const Numbers*>& columns) {
    if (names.size() != columns.size()) throw nb::value_error("a name for every column is needed");
    for (const Numbers* column : columns) {
        if (column->size() != judgments.queries().size()) throw nb::value_error("values of other queries");
    }
    // Copying a dict and replacing its values takes half the time of filling an empty one; what is 0 is then
    // there already.
    nb::dict blank;
    for (const nb::str& name : names) blank[name] = 0.0;
    std::vector<FloatMaker> floats(names.size());
    nb::dict result;
    QueryFinder finder(judgments);
    TextReader reader;
    for (const nb::handle query : queries) {
        const std::optional<uint32_t> judged = find_query(query, finder, reader);
        if (!judged) throw nb::type_error("a query's id is text");
        if (*judged == QueryFinder::absent) continue;
        const nb::object values = nb::steal(PyDict_Copy(blank.ptr()));
        if (!values.is_valid()) throw nb::python_error();
        for (size_t i = 0; i < names.size(); ++i) {
            const double value = (*columns[i])[*judged];
            if (value == 0) continue;
            if (PyDict_SetItem(values.ptr(), names[i].ptr(), floats[i].make(value)) < 0)
                throw nb::python_error();
        }
        if (PyDict_SetItem(result.ptr(), query.ptr(), values.ptr()) < 0) throw nb::python_error();
    }
    return result;
}

namespace {

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
            __builtin_prefetch(key);
            __builtin_prefetch(value);
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

}  // namespace idealist
