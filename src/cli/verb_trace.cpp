// `atoll trace`: stores the stream of a command's accesses; or checks one.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "cli/profile_text.hpp"
#include "cli/verb.hpp"
#include "cli/watch_options.hpp"
#include "trace/child.hpp"

namespace Atoll::cli {
namespace {

struct Options {
  WatchWords watch;
  std::string output;
};

/// What a stream has, in short.
struct Totals : trace::Consumer {
  std::uint64_t reads = 0, writes = 0;
  trace::Recording recording;
  void begin(const trace::Recording& all) override { recording = all; }
  void accesses(std::uint32_t, std::span<const trace::Access> accesses) override {
    for (const trace::Access& access : accesses) ++(access.write ? writes : reads);
  }
};

void check(const std::string& path) {
  tell_what_is_wrong(path, trace::check_stream(path));
  Totals totals;
  trace::read_stream(path, totals);
  fmt::print("{}: right: {}, {}, {}, {}, {}\n", path, counted(totals.reads, "read"),
             counted(totals.writes, "write"), counted(totals.recording.threads.size(), "thread"),
             counted(totals.recording.processes.size(), "process", "processes"),
             counted(totals.recording.objects.size(), "object"));
}

void record(const Options& options) {
  if (options.output.empty())
    throw Error::input("-o", "is missing: where to store the trace", "atoll trace -o FILE -- …");
  trace::WatchOptions watch = watch_options(options.watch);
  if (watch.region.page_share < 1)
    throw Error::input("--pages", "a stream has the accesses of all pages",
                       "take --between-marks, --iterations or --after; or atoll profile");
  trace::StreamWriter writer(options.output);
  watch.stream = &writer;
  Totals totals;
  const int status = trace::watch(watch, totals);
  tell_signal(options.watch, status);
  tell(fmt::format("atoll: {0} written; next: atoll trace --check {0}\n", options.output));
  if (const int code = trace::exit_code_of_status(status); code != 0) std::exit(code);
}

}  // namespace

void add_trace(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "trace", "Store the stream of a program's accesses, each thread's in its order");
  add_watch_options(*verb, options->watch, "auto|compiled|gcc|dbi");
  verb->add_option("-o,--output", options->output, "The trace to write")->type_name("FILE");
  // Of `atoll profile`: not offered here, but who tries it is told why not.
  verb->add_option("--pages", options->watch.pages_percent)->group("");
  verb->footer(std::string(kWatchHelp) +
               "\n  atoll trace -o t -- ./app\n"
               "  atoll trace --check t\n\n"
               "Nothing is dropped: where storing is slower than the program, it waits.\n"
               "The exit code is the program's own, 128 + N where signal N ended it.");
  verb->callback([options] {
    if (options->watch.check.empty())
      record(*options);
    else
      check(options->watch.check);
  });
}

}  // namespace Atoll::cli
