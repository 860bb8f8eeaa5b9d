#include "atoll/recording/watch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <iterator>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/machine/machine.hpp"
#include "process/child.hpp"
#include "process/libraries.hpp"
#include "process/sanitizers.hpp"
#include "recording/counted_as.hpp"
#include "recording/drain.hpp"
#include "recording/frontends/command_file.hpp"
#include "recording/frontends/frontend.hpp"
#include "recording/frontends/frontend_sample.hpp"
#include "recording/frontends/sees_libraries.hpp"
#include "recording/objects/read_objects.hpp"
#include "recording/pages/address_space.hpp"
#include "recording/process_ends.hpp"
#include "recording/read_events.hpp"
#include "recording/read_region.hpp"
#include "recording/shared_region.hpp"
#include "recording/streams/consumer_feed.hpp"
#include "recording/streams/stream_writer.hpp"
#include "recording/task_drain.hpp"
#include "recording/threads_of_region.hpp"
#include "recording/watch_live.hpp"

namespace Atoll::recording {
namespace {

/// Maximum number of words by which a thread may run ahead of the simulation.
constexpr std::uint32_t kWordsAhead = 1 << 13;
constexpr int kStepMilliseconds = 10, kDrainMilliseconds = 1;

using sample::monotonic_ns;

double seconds_since(std::uint64_t start_ns) {
  return static_cast<double>(monotonic_ns() - start_ns) / 1e9;
}

bool is_stream(const WatchOptions& options) {
  return options.streams || !options.stream_file.empty();
}

RegionOptions region_options(const WatchOptions& options, Frontend frontend) {
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
  if (frontend == Frontend::sample) region.mode = record::Mode::samples;
  return region;
}

/// Reports a damaged stream: the ring is in the program's memory, so the program overwrote it.
[[noreturn]] void written_over(std::int64_t /*place*/) {
  throw Error::failed("the stream of a thread", "was written over by the program");
}

/// Returns true if a signal from outside stopped the program. A program that crashed has ended by
/// itself.
bool was_stopped(int status) {
  if (!WIFSIGNALED(status)) return false;
  const int signal = WTERMSIG(status);
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT ||
         signal == SIGKILL;
}

/// Thread that runs a LiveRun.
class LiveThread {
 public:
  LiveThread(const Region& region, LiveRun& run) : streams_(region) {
    thread_ = std::thread([this, &run] {
      try {
        run.run(streams_);
      } catch (...) {
        failed_ = std::current_exception();
        has_failed_.store(true, std::memory_order_release);
      }
    });
  }
  ~LiveThread() {
    streams_.program_ended(false);
    if (thread_.joinable()) thread_.join();
  }
  LiveThread(const LiveThread&) = delete;
  LiveThread& operator=(const LiveThread&) = delete;

  void step() {
    if (has_failed_.load(std::memory_order_acquire)) finish(0);
  }
  /// The program has ended with `status`, or the LiveRun has failed.
  void finish(int status) {
    streams_.program_ended(was_stopped(status));
    if (thread_.joinable()) thread_.join();
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  }
  [[nodiscard]] const LiveStreams& streams() const { return streams_; }

 private:
  LiveStreams streams_;
  std::thread thread_;
  std::exception_ptr failed_;
  std::atomic<bool> has_failed_{false};
};

/// Work of this process while the program runs, except the epochs.
class ConcurrentWork {
 public:
  /// If `writer` is not null, it gets the streams instead of the consumer.
  ConcurrentWork(const WatchOptions& options, Frontend frontend, Region& region,
                 StreamWriter* writer, Consumer& consumer, LiveRun* live)
      : region_(region) {
    if (live != nullptr)
      live_.emplace(region, *live);
    else if (is_stream(options) && writer != nullptr)
      drain_.emplace(region, *writer);
    else if (is_stream(options))
      drain_.emplace(region, feed_.emplace(consumer, nullptr, written_over));
    else if (options.tasks)
      tasks_.emplace(region, consumer);
    else if (frontend == Frontend::sample)
      sample_.emplace(SampleOptions{.rate = {.share = options.sampling_share}});
    else
      faults_.emplace();  // no other front end observes first touches by libc and the system
  }

