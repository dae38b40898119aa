// Python's text to UTF-8 and back. The caller holds the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace idealist {

namespace nb = nanobind;

// Ids are UTF-8; bytes that are not stay as they are, through Python's surrogateescape.
nb::str to_python(std::string_view text);
// Nothing for a lone surrogate that stands for no byte: that is no text.
std::optional<std::string> to_text(nb::handle text);

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

}  // namespace idealist
