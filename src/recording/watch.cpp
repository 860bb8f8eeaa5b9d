#include "atoll/recording/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <unordered_map>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/machine/machine.hpp"
#include "base/activity.hpp"
#include "process/child.hpp"
#include "process/libraries.hpp"
#include "process/sanitizers.hpp"
#include "recording/counted_as.hpp"
#include "recording/frontends/command_file.hpp"
#include "recording/frontends/frontend_table.hpp"
#include "recording/frontends/sees_libraries.hpp"
#include "recording/native_run.hpp"
#include "recording/objects/count_reuse.hpp"
#include "recording/objects/read_objects.hpp"
#include "recording/pages/address_space.hpp"
#include "recording/process_ends.hpp"
#include "recording/read_events.hpp"
#include "recording/read_region.hpp"
#include "recording/ring_reader.hpp"
#include "recording/sample/fault_sampler.hpp"
#include "recording/shared_region.hpp"
#include "recording/threads_of_region.hpp"
#include "recording/watch_live.hpp"

namespace Atoll::recording {
namespace {

/// Maximum number of words by which a thread may run ahead of the simulation.
constexpr std::uint32_t kWordsAhead = 1 << 13;

using sample::monotonic_ns;

double seconds_since(std::uint64_t start_ns) {
  return static_cast<double>(monotonic_ns() - start_ns) / 1e9;
}

bool is_stream(const WatchOptions& options) {
  return options.streams || !options.stream_file.empty();
}

RegionOptions region_options(const WatchOptions& options, const Frontend& frontend) {
  RegionOptions region{.bytes = options.memory_bytes,
                       .page_share = options.page_share,
                       .only_between_marks = options.only_between_marks,
                       .iterations = options.iterations,
                       .begin_recording = !(options.after_seconds > 0)};
  const std::uint64_t l2 = Machine::this_computer().caches().l2_bytes;
  if (const std::uint64_t cache = options.cache_bytes != 0 ? options.cache_bytes : l2; cache != 0)
    region.cache_bytes = cache;
  if (is_stream(options)) region.mode = record::Mode::stream;
  region.timed = options.timed;
  region.by_task = options.tasks;
  if (!frontend.records_every_access()) region.mode = record::Mode::samples;
  return region;
}

}  // namespace

int watch(const WatchOptions& options, Consumer& consumer) {
  return watch_live(options, consumer, nullptr);
}

int watch_live(const WatchOptions& options, Consumer& consumer, LiveRun* live) {
  const AddressSpace address_space;
  if (options.command.empty())
    throw Error::input("", "there is no command", "atoll profile -- ./program its arguments");
  std::optional<StreamWriter> writer;
  if (!options.stream_file.empty()) writer.emplace(options.stream_file, options.timed);
  const bool comes_live = (options.streams && !writer && live == nullptr) || options.tasks;
  const std::string program = find_command(options.command[0])->path;
  process::refuse_sanitizer(program);
  const std::string libraries = process::libraries_folder(options.libraries);
  const ChosenFrontend chosen = choose_frontend(options.frontend, program, libraries);
  if (!chosen.missing.empty()) note("samples are taken, not every access seen: " + chosen.missing);
  const std::unique_ptr<Frontend> frontend =
      chosen.row.create({.records_counts = live == nullptr && !is_stream(options) && !options.tasks,
                         .sampling_share = options.sampling_share});
  if ((is_stream(options) || options.tasks) && !frontend->records_every_access())
    throw Error::input(
        program,
        options.tasks ? "can only be sampled, and samples don't tell tasks apart"
                      : "can only be sampled, and samples are no stream of accesses",
        fmt::format("take --frontend {}; or atoll profile", alternatives(frontend_words(false))));

  RegionOptions of_region = region_options(options, *frontend);
  if (live != nullptr) of_region.ring_words = kWordsAhead;
  const FrontendMappings mappings = frontend->mappings();
  const rlimit with_room = address_space.with_room(
      program, region_bytes(of_region) + mappings.permanent, mappings.at_start);
  std::optional<double> native_seconds;
  if (options.native_too) native_seconds = run_natively(options.command, address_space.given());

  Region region(of_region);
  std::vector<std::string> preload;
  preload.emplace_back(options.timed ? "libatoll-waits.so" : "libatoll-policies.so");
  std::ranges::copy(options.preload, std::back_inserter(preload));
  process::Launch launch = frontend->prepare(options.command, libraries, region.path(), preload);
  std::ranges::copy(options.environment, std::back_inserter(launch.environment));
  const auto describe = [&](Recording& recording) {
    recording.frontend = frontend->name();
    recording.frontend_reason = chosen.reason;
    recording.cant_see = frontend->cant_see();
    recording.native_seconds = native_seconds;
    if (options.timed) recording.contents = frontend->stream_contents();
  };
  Recording recording;
  describe(recording);
  if (comes_live) consumer.begin(recording);
  if (live != nullptr) {
    live->contents = recording.contents;
    live->sees_all_libraries = sees_all_libraries(recording);
  }
  RingReader rings;
  if (live != nullptr)
    rings.simulate(*live, region);
  else if (writer)
    rings.write_to(*writer, region);
  else if (options.streams)
    rings.pass_streams_to(consumer, region);
  else if (options.tasks)
    rings.pass_tasks_to(consumer, region);
  launch.address_space = with_room;
  launch.disable_address_randomization = live != nullptr;
  const std::uint64_t start = monotonic_ns();
  region.tick(start);
  ProcessEnds ends(region);
  process::Child child(launch, [&](pid_t pid) { frontend->start(pid); });
  bool waiting = options.after_seconds > 0;
  std::exception_ptr failed;  // the stream could not be stored or the consumer threw; the program
                              // continues unwatched
  for (int milliseconds = 1; !child.wait(milliseconds, ends.file());) {
    ends.step();
    if (failed) {
      milliseconds = RingReader::kIdleMilliseconds;
      continue;
    }
    region.tick(monotonic_ns());
    try {
      frontend->step(region.header());
      milliseconds = rings.step();
    } catch (...) {
      failed = std::current_exception();
      region.give_up();
    }
    if (waiting && seconds_since(start) >= options.after_seconds) {
      region.begin_recording();
      waiting = false;
    }
  }
  if (failed) std::rethrow_exception(failed);
  const double elapsed = seconds_since(start);
  std::optional<Activity> activity;
  if (live == nullptr) activity.emplace("reading the recording of " + options.command[0]);
  ends.step();
  rings.finish(child.status());
  frontend->finish(region.header());

  process::Symbols symbols;
  ObjectIndex index;
  PhysicalPages pages;
  const RegionView view(region.header(), region.bytes());
  recording = read_events(view, region.epoch_ns(), child.ended(), symbols, index, pages,
                          rings.streamed_pages());
  if (recording.processes.empty())
    throw frontend->nothing_recorded(program, options.command, child.status());
  if (options.tasks || writer) refuse_lost_tasks(view, options.command.front());
  describe(recording);
  recording.elapsed_seconds = elapsed;
  recording.task_loops = task_loops_of(view);
  recording.reductions = reductions_of(view);
  const FirstTouches touches = frontend->first_touches(view);
  std::ranges::copy(frontend->losses(), std::back_inserter(recording.losses));
  for (const Unseen& unseen : recording.cant_see)
    if (unseen.kind == UnseenKind::everything)
      note(fmt::format("no {} were seen: {}", counted_as(recording).many, unseen.detail));
  if (writer) writer->finish(recording);
  if (live != nullptr) {
    std::unordered_map<record::Offset, std::uint32_t> processes;
    for (const record::Offset process : processes_of(view))
      processes.emplace(process, static_cast<std::uint32_t>(processes.size()));
    live->finish(recording, processes);
    return child.status();
  }
  if (!comes_live) consumer.begin(recording);
  const LinesOfPage lines_of = [&](std::uint32_t process, std::uint64_t page) {
    return index.lines_of(process, page);
  };
  if (options.tasks) {
    read_objects(view, lines_of, consumer);
  } else {
    CountReuse counting(index, consumer);
    read_counts(view, pages, lines_of, touches, counting).add_to(recording);
    counting.add_to(recording);
  }
  consumer.end(recording);
  return child.status();
}

}  // namespace Atoll::recording
