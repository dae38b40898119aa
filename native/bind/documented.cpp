#include "bind/documented.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace idealist {

namespace {

constexpr Text texts[] = {
#include <native_texts.inc>
};

}  // namespace

const Text& stub_text(const char* scope, const char* member) {
    const std::string name = std::string(scope) + member;
    const auto* at =
        std::lower_bound(std::begin(texts), std::end(texts), name,
                         [](const Text& text, const std::string& wanted) { return text.name < wanted; });
    if (at == std::end(texts) || at->name != name) {
        throw std::logic_error(name + " is not in src/idealist/kernels/_native.pyi");
    }
    return *at;
}

const Text& stub_text(const char* scope, const char* member, int arguments) {
    const Text& text = stub_text(scope, member);
    if (text.arguments != arguments) {
        throw std::logic_error(std::string(scope) + member + " takes " + std::to_string(arguments) +
                               " arguments, not what src/idealist/kernels/_native.pyi says");
    }
    return text;
}

}  // namespace idealist
