// The lines that a loop's tasks use, as they come, in 16 bytes each; and sorted, once all are
// there.
#pragma once

#include <cstdint>
#include <vector>

namespace Atoll::affinity {

/// A task's use of a line. Of each word two bits tell whether it is read (`plain` alone), updated
/// by atomic operations (`written` alone), or written in another way (both).
struct TaskLine {
  std::uint64_t line : 46;  ///< address / 64, below 2^42, with the process above
  std::uint64_t plain : 8;
  std::uint64_t written : 8;
  std::uint32_t task;

  [[nodiscard]] std::uint8_t used() const { return static_cast<std::uint8_t>(plain | written); }
  /// The words that another task's write may spoil.
  [[nodiscard]] std::uint8_t plainly_written() const {
    return static_cast<std::uint8_t>(plain & written);
  }
  /// Of each word, the use that says more counts.
  void join(const TaskLine& other) {
    const std::uint64_t plain_writes = (plain & written) | (other.plain & other.written);
    const std::uint64_t writes = written | other.written;
    plain = ((plain | other.plain) & ~writes) | plain_writes;
    written = writes;
  }
};
static_assert(sizeof(TaskLine) == 16);

/// Grows without ever having two copies of all.
class TaskLines {
 public:
  void add(const TaskLine& line) {
    if (parts_.empty() || parts_.back().size() == kPart) new_part();
    parts_.back().push_back(line);
    ++size_;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Puts together what came several times, as in a loop that runs again and again. It takes as
  /// much memory again for a moment. Returns how many fewer lines there are.
  std::uint64_t compact();
  /// Ascending by line, then task; what came several times is put together. This is left empty.
  [[nodiscard]] std::vector<TaskLine> take_sorted();

 private:
  static constexpr std::size_t kPart = std::size_t{1} << 18;
  void new_part();

  std::vector<std::vector<TaskLine>> parts_;
  std::uint64_t size_ = 0;
};

}  // namespace Atoll::affinity
