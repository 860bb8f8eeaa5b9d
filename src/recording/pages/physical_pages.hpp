// Identifies pages of processes that are the same page of memory, by mappings and by inheritance in
// forked children.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "base/range_map.hpp"

namespace Atoll::recording {

/// Mappings must be added in ascending order of time; the unit of time is arbitrary. Pages are
/// addresses / 4096; page ranges exclude their end. If two mappings had the same addresses, the
/// last one applies; for a forked child, the last one before the fork.
class PhysicalPages {
 public:
  /// Page in a process's address space.
  struct Place {
    std::uint32_t process = 0;
    std::uint64_t page = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// Page of memory: id of the mapped memory, and the page's number in it.
  struct Memory {
    std::uint64_t id = 0, page = 0;
    friend auto operator<=>(const Memory&, const Memory&) = default;
  };
  /// Kind of mapped memory: private; shared, with writes visible to all processes; private copy
  /// after the first write (copied).
  enum class Kind : std::uint8_t { own, shared, copied };

  /// Adds a process; processes are numbered in order. All must be added before any mapping. A
  /// forked process inherits its parent's memory at the time of the fork; a process without parent
  /// (kNone) inherits none.
  void add_process(std::uint32_t parent, std::uint64_t forked_at);

  /// Returns a new memory id. `home` is the place where the memory is first mapped.
  [[nodiscard]] std::uint64_t new_memory(Place home);
  /// Returns the memory id of a file (device, inode), the same for the same file. Its home is the
  /// place of page 0 of the file according to the first mapping.
  [[nodiscard]] std::uint64_t memory_of_file(std::uint64_t device, std::uint64_t inode, Place home);

  /// Maps pages from `first` on of memory `id` to the process's pages [begin, end) at time `now`.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t now,
           Kind kind, std::uint64_t id, std::uint64_t first);
  void put_own(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t now);
  /// Moves the mapping at the pages from `from` on to [begin, end).
  void move(std::uint32_t process, std::uint64_t from, std::uint64_t begin, std::uint64_t end,
            std::uint64_t now);

  /// Writes to private memory: `wrote` returns true if the process's counts include a write to a
  /// page; `copied`, if the system was observed to copy the page for the process.
  struct Writes {
    std::function<bool(Place)> wrote, copied;
  };
  /// Returns false if no page of the process can be shared, with another process or within it.
  [[nodiscard]] bool may_share(std::uint32_t process) const;
  [[nodiscard]] Memory memory_of(Place place, const Writes& writes) const;
  /// Returns true if the process does not share the page by a shared mapping. A read then allocates
  /// no page for the process.
  [[nodiscard]] bool is_private(Place place) const;
  /// Returns the time when the process mapped the page's memory; 0: it had the memory from its
  /// begin.
  [[nodiscard]] std::uint64_t mapped_at(Place place) const;
  /// Returns the place where the memory was first mapped. It need not have been accessed there, and
  /// may be unmapped since.
  [[nodiscard]] Place home_of(Memory memory) const;

 private:
  /// Mapping of a range from a time on: page p of the process is page p + shift of the memory.
  struct Version {
    std::uint64_t time;
    Kind kind;
    std::uint64_t id, shift;
    friend bool operator==(const Version&, const Version&) = default;
  };
  using Versions = std::vector<Version>;  ///< by time
  struct Process {
    std::uint32_t parent;
    std::uint64_t forked_at;
    std::vector<std::uint64_t> forks;  ///< times of its children's forks, ascending
    RangeMap<Versions> ranges;         ///< of pages
  };
  struct Found {
    std::uint32_t process;   ///< process that mapped it
    const Version* version;  ///< null: the process has had it since its begin
  };

  [[nodiscard]] static const Version* version_of(const Process& process, std::uint64_t page,
                                                 std::uint64_t before);

  std::vector<Process> processes_;
  std::vector<Place> homes_;  ///< by id - kFirstId
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> files_;
};

}  // namespace Atoll::recording
