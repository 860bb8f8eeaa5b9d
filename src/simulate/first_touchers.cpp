#include "simulate/first_touchers.hpp"

#include <vector>

namespace Atoll::simulate {

void FirstTouchers::cut(const Begin& at) {
  auto after = ranges_.upper_bound(at);
  if (after == ranges_.begin()) return;
  const auto before = std::prev(after);
  if (before->first.first != at.first || before->first == at || before->second.end <= at.second)
    return;
  ranges_.emplace_hint(after, at, before->second);
  before->second.end = at.second;
}

void FirstTouchers::set(std::uint64_t process, std::uint64_t begin, std::uint64_t end,
                        std::uint32_t thread) {
  if (begin >= end) return;
  cut({process, begin});
  cut({process, end});
  auto after =
      ranges_.erase(ranges_.lower_bound({process, begin}), ranges_.lower_bound({process, end}));
  if (thread == kNone) return;
  // Merges adjacent ranges of the same thread.
  if (after != ranges_.end() && after->first == Begin{process, end} &&
      after->second.thread == thread) {
    end = after->second.end;
    after = ranges_.erase(after);
  }
  if (after != ranges_.begin()) {
    Range& before = std::prev(after)->second;
    if (std::prev(after)->first.first == process && before.end == begin &&
        before.thread == thread) {
      before.end = end;
      return;
    }
  }
  ranges_.emplace_hint(after, Begin{process, begin}, Range{end, thread});
}

void FirstTouchers::remap(std::uint64_t process, std::uint64_t begin, std::uint64_t end,
                          std::uint64_t to) {
  if (begin >= end) return;
  cut({process, begin});
  cut({process, end});
  std::vector<std::pair<std::uint64_t, Range>> moved;
  for (auto at = ranges_.lower_bound({process, begin}); at != ranges_.lower_bound({process, end});
       ++at)
    moved.emplace_back(at->first.second, at->second);
  set(process, begin, end, kNone);
  set(process, to, to + (end - begin), kNone);
  for (const auto& [first, range] : moved)
    set(process, first - begin + to, range.end - begin + to, range.thread);
}

}  // namespace Atoll::simulate
