// Parses the command line of the programs in this folder, and reports errors as one line and an
// exit code.
#pragma once

#include "atoll/options/asks_for_json.hpp"
#include "atoll/options/command.hpp"

#include <atoll/base/error.hpp>
#include <atoll/base/exit_code.hpp>

#include <csignal>
#include <cstdio>
#include <functional>
#include <string>

namespace app {

using Atoll::Error;
namespace options = Atoll::options;
namespace value = Atoll::value;

/// Parses the command line and calls work(). Reports errors as one line. Returns the exit code.
inline int run(const Atoll::options::CommandLine& app, int argc, char** argv,
               const std::function<void()>& work) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error like others
  const auto call = [&] {
    try {
      if (!app.parse(argc, argv)) return;
    } catch (const Atoll::options::BadCall& error) {
      throw Error::input(app.name(), error.what(), "see '" + app.name() + " --help'");
    }
    work();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw Error::failed("standard output", "it can't be written to");
  };
  const bool is_json = options::asks_for_json(argc, argv);
  return Atoll::exit_code_of(call, is_json ? Atoll::ErrorForm::json : Atoll::ErrorForm::line);
}

}  // namespace app
