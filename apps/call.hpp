// How every program here reads its call: counts, and errors of one line with their exit code.
#pragma once

#include <CLI/CLI.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/exit_code.hpp>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace app {

using Atoll::Error;

/// A whole number from `least` to `most`.
inline CLI::Validator count(std::uint64_t least, std::uint64_t most) {
  const auto check = [=](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && rest == text.data() + text.size() && number >= least &&
        number <= most)
      return "";
    return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
           std::to_string(most);
  };
  return {check, ""};
}

/// Reads the call and does the work. Returns the exit code; errors are one line.
inline int run(CLI::App& app, int argc, char** argv, const std::function<void()>& work) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error like others
  return Atoll::exit_code_of([&] {
    try {
      app.parse(argc, argv);
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
