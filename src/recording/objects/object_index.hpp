// Index of the object that owns each 8-byte word of a process's memory, and so each line. If ranges
// overlap, a byte belongs to the last range added.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "base/range_map.hpp"

namespace Atoll::recording {

class ObjectIndex {
 public:
  /// Adds a process; processes are numbered in order. Memory in no range belongs to `parent`'s
  /// object there or, if there is none, to `other`. `parent` is kNone unless the process inherited
  /// memory by a fork.
  void add_process(std::uint32_t parent, std::uint32_t other);
  /// Assigns bytes [begin, end) to `object`. Empty and invalid ranges are ignored.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t object) {
    processes_[process].ranges.assign(begin, end, {.object = object});
  }
  /// As put(), for an object with others inside, such as a module with variables: words that
  /// contain bytes of an inner object do not belong to `object`.
  void put_around(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  std::uint32_t object) {
    processes_[process].ranges.assign(begin, end, {.object = object, .around = true});
  }
  /// Calls found(object) for each object of this process, not of its parents, that owns bytes of
  /// [begin, end). If it returns true, these bytes are marked as reused.
  void note_reuse(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  const std::function<bool(std::uint32_t object)>& found);
  /// Returns a mask: bit i is set if line i of the page has reused bytes.
  [[nodiscard]] std::uint64_t reused_lines(std::uint32_t process, std::uint64_t page) const;

  /// Returns the objects of the page's 64 lines, ascending. The result is valid until the next
  /// call.
  [[nodiscard]] std::span<const ObjectLines> lines_of(std::uint32_t process, std::uint64_t page);

 private:
  struct Owner {
    std::uint32_t object;
    bool around = false;
  };
  struct Process {
    std::uint32_t parent, other;
    RangeMap<Owner> ranges;
    RangeSet reused;
  };
  /// Owners of each word of one page.
  struct Words {
    static constexpr std::size_t kWords = kPageBytes / 8;
    std::array<std::uint32_t, kWords> object;  ///< owner of the word, or the first of several
    std::bitset<kWords> around;                ///< true if the owner may have other objects inside
    /// Further owners of words with several: (word, object).
    std::vector<std::pair<std::size_t, std::uint32_t>> further;

    Words() { object.fill(kNone); }
  };
  static void fill(const Process& process, std::uint64_t page, Words& words);
  void list(const Words& words);

  std::vector<Process> processes_;
  std::vector<ObjectLines> found_;
};

}  // namespace Atoll::recording
