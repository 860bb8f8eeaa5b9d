// The lines that a loop's tasks use, 16 bytes each: first in order of arrival, later sorted.
#pragma once

#include <cstdint>
#include <vector>

namespace Atoll::affinity {

/// A task's use of a line. Each word has two bits: it is read (`plain` alone), updated by atomic
/// operations (`written` alone), or written by plain stores (both).
struct TaskLine {
  std::uint64_t line : 46;  ///< bits 0 to 41: address / 64; above: the process's number
  std::uint64_t plain : 8;
  std::uint64_t written : 8;
  std::uint32_t task;

  [[nodiscard]] std::uint8_t used() const { return static_cast<std::uint8_t>(plain | written); }
  /// Returns the words with plain stores, which race with other tasks' accesses.
  [[nodiscard]] std::uint8_t plainly_written() const {
    return static_cast<std::uint8_t>(plain & written);
  }
  /// Merges another use of the line. For each word, a plain store outweighs an atomic update, which
  /// outweighs a read.
  void join(const TaskLine& other) {
    const unsigned plain_writes = (plain & written) | (other.plain & other.written);
    const unsigned writes = written | other.written;
    plain = static_cast<std::uint8_t>(((plain | other.plain) & ~writes) | plain_writes);
    written = static_cast<std::uint8_t>(writes);
  }
};
static_assert(sizeof(TaskLine) == 16);

/// A list of lines in parts of fixed size: growth needs no second copy.
class TaskLines {
 public:
  void add(const TaskLine& line) {
    if (parts_.empty() || parts_.back().size() == kPart) new_part();
    parts_.back().push_back(line);
    ++size_;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Joins duplicate entries, such as those of a loop that runs repeatedly. Temporarily needs as
  /// much memory again. Returns the number of removed entries.
  std::uint64_t compact();
  /// Returns all lines, ascending by line, then task, with duplicates joined. This object is then
  /// empty.
  [[nodiscard]] std::vector<TaskLine> take_sorted();

 private:
  static constexpr std::size_t kPart = std::size_t{1} << 18;
  void new_part();

  std::vector<std::vector<TaskLine>> parts_;
  std::uint64_t size_ = 0;
};

}  // namespace Atoll::affinity
