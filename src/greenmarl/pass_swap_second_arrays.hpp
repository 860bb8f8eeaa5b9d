// Turns the copy of a second array back into an exchange of pointers.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Every loop that assigns p_nxt first makes sure that all its elements have values, so nothing
/// reads what is left in it after the copy to p. So the two can exchange their memory instead.
void swap_second_arrays(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
