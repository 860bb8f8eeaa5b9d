// Compiled once for each driver, with ATOLL_GCC and ATOLL_CPLUSPLUS (0 or 1).
#include "record/compiler/driver_kind.hpp"

namespace Atoll::record {

const bool kIsGcc = ATOLL_GCC != 0;
const bool kIsCplusplus = ATOLL_CPLUSPLUS != 0;

}  // namespace Atoll::record
