// Prints an error's message and chooses the exit code.
#include "atoll/base/exit_code.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

int report(const Error& error) {
  std::fprintf(stderr, "atoll: %s\n", error.what());
  return error.kind() == Error::Kind::input ? 2 : 1;
}

/// Returns advice for this error, which the standard library throws if a thread can't be started.
std::string_view way_out(const std::error_code& code) {
  return code == std::errc::resource_unavailable_try_again
             ? "no more threads can be started; raise 'ulimit -u', or use fewer --threads"
             : "";
}

}  // namespace

int exit_code_of(const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "atoll: out of memory\n");
  } catch (const std::filesystem::filesystem_error& error) {
    return report(Error::input(error.path1().string(), error.code().message()));
  } catch (const std::system_error& error) {
    return report(Error::failed("the system", error.code().message(), way_out(error.code())));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atoll: internal error: %s\n", error.what());
  }
  return 1;
}

}  // namespace Atoll
