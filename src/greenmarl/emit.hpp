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
/// The part of it that a library has, too: the function and describe().
[[nodiscard]] std::string emit_part(const ir::Procedure& procedure, const Procedure& description);

/// The lines before a library's first procedure.
[[nodiscard]] std::string library_includes();
/// Makes the header and the C++ of a library from its name and its procedures.
void emit_library(Library& library);

}  // namespace Atoll::greenmarl
