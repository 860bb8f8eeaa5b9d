// Finds the object that each 8-byte word of a process's memory belongs to, and so each line. Ranges
// are put in the order in which they were made: a byte belongs to the last range that covers it.
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
  /// Adds a process, with the next number. Memory that nothing covers belongs to `parent`'s object
  /// if it has one there, else to `other`. `parent` is kNone unless memory was inherited by a fork.
  void add_process(std::uint32_t parent, std::uint32_t other);
  /// From now on bytes [begin, end) belong to `object`. Empty and impossible ranges are ignored.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t object) {
    put(process, begin, {.end = end, .object = object});
  }
  /// Does the same for an object with others inside, as a module has variables: words that contain
  /// bytes of any of these don't belong to `object`.
  void put_around(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  std::uint32_t object) {
    put(process, begin, {.end = end, .object = object, .around = true});
  }
  /// Calls found(object) for objects of this process, not of its parents, that have bytes of
  /// [begin, end). If it returns true, these bytes are noted as used again.
  void note_reuse(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  const std::function<bool(std::uint32_t object)>& found);
  /// Returns bits: bit i is set if line i of the page has bytes that were used again.
  [[nodiscard]] std::uint64_t reused_lines(std::uint32_t process, std::uint64_t page) const;

  /// Returns the page's 64 lines by object, ascending. They are valid until the next call.
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
  /// The words of one page.
  struct Words {
    static constexpr std::size_t kWords = kPageBytes / 8;
    std::array<std::uint32_t, kWords>
        object;                  ///< the object that has the word, or the first of several
    std::bitset<kWords> around;  ///< true if other objects lie within this one
    /// The other objects of words that several have: (word, object).
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
