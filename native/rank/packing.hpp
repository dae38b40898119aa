// Rankings as bytes, on their way between processes of one machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "rank/rankings.hpp"

namespace idealist {

std::string packed(const Rankings&);
// Throws std::invalid_argument where the bytes are not of rankings.
std::shared_ptr<Rankings> unpacked(std::string_view bytes);

}  // namespace idealist
