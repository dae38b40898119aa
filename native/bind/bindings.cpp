#include "bind/bindings.hpp"

#include <cerrno>
#include <stdexcept>

#include "base/ids.hpp"
#include "base/interrupts.hpp"
#include "base/segments.hpp"
#include "base/system.hpp"
#include "rank/dense.hpp"
#include "read/arrow_input.hpp"
#include "read/arrow_types.hpp"
#include "read/trec_text.hpp"

namespace idealist {

namespace {

// From the secret of Python's own hashes: PYTHONHASHSEED settles both.
HashSecret drawn_secret() {
    const auto drawn = [](const char* purpose) {
        const Py_hash_t hash = PyObject_Hash(nb::str(purpose).ptr());
        if (hash == -1) throw nb::python_error();
        return uint64_t(hash);
    };
    // Odd, so that no digit is lost by multiplying.
    return {known_secret.first ^ drawn("idealist, first secret"),
            known_secret.second ^ drawn("idealist, second secret"),
            (known_secret.third ^ drawn("idealist, third secret")) | 1};
}

bool python_signal_came() {
    const nb::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
}

}  // namespace

}  // namespace idealist

NB_MODULE(_native, module) {
    using namespace idealist;
    // Taking the lock again after having let go of it would wait for ever there.
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        throw std::runtime_error("idealist cannot be imported in a subinterpreter: use threads or processes");
    }
    process_secret = drawn_secret();
    signal_came = python_signal_came;
    Module m(module);
    m.attr("__doc__") = "The core: reads, joins and sums.";
    nb::exception<FileChanged>(m, "FileChanged", PyExc_OSError).attr("__doc__") =
        stub_text("", "FileChanged").doc;
    nb::exception<ArrowFailed>(m, "ArrowFailed", PyExc_ValueError).attr("__doc__") =
        stub_text("", "ArrowFailed").doc;
    nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
        try {
            std::rethrow_exception(pointer);
        } catch (const SystemRefused& refused) {
            errno = refused.code;
            PyErr_SetFromErrno(PyExc_OSError);
        } catch (const TooMuchText&) {
            try {
                const nb::object kind = nb::module_::import_("idealist.errors").attr("InputError");
                PyErr_SetObject(
                    kind.ptr(),
                    kind("the document ids of one query, or of one block of rows, take more than 4 GiB",
                         nb::arg("hint") = "shorten the ids, or leave documents out")
                        .ptr());
            } catch (nb::python_error& error) {
                error.restore();
            }
        } catch (const Interrupted&) {
            // Its error is set.
        } catch (const BadCell& cell) {
            PyErr_Format(PyExc_ValueError, "row %zu, column %zu: the %s is not a %snumber", cell.row,
                         cell.column, cell.is_score ? "score" : "grade", cell.is_score ? "" : "finite ");
        }
    });
    bind_numbers(m);
    bind_rows(m);
    bind_oddities(m);
    bind_text(m);
    bind_rankings(m);
    bind_kernels(m);
    bind_learning(m);
    bind_views(m);
    bind_windows(m);
    bind_union(m);
    bind_features(m);
}
