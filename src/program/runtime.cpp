// Throws the errors of compiled programs.
#include "atoll/program/runtime.hpp"

#include <limits>
#include <string>

#include "atoll/base/error.hpp"

namespace Atoll::program {

void fail_division_by_zero(const char* where) {
  throw Error::failed(where, "an integer is divided by zero", "test the divisor first");
}

std::int32_t infinity_or_fail(const char* where, std::int64_t value) {
  using Int = std::numeric_limits<std::int32_t>;
  if (value == std::numeric_limits<std::int64_t>::max()) return Int::max();
  if (value == std::numeric_limits<std::int64_t>::min()) return Int::min();
  throw Error::failed(where, std::to_string(value) + " does not fit into an Int",
                      "declare the variable as Long");
}

void fail_nil(const char* where) {
  throw Error::failed(where, "a node or edge is NIL here", "test it first: != NIL");
}

void fail_empty(const char* what, const char* where) {
  throw Error::failed(where, std::string(what) + "() of nothing", "test Size() first");
}

void fail_no_choice(const char* where) {
  throw Error::failed(where, "Rand() of a number below 1", "ask for a positive one");
}

}  // namespace Atoll::program
