// Emits C++ from the intermediate representation.
#pragma once

#include <string>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Returns a whole program, with `description` as a literal, against
/// include/atoll/program/program.hpp, as a person would write it: loops over nodes use raw pointers
/// that each chunk of iterations takes once.
[[nodiscard]] std::string emit(const ir::Procedure& procedure, const Procedure& description);

}  // namespace Atoll::greenmarl
