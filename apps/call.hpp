// Reads the call of each program here, and reports errors: one line, and the exit code.
#pragma once

#include <CLI/CLI.hpp>

#include <atoll/base/cli_values.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/exit_code.hpp>

#include <csignal>
#include <cstdio>
#include <functional>
#include <string>

namespace app {

using Atoll::Error;
namespace value = Atoll::value;

/// Reads the call and does the work. Returns the exit code; errors are one line.
inline int run(CLI::App& app, int argc, char** argv, const std::function<void()>& work) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error like others
  return Atoll::exit_code_of([&] {
    try {
      value::parse_call(app, argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() != 0)
        throw Error::input(app.get_name(), error.what(), "see '" + app.get_name() + " --help'");
      app.exit(error);  // --help
      return;
    }
    work();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw Error::failed("standard output", "it can't be written to");
  });
}

}  // namespace app
