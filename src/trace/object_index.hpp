// Which object each 8-byte word of a process's memory belongs to, and so each line. Ranges are put
// in the order in which they came to be: the last that covers a byte has it.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

class ObjectIndex {
 public:
  /// A further process, the next by number. What nothing covers is `parent`'s (it inherited its
  /// memory by a fork; kNone: it didn't), else `other`'s.
  void add_process(std::uint32_t parent, std::uint32_t other);
  /// From now on bytes [begin, end) are `object`'s. Empty and impossible ranges are ignored.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t object) {
    put(process, begin, {.end = end, .object = object});
  }
  /// The same for what has objects of its own inside, as a module has variables: words that any of
  /// these has bytes of aren't `object`'s.
  void put_around(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  std::uint32_t object) {
    put(process, begin, {.end = end, .object = object, .around = true});
  }
  /// Calls found(object) for objects of this process, not its parents', that have bytes of
  /// [begin, end), and notes these bytes as used again where that returns true.
  void note_reuse(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  const std::function<bool(std::uint32_t object)>& found);
  /// Bit i: line i of the page has bytes that were used again.
  [[nodiscard]] std::uint64_t reused_lines(std::uint32_t process, std::uint64_t page) const;

  /// The page's 64 lines by object, ascending. Valid until the next call.
  [[nodiscard]] std::span<const ObjectLines> lines_of(std::uint32_t process, std::uint64_t page);

 private:
  struct Range {
    std::uint64_t end;
    std::uint32_t object;
    bool around = false;
  };
  struct Process {
    std::uint32_t parent, other;
    std::map<std::uint64_t, Range> ranges;          ///< by begin; disjoint
    std::map<std::uint64_t, std::uint64_t> reused;  ///< begin to end; disjoint
  };
  /// Of one page.
  struct Words {
    static constexpr std::size_t kWords = kPageBytes / 8;
    std::array<std::uint32_t, kWords> object;  ///< that has the word, the first of several
    std::bitset<kWords> around;                ///< it is one that others are inside of
    /// The others of several: (word, object).
    std::vector<std::pair<std::size_t, std::uint32_t>> further;

    Words() { object.fill(kNone); }
  };
  void put(std::uint32_t process, std::uint64_t begin, Range range);
  static void fill(const Process& process, std::uint64_t page, Words& words);
  void list(const Words& words);

  std::vector<Process> processes_;
  std::vector<ObjectLines> found_;
};

}  // namespace Atoll::trace
