// Prints the one line of an error, and chooses the exit code.
#include "atoll/base/exit_code.hpp"

#include <cstdio>
#include <exception>
#include <new>

#include "atoll/base/error.hpp"

namespace Atoll {

int exit_code_of(const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "atoll: %s\n", error.what());
    return error.kind() == Error::Kind::input ? 2 : 1;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "atoll: out of memory\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atoll: internal error: %s\n", error.what());
  }
  return 1;
}

}  // namespace Atoll
