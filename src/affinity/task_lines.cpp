#include "affinity/task_lines.hpp"

#include <algorithm>
#include <tuple>

namespace Atoll::affinity {
namespace {

// A lambda, because sorting, which is half of all the work, would call a function through a
// pointer.
constexpr auto place_of = [](const TaskLine& line) { return std::pair(line.line, line.task); };

}  // namespace

void TaskLines::new_part() {
  parts_.emplace_back();
  parts_.back().reserve(kPart);
}

std::uint64_t TaskLines::compact() {
  const std::uint64_t before = size_;
  for (const TaskLine& line : take_sorted()) add(line);
  return before - size_;
}

std::vector<TaskLine> TaskLines::take_sorted() {
  std::vector<TaskLine> all;
  all.reserve(size_);
  for (std::vector<TaskLine>& part : parts_) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  parts_.clear();
  size_ = 0;
  std::ranges::sort(all, {}, place_of);
  std::size_t kept = 0;
  for (const TaskLine& line : all) {
    if (kept != 0 && place_of(all[kept - 1]) == place_of(line)) {
      all[kept - 1].join(line);
    } else {
      all[kept++] = line;
    }
  }
  all.resize(kept);
  return all;
}

}  // namespace Atoll::affinity
