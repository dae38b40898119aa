#include "bind/bindings.hpp"

#include <cerrno>
#include <stdexcept>

#include "base/segments.hpp"
#include "base/system.hpp"
#include "rank/dense.hpp"
#include "read/arrow_input.hpp"
#include "read/arrow_types.hpp"
#include "read/trec_text.hpp"

NB_MODULE(_native, m) {
    using namespace idealist;
    // Taking the lock again after having let go of it would wait for ever there.
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        throw std::runtime_error("idealist cannot be imported in a subinterpreter: use threads or processes");
    }
    nb::exception<FileChanged>(m, "FileChanged", PyExc_OSError);
    nb::exception<ArrowFailed>(m, "ArrowFailed", PyExc_ValueError);
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
