#include "trace/task_drain.hpp"

#include <algorithm>

#include "trace/recorder/task_words.hpp"

namespace Atoll::trace {

bool TaskDrain::step() {
  return rings_.take([&](std::uint32_t thread, const recorder::ThreadRecord& /*record*/,
                         std::span<const std::uint64_t> words) { hand_on(thread, words); });
}

void TaskDrain::hand_on(std::uint32_t thread, std::span<const std::uint64_t> words) {
  // What a ring gives may begin in the middle of a task.
  std::uint64_t& task = present_[thread];
  lines_.clear();
  bool begun = false;
  for (const std::uint64_t word : words) {
    if (!recorder::is_task(word)) {
      lines_.push_back({.line = recorder::line_of(word),
                        .words = recorder::used_words_of(word),
                        .is_read = recorder::is_read(word),
                        .is_written = recorder::is_written(word)});
      continue;
    }
    if (begun || !lines_.empty()) tell(thread, task);
    task = word;
    begun = true;
  }
  if (begun || !lines_.empty()) tell(thread, task);
}

void TaskDrain::tell(std::uint32_t thread, std::uint64_t task) {
  if (recorder::is_task(task))  // else the program has written into its ring
    consumer_.task({.thread = thread,
                    .loop = name_of(recorder::loop_of(task)),
                    .number = recorder::number_of(task),
                    .lines = lines_});
  lines_.clear();
}

const std::string& TaskDrain::name_of(std::uint32_t loop) {
  const recorder::Header& header = region_.header();
  while (loops_.size() <= loop) {
    const char* name =
        header.loop_names[std::min<std::size_t>(loops_.size(), recorder::kLoops - 1)];
    loops_.emplace_back(name, std::find(name, name + recorder::kLoopName, '\0'));
  }
  return loops_[loop];
}

}  // namespace Atoll::trace
