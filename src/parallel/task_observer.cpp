// Forwards tasks to the recorder in this process, if there is one.
#include "atoll/parallel/task_observer.hpp"

#include "atoll/marks/marks.h"

namespace Atoll {
namespace {

class Marks final : public TaskObserver {
 public:
  void loop(const TaskLoop& loop) noexcept override {
    if (atoll_task_loop != nullptr)
      atoll_task_loop(loop.name, loop.iterations, loop.chunk, loop.fingerprint);
  }
  void begin(const TaskLoop& loop, std::uint64_t task) noexcept override {
    atoll_task_begin(loop.name, task);
  }
  void end() noexcept override { atoll_task_end(); }
};

}  // namespace

TaskObserver* process_task_observer() noexcept {
  static Marks marks;
  return atoll_task_begin != nullptr && atoll_task_end != nullptr ? &marks : nullptr;
}

}  // namespace Atoll
