// What the four compiler drivers differ in.
#pragma once

namespace Atoll::record {

extern const bool kIsGcc;        ///< the driver calls gcc, not clang
extern const bool kIsCplusplus;  ///< it compiles C++

}  // namespace Atoll::record
