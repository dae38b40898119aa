#include "python_dicts.hpp"

#include <cmath>
#include <deque>

namespace idealist {

namespace {

bool as_number(PyObject* object, bool finite, double& number) {
    if (PyFloat_Check(object)) {
        number = PyFloat_AsDouble(object);
    } else if (PyLong_Check(object)) {
        number = PyLong_AsDouble(object);
        if (number == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            return false;
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

class DictCandidates final : public Candidates {
  public:
    DictCandidates(const std::vector<PyObject*>& keys, TextReader& reader) : keys_(keys), reader_(reader) {}
    std::string_view id(uint32_t row) const override { return reader_.read(keys_[row]); }

  private:
    const std::vector<PyObject*>& keys_;
    TextReader& reader_;
};

bool all_keys_are_text(PyObject* dict) {
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (PyDict_Next(dict, &position, &key, &value)) {
        if (!PyUnicode_CheckExact(key)) return false;
    }
    return true;
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

namespace {

std::shared_ptr<Rows> plain_rows(nb::dict queries, bool finite, unsigned threads) {
    Segments segments;
    Arena& arena = segments.arenas.emplace_back();
    SegmentBuilder builder;
    TextReader reader;
    Py_ssize_t query_position = 0;
    PyObject *query, *documents;
    while (PyDict_Next(queries.ptr(), &query_position, &query, &documents)) {
        if (!PyUnicode_CheckExact(query) || !PyDict_Check(documents)) return nullptr;
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
    return std::make_shared<Rows>(std::move(segments), threads);
}

std::shared_ptr<Rankings> match_plain(nb::dict run, const std::shared_ptr<const Rows>& judgments,
                                      const MatchOptions& options) {
    if (!all_keys_are_text(run.ptr())) return nullptr;
    std::vector<RankingsBuilder> parts;
    RankingsBuilder& out = parts.emplace_back(options);
    HitRanker ranker(options);
    TextReader reader;
    std::vector<double> scores, grade_scratch, all_grades;
    std::vector<PyObject*> keys;
    std::vector<Hit> hits;
    for (size_t q = 0; q < judgments->queries().size(); ++q) {
        const QueryRows judged = judgments->query_rows(q);
        const double* grades = judged.values(grade_scratch);
        PyObject* documents = PyDict_GetItemWithError(run.ptr(), to_python(judgments->queries()[q]).ptr());
        if (!documents && PyErr_Occurred()) throw nb::python_error();
        if (documents && !PyDict_Check(documents)) return nullptr;
        scores.clear();
        keys.clear();
        Py_ssize_t position = 0;
        PyObject *key, *value;
        while (documents && PyDict_Next(documents, &position, &key, &value)) {
            double score;
            if (!PyUnicode_CheckExact(key) || !as_number(value, false, score)) return nullptr;
            scores.push_back(options.single_precision ? double(float(score)) : score);
            keys.push_back(key);
        }
        hits.clear();
        all_grades.clear();
        for (size_t i = 0; i < judged.size(); ++i) {
            if (options.negative_unjudged && grades[i] < 0) continue;
            all_grades.push_back(grades[i]);
            if (keys.empty()) continue;
            const std::string_view id = judged.id(i);
            PyObject* found = PyDict_GetItemWithError(documents, to_python(id).ptr());
            if (!found && PyErr_Occurred()) throw nb::python_error();
            if (!found) continue;
            double score = 0;
            as_number(found, false, score);
            hits.push_back({options.single_precision ? double(float(score)) : score, grades[i], id});
        }
        ranker.rank(scores.data(), uint32_t(scores.size()), DictCandidates(keys, reader), hits);
        out.add(uint32_t(scores.size()), documents == nullptr, hits, all_grades);
        reader.clear();
    }
    auto rankings = join(parts, options, 1);
    rankings->names = QueryNames(judgments, &judgments->queries());
    return rankings;
}

}  // namespace

}  // namespace idealist
