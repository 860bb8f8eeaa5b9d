// Pins threads and runs functions on them. OpenMP threads keep their numbers as long as regions
// request the same count, but another region in the program may change the runtime's pool. So at
// the start of a run, each thread checks that it is the one that was pinned, and pins itself if
// not.
#include "atoll/threads/team.hpp"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/marks/run_time.hpp"
#include "threads/wait_word.hpp"

namespace Atoll {
namespace {

struct Body {
  void (*call)(void*, int) = nullptr;
  void* context = nullptr;
};

/// The place that a team last pinned this thread to.
struct PinnedPlace {
  std::uint64_t team = 0;  // the team's id; 0: never pinned
  int number = -1;         // the thread's number in that team
  CurrentPlace place;
};
thread_local PinnedPlace pinned_place;

/// Maximum number of threads. OpenMP's runtime uses stack for each, and crashes on overflow.
constexpr std::size_t kMaxThreads = 4096;

/// Returns the number of fork() calls between the program's start and this process.
std::atomic<std::uint64_t>& forks() {
  static std::atomic<std::uint64_t> count{0};
  [[maybe_unused]] static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { forks().fetch_add(1, std::memory_order_relaxed); });
  return count;
}

std::uint64_t next_team_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// A set of processing units, for machines of any size. Saves and restores the calling thread's
/// affinity.
class Affinity {
 public:
  static constexpr std::size_t kUnits = 8192;

  void add(int pu) { CPU_SET_S(static_cast<std::size_t>(pu), sizeof words_, set()); }
  bool read() { return pthread_getaffinity_np(pthread_self(), sizeof words_, set()) == 0; }
  int apply() { return pthread_setaffinity_np(pthread_self(), sizeof words_, set()); }

 private:
  cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(words_); }
  unsigned long words_[kUnits / (8 * sizeof(unsigned long))] = {};
};

void pin_to(int pu) {
  Affinity one;
  one.add(pu);
  if (const int error = one.apply(); error != 0)
    throw Error::system("thread", "pinning it to processing unit " + std::to_string(pu), error,
                        "choose one that this process may use (see taskset -p and cpuset cgroups)");
}

}  // namespace

CurrentPlace current_place() noexcept {
  if (pinned_place.team != 0) return pinned_place.place;
  unsigned pu = 0, node = 0;
  return ::getcpu(&pu, &node) == 0 ? CurrentPlace{-1, NodeId{node}} : CurrentPlace{};
}

namespace {

/// Lets a thread run a team that it didn't make, and restores its place and affinity afterwards.
class CallerPlaceGuard {
 public:
  explicit CallerPlaceGuard(bool pin) : spot_(pinned_place), pinned_(pin && before_.read()) {}
  ~CallerPlaceGuard() {
    if (pinned_) before_.apply();
    pinned_place = spot_;
  }
  CallerPlaceGuard(const CallerPlaceGuard&) = delete;
  CallerPlaceGuard& operator=(const CallerPlaceGuard&) = delete;

 private:
  PinnedPlace spot_;
  Affinity before_;
  bool pinned_;
};

bool has_units_of_their_own(const ThreadPlaces& places) {
  std::vector<int> units;
  for (const ThreadPlace& place : places) units.push_back(place.pu);
  std::ranges::sort(units);
  return std::ranges::adjacent_find(units) == units.end();
}

}  // namespace

struct Team::State {
  State(ThreadPlaces its_places, Runtime its_runtime, bool pins)
      : places(std::move(its_places)), runtime(its_runtime), pin(pins) {}

  ThreadPlaces places;
  Runtime runtime;
  bool pin;
  Neighbours neighbours{places};
  std::uint64_t id = next_team_id();
  std::thread::id maker = std::this_thread::get_id();
  std::uint64_t forks_before = forks().load(std::memory_order_relaxed);
  Affinity before;  // affinity of the thread that made the team
  bool have_before = false;

  // State of the current run: whether there is one, and its first exception.
  std::atomic<bool> running{false};
  std::mutex mutex;
  std::exception_ptr failure;

  // For std_threads only. Each worker waits for the next round, runs its part and decrements
  // `busy`.
  std::vector<std::thread> workers;
  detail::WaitWord round, busy;
  bool may_poll = pin && has_units_of_their_own(places);
  detail::PollLimit poll_for_end{may_poll};
  bool stop = false;
  Body body;

