#include "bind/python_text.hpp"

namespace idealist {

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

}  // namespace idealist
