// `atoll trace`: stores the stream of a command's accesses, or checks a stored stream.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/base/units.hpp"
#include "atoll/options/checks.hpp"
#include "cli/command_files.hpp"
#include "cli/profile_text.hpp"
#include "cli/verb.hpp"
#include "cli/watch_options.hpp"
#include "process/child.hpp"
#include "recording/streams/stream_check.hpp"

namespace Atoll::cli {
namespace {

struct TraceOptions {
  WatchWords watch;
  std::string output;
  bool json = false, timed = false;
};

void check(const TraceOptions& options) {
  const std::string& path = options.watch.check;
  const recording::StreamCheck found = recording::check_stream(path);
  if (options.json) {
    return print_checked(path,
                         {{"accesses", found.reads + found.writes},
                          {"reads", found.reads},
                          {"writes", found.writes},
                          {"one_object", found.one_object},
                          {"several_objects", found.several_objects},
                          {"no_object", found.no_object},
                          {"events", found.events},
                          {"threads", found.recording.threads.size()},
                          {"processes", found.recording.processes.size()},
                          {"objects", found.recording.objects.size()},
                          {"instructions", found.work.instructions},
                          {"divisions", found.work.divisions},
                          {"chain", found.work.chain},
                          {"dependent", found.dependent},
                          {"atomics", found.atomics}},
                         found.wrong);
  }
  report_problems(path, found.wrong);
  fmt::print("{}: right: {}, {}, {}, {}, {}\n", path, counted(found.reads, "read"),
             counted(found.writes, "write"), counted(found.recording.threads.size(), "thread"),
             counted(found.recording.processes.size(), "process", "processes"),
             counted(found.recording.objects.size(), "object"));
}

void record(const TraceOptions& options) {
  if (options.output.empty())
    throw Error::input("-o", "is missing: where to store the trace", "atoll trace -o FILE -- …");
  recording::WatchOptions watch = watch_options(options.watch);
  if (watch.page_share < 1)
    throw Error::input("--page-share", "a stream has the accesses of all pages",
                       "take --between-marks, --iterations or --after; or atoll profile");
  check_separate_files({options.output}, command_files(watch.command));
  watch.stream_file = options.output;
  watch.timed = options.timed;
  recording::Consumer nothing;
  const int status = recording::watch(watch, nothing);
  print_signal(options.watch, status);
  print_to_stderr(
      fmt::format("atoll: {0} written; next: atoll trace --check {0}\n", options.output));
  if (const int code = process::exit_code_of_status(status); code != 0) std::exit(code);
}

}  // namespace

void add_trace(options::Command app, const std::optional<std::vector<std::string>>& command) {
  auto options = std::make_shared<TraceOptions>();
  const options::Command verb =
      app.add_verb("trace", "Store the stream of a program's accesses, each thread's in its order");
  add_watch_options(verb, options->watch, Frontends::recording_every_access, command);
  verb.add_option("-o,--output", options->output, "The trace to write").type_name("FILE");
  verb.add_flag("--timed", options->timed,
                "Store also what atoll simulate needs: work between accesses, which loads\n"
                "an address comes from, what threads wait for, where memory is put");
  verb.add_flag("--json", options->json, "With --check: what it has as JSON")
      .needs(verb.option("--check"));
  // Accepted without a help text, so that record() can explain that it belongs to `atoll profile`.
  verb.add_option("--page-share,--pages", options->watch.pages_percent)
      .check(value::positive(100))
      .group("");
  verb.footer(frontends_help(Frontends::recording_every_access) +
              "\n  atoll trace -o t -- ./app\n"
              "  atoll trace --check t --json\n\n"
              "Nothing is dropped: where storing is slower than the program, it waits.\n"
              "The exit code is the program's own, or 128 + N if signal N ended it.");
  verb.run([options] {
    if (options->watch.check.empty())
      record(*options);
    else
      check(*options);
  });
}

}  // namespace Atoll::cli