  void prepare(process::Launch& launch) const {
    if (sample_) launch.environment.push_back(sample_->environment());
  }
  void start(pid_t pid) {
    if (sample_) sample_->start(pid);
    if (faults_) faults_->start(pid);
  }
  /// Returns the time until the next step is due, in milliseconds.
  int step() {
    if (sample_) sample_->step(region_.header());
    if (faults_) faults_->step();
    if (tasks_) return tasks_->step() ? 0 : kDrainMilliseconds;
    if (live_) live_->step();
    if (!drain_) return kStepMilliseconds;
    return drain_->step() ? 0 : kDrainMilliseconds;
  }
  void finish(int status) {
    if (live_) live_->finish(status);
    if (sample_) sample_->finish(region_.header());
    if (faults_) faults_->finish();
    if (drain_) drain_->step();
    if (tasks_) tasks_->step();
    if (feed_) feed_->finish();
  }
  [[nodiscard]] StreamedPages streamed_pages() const {
    if (live_) return live_->streams().pages();
    return drain_ ? drain_->pages() : StreamedPages{};
  }
  void add_to(const RegionView& view, Recording& recording, FirstTouches& touches) const {
    if (faults_) touches = faults_->first_touches(view);
    if (!sample_) return;
    touches = sample_->first_touches(view);
    std::ranges::copy(sample_->cant_see(), std::back_inserter(recording.cant_see));
    std::ranges::copy(sample_->losses(), std::back_inserter(recording.losses));
    if (!sample_->obstacle().empty())
      note(fmt::format("no {} were seen: {}", kPageUses.many, sample_->obstacle()));
  }

 private:
  Region& region_;
  std::optional<SampleFrontend> sample_;
  std::optional<sample::FaultSampler> faults_;
  std::optional<ConsumerFeed> feed_;
  std::optional<Drain> drain_;
  std::optional<TaskDrain> tasks_;
  std::optional<LiveThread> live_;
};

/// Restores the position of standard input, so that both runs read the same file. Rejects pipes,
/// which can't be read twice.
class SameInput {
 public:
  explicit SameInput(const std::string& program) {
    struct stat about = {};
    if (::fstat(STDIN_FILENO, &about) != 0) return;
    if (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode))
      throw Error::input("--native", "runs " + program + " twice, and its input is a pipe",
                         "give its input as a file: atoll profile --native -- … < FILE");
    if (S_ISREG(about.st_mode)) position_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  }
  ~SameInput() {
    if (position_ >= 0) ::lseek(STDIN_FILENO, position_, SEEK_SET);
  }
  SameInput(const SameInput&) = delete;
  SameInput& operator=(const SameInput&) = delete;

 private:
  off_t position_ = -1;
};

/// Forwards pages, and counts accesses to addresses that several objects owned in turn.
class CountReuse : public Consumer {
 public:
  CountReuse(const ObjectIndex& index, Consumer& consumer) : index_(index), consumer_(consumer) {}

  void page(const PageAccesses& page) override {
    const std::uint64_t lines = index_.reused_lines(page.process, page.page);
    for (const ThreadOnPage& thread : page.threads) {
      if (!thread.by_lines && lines != 0) accesses_ += thread.reads + thread.writes;
      for (std::size_t line = 0; thread.by_lines && line < thread.lines.size(); ++line)
        if (((lines >> line) & 1U) != 0)
          accesses_ += thread.lines[line].reads + thread.lines[line].writes;
    }
    consumer_.page(page);
  }
  void add_to(Recording& recording) const {
    if (accesses_ != 0) recording.losses.push_back({LossKind::accesses_to_the_last, accesses_});
  }

