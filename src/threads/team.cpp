// Pinning and running. OpenMP threads keep their numbers as long as regions ask for the same count,
// but another region in the program may change the runtime's pool: so each thread checks, when a
// run starts, that it is the one that was pinned, and pins itself if not.
#include "atoll/threads/team.hpp"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

struct Body {
  void (*call)(void*, int) = nullptr;
  void* context = nullptr;
};

thread_local CurrentPlace here;
thread_local std::uint64_t pinned_by = 0;  // the id of the team that pinned this thread last
thread_local int pinned_as = -1;           // and the number that it gave to it

std::uint64_t next_team_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// A set of processing units of any machine's size: the calling thread's, kept to be given back.
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
  return here;
}

struct Team::State {
  ThreadPlaces places;
  Runtime runtime;
  bool pin;
  std::uint64_t id = next_team_id();
  Affinity before;
  bool have_before = false;

  // Of one run: the first exception.
  std::mutex mutex;
  std::exception_ptr failure;

  // std_threads only: each worker waits for the next round, does its part, counts itself out.
  std::vector<std::thread> workers;
  std::atomic<std::uint64_t> round{0};
  std::atomic<int> busy{0};
  bool stop = false;
  Body body;

  void enter(const Body& work, int thread) noexcept {
    const auto& place = places[static_cast<std::size_t>(thread)];
    try {
      if (pin && (pinned_by != id || pinned_as != thread)) {
        pin_to(place.pu);
        pinned_by = id;
        pinned_as = thread;
      }
      here = {thread, place.node};
      work.call(work.context, thread);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
    here = {-1, place.node};
  }

  void run_openmp(const Body& work) {
    const int size = static_cast<int>(places.size());
    // The runtime may grant fewer threads (OMP_THREAD_LIMIT): each then does several parts.
#pragma omp parallel num_threads(size)
    for (int thread = omp_get_thread_num(); thread < size; thread += omp_get_num_threads())
      enter(work, thread);
  }

  void run_workers(const Body& work) {
    body = work;
    busy.store(static_cast<int>(workers.size()), std::memory_order_relaxed);
    round.fetch_add(1, std::memory_order_release);
    round.notify_all();
    enter(work, 0);
    for (int left; (left = busy.load(std::memory_order_acquire)) > 0;) busy.wait(left);
  }

  void work_in_rounds(int thread) {
    for (std::uint64_t done = 0;; ++done) {
      round.wait(done, std::memory_order_acquire);
      if (stop) return;
      enter(body, thread);
      if (busy.fetch_sub(1, std::memory_order_release) == 1) busy.notify_one();
    }
  }

  void stop_workers() {
    stop = true;
    round.fetch_add(1, std::memory_order_release);
    round.notify_all();
    for (std::thread& worker : workers) worker.join();
  }
};

Team::Team(ThreadPlaces places, Runtime runtime, bool pin)
    : state_(std::make_unique<State>(std::move(places), runtime, pin)) {
  State& state = *state_;
  if (state.places.empty()) throw Error::input("team", "no threads", "ask for at least one");
  if (pin) state.have_before = state.before.read();
  if (runtime == Runtime::std_threads)
    for (int thread = 1; thread < size(); ++thread)
      state.workers.emplace_back([&state, thread] { state.work_in_rounds(thread); });
  try {
    run([](int) {});  // pins every thread now, so that a refusal shows here
  } catch (...) {
    state.stop_workers();
    if (state.have_before) state.before.apply();
    throw;
  }
}

Team::~Team() {
  state_->stop_workers();
  if (state_->have_before) state_->before.apply();
  pinned_by = 0;
}

int Team::size() const noexcept {
  return static_cast<int>(state_->places.size());
}
const ThreadPlaces& Team::places() const noexcept {
  return state_->places;
}

void Team::run_erased(void (*call)(void*, int), void* context) const {
  if (here.thread >= 0)
    throw Error::failed("team", "run() within a run()", "make one loop of the two");
  const Body work{call, context};
  if (state_->runtime == Runtime::openmp)
    state_->run_openmp(work);
  else
    state_->run_workers(work);
  if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
}

}  // namespace Atoll
