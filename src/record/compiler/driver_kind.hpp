// Differences between the four compiler drivers.
#pragma once

namespace Atoll::record {

extern const bool kIsGcc;        ///< the driver calls gcc, not clang
extern const bool kIsCplusplus;  ///< it compiles C++

}  // namespace Atoll::record
