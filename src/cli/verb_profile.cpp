// `atoll profile`: watches a command's run and writes its profile, or checks a profile.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/options/checks.hpp"
#include "atoll/profile/profile.hpp"
#include "atoll/program/options.hpp"
#include "base/activity.hpp"
#include "cli/command_files.hpp"
#include "cli/profile_text.hpp"
#include "cli/verb.hpp"
#include "cli/watch_options.hpp"
#include "machine/file_of_name.hpp"
#include "process/child.hpp"
#include "profile/advise.hpp"
#include "profile/places.hpp"
#if ATOLL_HAS_SIMULATE
#include "simulate/shown_machine.hpp"
#endif

namespace Atoll::cli {
namespace {

struct ProfileOptions {
  WatchWords watch;
  std::string output = "atoll.profile";
  std::string machine;
  double overhead_percent = 100 * recording::WatchOptions{}.sampling_share;
  bool overhead_asked_for = false;
  bool json = false;
};

void check(const std::string& path, bool is_json) {
  if (is_json) return print_checked(path, {{"profile", path}}, profile::check(path));
  report_problems(path, profile::check(path));
  fmt::print("{}: right\n", path);
}

void record(const ProfileOptions& options) {
  recording::WatchOptions watch = watch_options(options.watch);
  if (options.overhead_asked_for && !requests_samples(watch))
    throw Error::input("--overhead", "can be chosen for samples only", "add --frontend sample");
  watch.sampling_share = options.overhead_percent / 100;
  std::vector<std::string> inputs = command_files(watch.command);
  inputs.push_back(machine_file_of_name(options.machine));
  check_separate_files({options.output}, inputs);
  { const AtomicFile can_be_written(options.output); }  // refuse before the program runs
  const Machine machine = profile::machine_to_analyse(options.machine);
  if (!options.machine.empty()) watch.cache_bytes = machine.caches().l2_bytes;
  const bool is_shown = !options.machine.empty() && !requests_samples(watch);
#if ATOLL_HAS_SIMULATE
  std::optional<simulate::ShownMachine> shown;
  if (is_shown) shown.emplace(machine).add_to(watch);
#else
  if (is_shown)
    throw Error::input("--machine", "this build of atoll can't show another machine to a program",
                       "build Atoll with ATOLL_SIMULATE=ON, or give the machine to atoll report");
#endif
  profile::ProfileBuilder builder;
  const int status = recording::watch(watch, builder);
  print_signal(options.watch, status);
  profile::Summary summary;
  {
    const Activity activity("writing and analysing " + options.output);
    profile::Profile profile = builder.take();
    profile.machine = (is_shown ? machine : Machine::this_computer()).to_json();
    profile::save(profile, options.output);
    summary = profile::advise(profile, machine).summary;
  }
  // The summary goes to standard error, because standard output is the program's.
  std::string told =
      fmt::format("atoll: {} written; as seen for {}:\n", options.output, machine.name());
  for (const std::string& line : summary.verdict())
    for (const std::string& part : wrap(line, 2, 78)) told += fmt::format("  {}\n", part);
  print_to_stderr(told + fmt::format("atoll: next: atoll report {}\n", quoted(options.output)));
  // Exits with the program's exit code, as env, time and perf do.
  if (const int code = process::exit_code_of_status(status); code != 0) std::exit(code);
}

}  // namespace

void add_profile(options::Command app, const std::optional<std::vector<std::string>>& command) {
  auto options = std::make_shared<ProfileOptions>();
  const options::Command verb = app.add_verb(
      "profile", "Watch a program's run: who accesses what memory, and write a profile");
  add_watch_options(verb, options->watch, Frontends::all, command);
  verb.add_option("--page-share,--pages", options->watch.pages_percent,
                  "Record this share of all pages, in percent")
      .check(value::positive(100))
      .type_name("PERCENT");
  verb.add_option("-o,--output", options->output, "The profile to write (atoll.profile)")
      .type_name("FILE");
  program::add_machine_option(
      verb, options->machine,
      "Show the program this machine (its nodes, memory policies, affinity; not with --frontend "
      "sample), count what misses its L2, and sum it up for its nodes: a preset, a machine "
      "file, hwloc XML or description (this computer; its nodes are taken to be xeon-x7550's "
      "if it has one)");
  const options::Option& overhead =
      verb.add_option("--overhead", options->overhead_percent,
                      "For --frontend sample: how much of the program's own time watching may\n"
                      "take (2)")
          .check(value::positive(100))
          .type_name("PERCENT");
  verb.add_flag("--json", options->json, "With --check: print JSON").needs(verb.option("--check"));
  verb.footer(frontends_help(Frontends::all) +
              "\n  atoll profile -o p -- ./app --its options\n"
              "  atoll report p\n\n"
              "The exit code is the program's own, or 128 + N if signal N ended it.");
  verb.run([options, overhead] {
    options->overhead_asked_for = overhead.is_given();
    if (options->watch.check.empty())
      record(*options);
    else
      check(options->watch.check, options->json);
  });
}

}  // namespace Atoll::cli
