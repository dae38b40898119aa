// Functions and classes with the signatures and the docstrings of the stub, _native.pyi, which texts.py puts
// into the build. What the stub does not have, or has with another number of arguments, cannot be bound.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <type_traits>
#include <utility>

namespace idealist {

namespace nb = nanobind;

struct Text {
    const char* name;
    const char* signature;
    const char* doc;
    int arguments;
};

// What the stub says of a function, a class, or a member of a class ("Values." and "sum").
const Text& stub_text(const char* scope, const char* name);
const Text& stub_text(const char* scope, const char* name, int arguments);

template <class Function>
struct Arguments : Arguments<decltype(&Function::operator())> {};
template <class Result, class... Each>
struct Arguments<Result (*)(Each...)> {
    static constexpr int count = int(sizeof...(Each));
};
template <class Result, class... Each>
struct Arguments<Result(Each...)> : Arguments<Result (*)(Each...)> {};
template <class Owner, class Result, class... Each>
struct Arguments<Result (Owner::*)(Each...)> {
    static constexpr int count = 1 + int(sizeof...(Each));
};
template <class Owner, class Result, class... Each>
struct Arguments<Result (Owner::*)(Each...) const> : Arguments<Result (Owner::*)(Each...)> {};
// A lambda is its own object: what it takes does not count it.
template <class Function>
constexpr int arguments_of() {
    if constexpr (std::is_class_v<Function>) {
        return Arguments<Function>::count - 1;
    } else {
        return Arguments<Function>::count;
    }
}

struct Module : nb::module_ {
    explicit Module(const nb::module_& module) : nb::module_(module) {}

    template <class Function, class... Extra>
    void def(const char* name, Function&& function, const Extra&... extra) {
        const Text& text = stub_text("", name, arguments_of<std::remove_cvref_t<Function>>());
        nb::module_::def(name, std::forward<Function>(function), nb::sig(text.signature), text.doc, extra...);
    }
};

template <class T>
struct Class : nb::class_<T> {
    template <class... Extra>
    Class(Module& module, const char* name, const Extra&... extra)
        : nb::class_<T>(module, name, stub_text("", name).doc, extra...), scope(std::string(name) + ".") {}

    template <class Function, class... Extra>
    Class& def(const char* name, Function&& function, const Extra&... extra) {
        const Text& text = stub_text(scope.c_str(), name, arguments_of<std::remove_cvref_t<Function>>());
        nb::class_<T>::def(name, std::forward<Function>(function), nb::sig(text.signature), text.doc,
                           extra...);
        return *this;
    }
    template <class... Each>
    Class& def(nb::init<Each...>) {
        return def("__init__", [](T* self, Each... each) { new (self) T(std::move(each)...); });
    }
    // One of several functions of this name, for another kind of its one argument.
    template <class Function, class... Extra>
    Class& def_for(const char* kind, const char* name, Function&& function, const Extra&... extra) {
        const Text& text = stub_text(scope.c_str(), name, arguments_of<std::remove_cvref_t<Function>>());
        std::string signature = text.signature;
        const size_t begin = signature.find(": ") + 2;
        signature.replace(begin, signature.find(", /") - begin, kind);
        nb::class_<T>::def(name, std::forward<Function>(function), nb::sig(signature.c_str()), text.doc,
                           extra...);
        return *this;
    }
    template <class Function>
    Class& def_prop_ro(const char* name, Function&& function) {
        const Text& text = stub_text(scope.c_str(), name);
        nb::class_<T>::def_prop_ro(name, std::forward<Function>(function), nb::sig(text.signature), text.doc);
        return *this;
    }

    std::string scope;
};

}  // namespace idealist
