// `atoll profile`: watches a command's run and writes a profile of it; or checks one.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/profile/profile.hpp"
#include "cli/verb.hpp"
#include "cli/watch_options.hpp"
#include "trace/child.hpp"

namespace Atoll::cli {
namespace {

struct Options {
  WatchWords watch;
  std::string output = "atoll.profile";
  std::string check;
};

void check(const std::string& path) {
  const std::vector<std::string> wrong = profile::check(path);
  for (const std::string& line : wrong) fmt::print("{}: {}\n", path, line);
  if (!wrong.empty()) throw Error::input(path, "isn't right", "record it again");
  fmt::print("{}: right\n", path);
}

void record(const Options& options) {
  profile::ProfileBuilder builder;
  const int status = trace::watch(watch_options(options.watch), builder);
  profile::Profile profile = builder.take();
  profile.machine = Machine::this_computer().to_json();
  profile::save(profile, options.output);
  fmt::print(stderr, "atoll: {} written; next: atoll report {}\n", options.output, options.output);
  std::fflush(stdout);
  // As of env, time and perf: the program's own exit code.
  if (const int code = trace::exit_code_of_status(status); code != 0) std::exit(code);
}

}  // namespace

void add_profile(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "profile", "Watch a program's run: who accesses what memory, and write a profile");
  add_watch_options(*verb, options->watch);
  verb->add_option("-o,--output", options->output, "The profile to write (atoll.profile)")
      ->type_name("FILE");
  verb->add_option("--check", options->check, "Check a profile's invariants instead")
      ->type_name("FILE");
  verb->footer(std::string(kWatchHelp) +
               "\n  atoll profile -o p -- ./app --its options\n"
               "  atoll report p\n\n"
               "The exit code is the program's own, 128 + N where signal N ended it.");
  verb->callback([options] {
    if (!options->check.empty())
      check(options->check);
    else
      record(*options);
  });
}

}  // namespace Atoll::cli
