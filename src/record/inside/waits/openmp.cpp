#include "record/inside/waits/openmp.hpp"

namespace Atoll::record::inside::waits {

constinit thread_local Part present_part = {};

namespace {

int ask(std::atomic<int (*)()>& function, const char* name) {
  if (function.load() == nullptr)
    function.store(reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, name)));
  return function.load()();
}

constinit std::atomic<int (*)()> number{nullptr}, count{nullptr};
int number_of_thread() {
  return ask(number, "omp_get_thread_num");
}
int count_of_threads() {
  return ask(count, "omp_get_num_threads");
}

}  // namespace

void begin_region(const Region& region) {
  (void)number_of_thread();  // looked up here, so that no thread of the region does it
  (void)count_of_threads();
  look_for_runtimes();
  released(&region, 0);
}

void end_region(const Region& region) {
  if (has_tasks()) tasks_ended(region);
  record_continued(key_of(&region));
}

Part enter_region(const Region& region) {
  const Part before = present_part;
  const auto threads = static_cast<std::uint32_t>(count_of_threads());
  present_part = {&region, 0, threads};
  leave_runtime();
  tasks_belong_to(region);
  if (number_of_thread() == 0)
    record({.call = WaitCall::expects, .count = threads - 1, .key = key_of(&region)});
  else
    waited(&region, 0);
  return before;
}

void leave_region(const Part& before) {
  const bool has_begun_it = number_of_thread() == 0;
  if (has_tasks()) {
    leave_region_to_tasks(*present_part.region, has_begun_it);
  } else {
    meet();
    record({.call = WaitCall::asleep, .key = has_begun_it ? kRegionEnds : kIdle});
  }
  present_part = before;
}

void arrive() {
  if (present_part.threads > 1) enter_runtime(key_of(present_part.region));
}

void meet() {
  if (present_part.threads <= 1) return;
  leave_runtime();
  record({.call = WaitCall::met,
          .count = present_part.threads,
          .key = key_of(present_part.region),
          .other = present_part.met++});
}

}  // namespace Atoll::record::inside::waits
