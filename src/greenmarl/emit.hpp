// Emits C++ from the intermediate representation.
#pragma once

#include <string>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Returns a whole program with `description` as a literal, for the interface of
/// include/atoll/program/program.hpp. The code resembles hand-written code: loops over nodes use
/// raw pointers, which each chunk of iterations obtains once.
[[nodiscard]] std::string emit(const ir::Procedure& procedure, const Procedure& description);
/// Returns the part that a library also contains: the function, add_types() if the procedure has
/// collections, and describe().
[[nodiscard]] std::string emit_part(const ir::Procedure& procedure, const Procedure& description);
/// Returns the Entry of a procedure whose part is in a namespace; `scope` is "" or ends with "::".
[[nodiscard]] std::string entry_text(std::string_view scope, std::string_view function_name,
                                     const Procedure& description);

/// Returns the lines before a library's first procedure.
[[nodiscard]] std::string library_includes();
/// Fills the header and the C++ code of a library from its name and procedures.
void emit_library(Library& library);

}  // namespace Atoll::greenmarl
