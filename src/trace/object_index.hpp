// Which object each line of a process's memory belongs to. Ranges are put in the order in which
// they came to be: the last that covers a byte has it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

class ObjectIndex {
 public:
  /// A further process, the next by number. What nothing covers is `parent`'s (it inherited its
  /// memory by a fork; kNone: it didn't), else `other`'s.
  void add_process(std::uint32_t parent, std::uint32_t other);
  /// From now on bytes [begin, end) are `object`'s. Empty and impossible ranges are ignored.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t object);
  /// Calls found(object) for objects of this process, not its parents', that have bytes of
  /// [begin, end), and notes these bytes as used again where that returns true.
  void note_reuse(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  const std::function<bool(std::uint32_t object)>& found);
  /// Bit i: line i of the page has bytes that were used again.
  [[nodiscard]] std::uint64_t reused_lines(std::uint32_t process, std::uint64_t page) const;

  /// The page's 64 lines by object, ascending. A line that several have is the one's that has most
  /// of its bytes. Valid until the next call.
  [[nodiscard]] std::span<const ObjectLines> lines_of(std::uint32_t process, std::uint64_t page);

 private:
  struct Range {
    std::uint64_t end;
    std::uint32_t object;
  };
  struct Process {
    std::uint32_t parent, other;
    std::map<std::uint64_t, Range> ranges;          ///< by begin; disjoint
    std::map<std::uint64_t, std::uint64_t> reused;  ///< begin to end; disjoint
  };
  void fill(const Process& process, std::uint64_t page, std::span<std::uint32_t> lines) const;

  std::vector<Process> processes_;
  std::vector<ObjectLines> found_;
};

}  // namespace Atoll::trace