 private:
  const ObjectIndex& index_;
  Consumer& consumer_;
  std::uint64_t accesses_ = 0;
};

std::string nothing_recorded(Frontend frontend, int status) {
  if (frontend == Frontend::dbi)
    return fmt::format("nothing was recorded: the emulator ended before it began (code {})",
                       process::exit_code_of_status(status));
  return "nothing was recorded: it doesn't load libatoll-record.so";
}

double run_natively(const std::vector<std::string>& command, const rlimit& address_space) {
  const SameInput same(command[0]);
  const std::uint64_t start = monotonic_ns();
  process::Child child({.command = command, .environment = {}, .address_space = address_space});
  while (!child.wait(1000)) {
  }
  return seconds_since(start);
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
  const Chosen chosen = options.frontend ? Chosen{*options.frontend, "asked for by --frontend"}
                                         : choose_frontend(program, libraries);
  if (!chosen.missing.empty())
    note("samples are taken, not every access seen: for dbi, " + chosen.missing);
  const FrontendRow& row = row_of(chosen.frontend);
  if (const std::string obstacle = row.obstacle(program, libraries); !obstacle.empty())
    throw Error::input(program, obstacle);

  if ((is_stream(options) || options.tasks) && chosen.frontend == Frontend::sample)
    throw Error::input(program,
                       options.tasks ? "can only be sampled, and samples don't tell tasks apart"
                                     : "can only be sampled, and samples are no stream of accesses",
                       "take --frontend compiled, gcc or dbi; or atoll profile");

  RegionOptions of_region = region_options(options, chosen.frontend);
  if (live != nullptr) of_region.ring_words = kWordsAhead;
  const rlimit with_room = address_space.with_room(
      program, region_bytes(of_region) + row.room_bytes, row.temporary_mapped_bytes);
  std::optional<double> native_seconds;
  if (options.native_too) native_seconds = run_natively(options.command, address_space.given());

  Region region(of_region);
  std::vector<std::string> preload;
  preload.emplace_back(options.timed ? "libatoll-waits.so" : "libatoll-policies.so");
  std::ranges::copy(options.preload, std::back_inserter(preload));
  process::Launch launch = row.prepare(options.command, libraries, region.path(), preload);
  std::ranges::copy(options.environment, std::back_inserter(launch.environment));
  const auto describe = [&](Recording& recording) {
    recording.frontend = chosen.frontend;
    recording.frontend_reason = chosen.reason;
    recording.cant_see.clear();
    for (const FrontendUnseen& unseen : row.cant_see)
      recording.cant_see.push_back({unseen.kind, std::string(unseen.detail)});
    recording.native_seconds = native_seconds;
    if (options.timed) recording.contents = row.contents;
  };
  Recording recording;
  describe(recording);
  if (comes_live) consumer.begin(recording);
  if (live != nullptr) {
    live->contents = recording.contents;
    live->sees_all_libraries = sees_all_libraries(recording);
  }
  ConcurrentWork concurrent(options, chosen.frontend, region, writer ? &*writer : nullptr, consumer,
                            live);
  concurrent.prepare(launch);
  launch.address_space = with_room;
  launch.disable_address_randomization = live != nullptr;
  const std::uint64_t start = monotonic_ns();
  region.tick(start);
  ProcessEnds ends(region);
  process::Child child(launch, [&](pid_t pid) { concurrent.start(pid); });
  bool waiting = options.after_seconds > 0;
  std::exception_ptr failed;  // the stream could not be stored or the consumer threw; the program
                              // continues unwatched
  for (int milliseconds = 1; !child.wait(milliseconds, ends.file());) {
    ends.step();
    if (failed) {
      milliseconds = kStepMilliseconds;
      continue;
    }
    region.tick(monotonic_ns());
    try {
      milliseconds = concurrent.step();
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
  ends.step();
  concurrent.finish(child.status());

  process::Symbols symbols;
  ObjectIndex index;
  PhysicalPages pages;
  const RegionView view(region.header(), region.bytes());
  recording = read_events(view, region.epoch_ns(), child.ended(), symbols, index, pages,
                          concurrent.streamed_pages());
  if (recording.processes.empty())
    throw Error::failed(
        program, nothing_recorded(chosen.frontend, child.status()),
        chosen.frontend == Frontend::dbi
            ? "see whether it runs in the emulator without Atoll: qemu-x86_64 " + options.command[0]
            : "a static or privileged program can be watched by --frontend dbi");
  if (options.tasks || writer) refuse_lost_tasks(view, options.command.front());
  describe(recording);
  recording.elapsed_seconds = elapsed;
  recording.task_loops = task_loops_of(view);
  recording.reductions = reductions_of(view);
  FirstTouches touches;
  concurrent.add_to(view, recording, touches);
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
