#include "record/inside/waits/openmp_tasks.hpp"

namespace Atoll::record::inside::waits {
namespace {

constinit thread_local Executed executed = {};
/// Limits. Tasks beyond them are in no set, and waits for them aren't recorded.
constexpr unsigned kMaxGroups = 64, kMaxDepth = 256, kMaxThreads = 1024;
/// Sets of one thread. As thread-local data they would take 8 KiB of each thread's stack, even
/// without tasks.
struct Sets {
  TaskSet::Place groups[kMaxGroups], parents[kMaxDepth];
};
constinit Sets all_sets[kMaxThreads] = {};
constinit std::atomic<unsigned> threads_with_sets{0};
constinit thread_local Sets* own_sets = nullptr;
constexpr int kNumberShift = 32;
constexpr std::uint64_t kLeft = (std::uint64_t{1} << kNumberShift) - 1;

/// Creates an empty set. Tasks of the place's previous set no longer count.
TaskSet set_at(TaskSet::Place& place) {
  const std::uint64_t number = (place.left.load() >> kNumberShift) + 1;
  place.left.store(number << kNumberShift);
  return {&place, number};
}

/// Returns this thread's sets, or null if too many threads have sets.
Sets* sets() {
  if (own_sets == nullptr && threads_with_sets.load() < kMaxThreads)
    if (const unsigned number = threads_with_sets.fetch_add(1); number < kMaxThreads)
      own_sets = &all_sets[number];
  return own_sets;
}

/// Returns a key that differs from those of locks and futexes at the address, like TaskSet::key().
std::uint64_t key_of_ends(const volatile void* address) {
  return key_of(address) + 3;
}

void sleeps(std::uint64_t key, std::uint64_t other) {
  record({.call = WaitCall::asleep, .key = key, .other = other});
}

}  // namespace

void enter_runtime(std::uint64_t key, std::uint64_t other) {
  if (has_tasks()) executed.sleeps_for = key;
  sleeps(key, other == 0 && has_tasks() ? kTasks : other);
}

void leave_runtime() {
  executed.sleeps_for = 0;
  executed.has_left_region = false;
}

void tasks_belong_to(const Region& region) {
  executed.region = key_of_ends(&region);
}

void leave_region_to_tasks(const Region& region, bool has_begun_it) {
  if (!has_begun_it) record({.call = WaitCall::posted, .key = key_of_ends(&region)});
  enter_runtime(has_begun_it ? kTasks : kIdle);
  executed.has_left_region = true;
}

void tasks_ended(const Region& region) {
  leave_runtime();
  record({.call = WaitCall::took_all, .key = key_of_ends(&region)});
  executed.region = present_part.region == nullptr ? 0 : key_of_ends(present_part.region);
}

void record_created(Task& task) {
  if (executed.children.place == nullptr && executed.depth < kMaxDepth && sets() != nullptr)
    executed.children = set_at(sets()->parents[executed.depth]);
  task.siblings = executed.children;
  task.group = executed.group;
  task.siblings.add();
  task.group.add();
  task.region = executed.region;
  WaitReport report = {.call = WaitCall::release, .key = kTasks};
  if (atoll_tell_wait != nullptr) atoll_tell_wait(&report);
  task.created = report.other;
}

Executed begin_task(const Task& task) {
  note_task_event();
  const Executed before = executed;
  executed.children = {};
  ++executed.depth;
  executed.group = task.group;
  executed.region = task.region;
  executed.sleeps_for = 0;
  executed.has_left_region = false;
  if (before.sleeps_for != 0) {  // else its creator executes it immediately
    sleeps(kTasks, 0);           // it has waited for a task, not for the next region
    record({.call = WaitCall::followed, .other = task.created});
  }
  for (std::uint32_t i = 0; i < task.dependence_count; ++i)
    record({.call = WaitCall::waited, .key = key_of_ends(task.dependences[i])});
  if (before.sleeps_for != 0) {
    request_turn();
    end_turn();
  }
  return before;
}

void end_task(const Task& task, const Executed& before) {
  for (std::uint32_t i = 0; i < task.dependence_count; ++i)
    record({.call = WaitCall::release, .key = key_of_ends(task.dependences[i])});
  executed = before;
  if (before.sleeps_for != 0) {
    const std::uint64_t keys[] = {task.siblings.key(), task.group.key(),
                                  before.has_left_region ? task.region : 0};
    for (const std::uint64_t key : keys)
      if (key != 0) record({.call = WaitCall::posted, .key = key});
    sleeps(before.sleeps_for, kWakesOthers);
  }
  task.siblings.remove();
  task.group.remove();
  note_task_event();
}

TaskSet children() {
  return executed.children;
}

void begin_group() {
  if (executed.groups < kMaxGroups && sets() != nullptr) {
    TaskSet::Place& place = sets()->groups[executed.groups];
    place.outer_place = executed.group.place;
    place.outer_number = executed.group.number;
    executed.group = set_at(place);
  }
  ++executed.groups;
}

TaskSet end_group() {
  const TaskSet group = executed.group;
  if (--executed.groups < kMaxGroups && own_sets != nullptr)
    executed.group = {group.place->outer_place, group.place->outer_number};
  return group;
}

bool TaskSet::has_ended() const {
  const std::uint64_t now = place == nullptr ? 0 : place->left.load();
  return now >> kNumberShift != number || (now & kLeft) == 0;
}

void TaskSet::add() const {
  if (place != nullptr) place->left.fetch_add(1);
}

void TaskSet::remove() const {
  if (place == nullptr) return;
  std::uint64_t now = place->left.load();
  while (now >> kNumberShift == number && (now & kLeft) != 0)
    if (place->left.compare_exchange_weak(now, now - 1)) return;
}

}  // namespace Atoll::record::inside::waits
