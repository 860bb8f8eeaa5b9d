#include "recording/task_drain.hpp"

#include <xxhash.h>

#include <algorithm>

#include "record/task_words.hpp"
#include "recording/region_view.hpp"
#include "recording/threads_of_region.hpp"

namespace Atoll::recording {

bool TaskDrain::step() {
  return rings_.take([&](std::uint32_t stream, const record::ThreadRecord& record,
                         std::span<const std::uint64_t> words) {
    deliver(stream, thread_of(stream, record), words);
  });
}

TaskDrain::Thread& TaskDrain::thread_of(std::uint32_t stream, const record::ThreadRecord& record) {
  const auto known = threads_.find(stream);
  if (known != threads_.end()) return known->second;
  // Processes are numbered by creation time, so later processes do not change any number.
  const std::vector<record::Offset> all =
      processes_of(RegionView(region_.header(), region_.bytes()));
  const auto process = std::ranges::find(all, record.process) - all.begin();
  return threads_.emplace(stream, Thread{.process = static_cast<std::uint32_t>(process)})
      .first->second;
}

void TaskDrain::deliver(std::uint32_t stream, Thread& thread,
                        std::span<const std::uint64_t> words) {
  // The words of a ring may begin in the middle of a task.
  for (auto at = words.begin(); at != words.end();) {
    if (record::is_task(*at)) thread.task = *at++;
    const auto begin = at;
    std::uint64_t atomic = 0;
    for (; at != words.end() && !record::is_task(*at); ++at)
      atomic += record::is_atomic_use(*at) ? 1 : 0;
    const auto uses = static_cast<std::uint64_t>(at - begin);
    send_task(stream, thread, {begin, at}, uses - atomic);
  }
}

void TaskDrain::send_task(std::uint32_t stream, const Thread& thread,
                          std::span<const std::uint64_t> words, std::uint64_t lines) {
  if (!record::is_task(thread.task)) return;  // the program has overwritten its ring
  const recording::TaskPart part{
      .process = thread.process,
      .thread = stream,
      .loop = name_of(record::loop_of(thread.task)),
      .number = record::number_of(thread.task),
      .lines = lines,
      .hash = XXH3_64bits_withSeed(words.data(), words.size_bytes(),
                                   thread.task ^ (std::uint64_t{thread.process} << 1))};
  if (consumer_.knows(part)) return;
  lines_.clear();
  for (const std::uint64_t word : words) {
    const std::uint64_t line = record::line_of(word);
    if (!record::is_atomic_use(word)) {
      lines_.push_back({.line = line,
                        .read = record::read_words_of(word),
                        .written = record::written_words_of(word)});
      continue;
    }
    if (lines_.empty() || lines_.back().line != line) lines_.push_back({.line = line});
    lines_.back().atomic = record::written_words_of(word);
  }
  consumer_.task({.process = part.process,
                  .thread = part.thread,
                  .loop = part.loop,
                  .number = part.number,
                  .hash = part.hash,
                  .lines = lines_});
}

const std::string& TaskDrain::name_of(std::uint32_t loop) {
  const record::Header& header = region_.header();
  while (loops_.size() <= loop) {
    const char* name =
        header.task_loops[std::min<std::size_t>(loops_.size(), record::kLoops - 1)].name;
    loops_.emplace_back(name, std::find(name, name + record::kLoopName, '\0'));
  }
  return loops_[loop];
}

}  // namespace Atoll::recording
