// Emits C++ of the procedure's function.
#pragma once

#include <string>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Returns template <class Node, class Edge> void name(Atoll::program::Run<Node, Edge>& run) { … }
[[nodiscard]] std::string emit_function(const ir::Procedure& procedure, const std::string& name);

}  // namespace Atoll::greenmarl
