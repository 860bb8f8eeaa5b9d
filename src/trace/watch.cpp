#include "trace/watch.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>

#include "atoll/base/error.hpp"
#include "trace/child.hpp"
#include "trace/command_file.hpp"
#include "trace/drain.hpp"
#include "trace/frontend.hpp"
#include "trace/read_events.hpp"
#include "trace/read_region.hpp"

namespace Atoll::trace {
namespace {

constexpr int kStepMilliseconds = 10, kDrainMilliseconds = 1;

std::uint64_t now_ns() {  // as the recorder's
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

double seconds_since(std::uint64_t start_ns) {
  return static_cast<double>(now_ns() - start_ns) / 1e9;
}

double run_natively(const std::vector<std::string>& command) {
  const std::uint64_t start = now_ns();
  Child child({.command = command, .environment = {}});
  while (!child.wait(1000)) {
  }
  return seconds_since(start);
}

}  // namespace

int watch(const WatchOptions& options, Consumer& consumer) {
  if (options.command.empty())
    throw Error::input("", "there is no command", "atoll profile -- ./program its arguments");
  const std::string program = find_command(options.command[0])->path;
  const Chosen chosen = options.frontend ? Chosen{*options.frontend, "asked for by --frontend"}
                                         : choose_frontend(program);
  const FrontendRow& row = row_of(chosen.frontend);
  if (const std::string obstacle = row.obstacle(program); !obstacle.empty())
    throw Error::input(program, obstacle);

  std::optional<double> native_seconds;
  if (options.native_too) native_seconds = run_natively(options.command);

  RegionOptions region_options = options.region;
  if (options.after_seconds > 0) region_options.begin_recording = false;
  if (options.stream != nullptr) region_options.mode = recorder::Mode::stream;
  Region region(region_options);
  const Launch launch = row.prepare(options.command, region.path());
  const std::uint64_t start = now_ns();
  region.tick(start);
  Child child(launch);
  std::optional<Drain> drain;
  if (options.stream != nullptr) drain.emplace(region.header(), *options.stream);
  bool busy = false;
  for (bool waiting = options.after_seconds > 0; !child.wait(busy    ? 0
                                                             : drain ? kDrainMilliseconds
                                                                     : kStepMilliseconds);) {
    region.tick(now_ns());
    busy = drain && drain->step();
    if (waiting && seconds_since(start) >= options.after_seconds) {
      region.record(true);
      waiting = false;
    }
  }
  const double elapsed = seconds_since(start);
  while (drain && drain->step()) {
  }

  Symbols symbols;
  ObjectIndex index;
  const RegionView view(region.header());
  Recording recording = read_events(view, region.epoch_ns(), child.ended(), symbols, index);
  if (recording.processes.empty())
    throw Error::failed(
        program, "nothing was recorded: it doesn't load " + std::string("libatoll-record.so"),
        "a static or privileged program can be watched by --frontend dbi");
  recording.frontend = chosen.frontend;
  recording.frontend_reason = chosen.reason;
  recording.cant_see.assign(row.cant_see.begin(), row.cant_see.end());
  recording.elapsed_seconds = elapsed;
  recording.native_seconds = native_seconds;
  if (options.stream != nullptr) options.stream->finish(recording);
  consumer.begin(recording);
  read_counts(
      view,
      [&](std::uint32_t process, std::uint64_t page) { return index.lines_of(process, page); }, {},
      consumer);
  consumer.end(recording);
  return child.status();
}

}  // namespace Atoll::trace
