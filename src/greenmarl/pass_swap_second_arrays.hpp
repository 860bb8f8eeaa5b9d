// Replaces the copy of a second array by an exchange of pointers.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Before a loop assigns p_nxt, all its elements are initialised. The content of p_nxt after its
/// copy to p is therefore never read, so the two arrays can exchange their memory.
void swap_second_arrays(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
