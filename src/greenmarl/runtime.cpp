// The failures of compiled programs.
#include "atoll/greenmarl/runtime.hpp"

#include <string>

#include "atoll/base/error.hpp"

namespace Atoll::greenmarl {

void fail_division_by_zero(const char* where) {
  throw Error::failed(where, "an integer is divided by zero", "test the divisor first");
}

void fail_too_large_for_int(const char* where, std::int64_t value) {
  throw Error::failed(where, std::to_string(value) + " does not fit into an Int",
                      "declare the variable as Long");
}

}  // namespace Atoll::greenmarl
