// Copying a second array back becomes an exchange of pointers.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Every loop that assigns p_nxt first makes sure that all its elements have values, so nobody
/// reads what is left in it after the copy to p: the two may as well exchange their memory.
void swap_second_arrays(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
