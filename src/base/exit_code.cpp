// Prints an error's message and chooses the exit code.
#include "atoll/base/exit_code.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"

namespace Atoll {
namespace {

int report(const Error& error, ErrorForm form) {
  const int code = error.kind() == Error::Kind::input ? 2 : 1;
  std::fprintf(stderr, "atoll: %s\n", error.what());
  if (form == ErrorForm::json) {
    std::puts(error_json(error.place(), error.problem(), error.way_out(), code).c_str());
    std::fflush(stdout);
  }
  return code;
}

/// Returns advice for this error, which the standard library throws if a thread can't be started.
std::string_view way_out(const std::error_code& code) {
  return code == std::errc::resource_unavailable_try_again
             ? "no more threads can be started; raise 'ulimit -u', or use fewer --threads"
             : "";
}

}  // namespace

std::string error_json(std::string_view place, std::string_view what, std::string_view way_out,
                       int exit_code) {
  const Json json{{"error", {{"what", what}, {"place", place}, {"way_out", way_out}}},
                  {"exit_code", exit_code}};
  return json.dump(2);
}

int exit_code_of(const std::function<void()>& work, ErrorForm form) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    return report(error, form);
  } catch (const std::bad_alloc&) {
    return report(Error::memory("", "out of memory"), form);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(Error::input(error.path1().string(), error.code().message()), form);
  } catch (const std::system_error& error) {
    return report(Error::failed("the system", error.code().message(), way_out(error.code())), form);
  } catch (const std::exception& error) {
    return report(Error::failed("internal error", error.what()), form);
  }
}

}  // namespace Atoll