  void enter(const Body& work, int thread) noexcept {
    const auto& place = places[static_cast<std::size_t>(thread)];
    try {
      if (pinned_place.team != id || pinned_place.number != thread) {
        if (pin) pin_to(place.pu);
        pinned_place.team = id;
        pinned_place.number = thread;
      }
      pinned_place.place = {thread, place.node};
      work.call(work.context, thread);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
    pinned_place.place.thread = -1;
  }

  void run_openmp(const Body& work) {
    const int size = static_cast<int>(places.size());
    // The runtime may grant fewer threads (OMP_THREAD_LIMIT); each then runs several parts.
#pragma omp parallel num_threads(size)
    for (int thread = omp_get_thread_num(); thread < size; thread += omp_get_num_threads())
      enter(work, thread);
  }

  void run_workers(const Body& work) {
    body = work;
    busy.store_quietly(static_cast<std::uint32_t>(workers.size()));
    begin_round();
    enter(work, 0);
    leave(round.load());
    waits(true);
    busy.wait_until([](std::uint32_t left) { return left == 0; }, poll_for_end);
    if (atoll_team_ended != nullptr) atoll_team_ended();
  }

  void begin_round() {
    if (atoll_team_begin != nullptr) atoll_team_begin(this);
    round.add(1);
    round.wake();
    if (atoll_team_begun != nullptr) atoll_team_begun();
  }

  void waits(bool for_end) const {
    if (atoll_team_waits != nullptr) atoll_team_waits(this, for_end);
  }

  void leave(std::uint64_t its_round) const {
    if (atoll_team_leave != nullptr)
      atoll_team_leave(this, its_round, static_cast<std::uint32_t>(places.size()));
  }

  void work_in_rounds(int thread) {
    waits(false);
    detail::PollLimit poll_for_round(may_poll);
    for (std::uint32_t done = 0;; ++done) {
      round.wait_until([=](std::uint32_t now) { return now != done; }, poll_for_round);
      if (atoll_team_enter != nullptr) atoll_team_enter(this);
      if (stop) return;
      enter(body, thread);
      leave(done + 1);
      // Before the decrement of `busy`: which thread decrements last isn't deterministic.
      waits(false);
      if (busy.add(~std::uint32_t{0}) == 0) busy.wake();
    }
  }

  /// Returns true in a child process of fork(), which lacks the other threads.
  [[nodiscard]] bool is_forked() const {
    return places.size() > 1 && forks().load(std::memory_order_relaxed) != forks_before;
  }

  void stop_workers() {
    if (is_forked()) {
      for (std::thread& worker : workers) worker.detach();
      return;
    }
    stop = true;
    if (!workers.empty()) begin_round();
    for (std::thread& worker : workers) worker.join();
  }
};

namespace {

ThreadPlaces checked(ThreadPlaces places) {
  if (places.empty()) throw Error::input("team", "no threads", "ask for at least one");
  if (places.size() > kMaxThreads)
    throw Error::input("team", std::to_string(places.size()) + " threads are too many",
                       "ask for at most " + std::to_string(kMaxThreads));
  return places;
}

}  // namespace

Team::Team(ThreadPlaces places, Runtime runtime, bool pin)
    : state_(std::make_unique<State>(checked(std::move(places)), runtime, pin)) {
  State& state = *state_;
  if (pin) state.have_before = state.before.read();
  try {
    if (runtime == Runtime::std_threads)
      for (int thread = 1; thread < size(); ++thread)
        state.workers.emplace_back([&state, thread] { state.work_in_rounds(thread); });
    run([](int) {});  // pins every thread now, so that the constructor throws if the system refuses
  } catch (const std::system_error& error) {
    state.stop_workers();
    if (state.have_before) state.before.apply();
    throw Error::system("team", "starting a thread", error.code().value(),
                        "see ulimit -u and the pids cgroup for limits, or ask for fewer");
  } catch (...) {
    state.stop_workers();
    if (state.have_before) state.before.apply();
    throw;
  }
}

Team::~Team() {
  self_.reset();
  state_->stop_workers();
  if (state_->have_before && state_->maker == std::this_thread::get_id()) state_->before.apply();
  if (state_->have_before || pinned_place.team == state_->id) pinned_place = {};
}

int Team::size() const noexcept {
  return static_cast<int>(state_->places.size());
}
const ThreadPlaces& Team::places() const noexcept {
  return state_->places;
}
const Neighbours& Team::neighbours() const noexcept {
  return state_->neighbours;
}

void Team::run_erased(void (*call)(void*, int), void* context) const {
  State& state = *state_;
  if (pinned_place.place.thread >= 0)
    throw Error::failed("team", "a loop or run() within another one",
                        "make one loop of the two, or start it after the outer one");
  if (state.is_forked())
    throw Error::failed("team", "its threads are in the parent process: this is a child of fork()",
                        "call fork() before the team or stencil program is made, or exec() in "
                        "the child");
  if (state.runtime == Runtime::openmp && omp_in_parallel() != 0)
    throw Error::failed("team",
                        "a loop or run() of OpenMP threads within an OpenMP parallel region",
                        "start it outside of the region, or make the team of std_threads");
  if (state.running.exchange(true, std::memory_order_acquire))
    throw Error::failed("team", "a loop or run() while another thread is in one of the same team",
                        "start one at a time, or make a team for each thread that starts them");
  const Body work{call, context};
  {
    std::optional<CallerPlaceGuard> guest;
    if (state.maker != std::this_thread::get_id()) guest.emplace(state.pin);
    if (state.runtime == Runtime::openmp)
      state.run_openmp(work);
    else
      state.run_workers(work);
  }
  const std::exception_ptr failure = std::exchange(state.failure, nullptr);
  state.running.store(false, std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace Atoll
