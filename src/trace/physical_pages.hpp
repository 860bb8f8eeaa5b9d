// Which pages of which processes are one page of memory: by what was mapped there, and what a
// forked child has of its parent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

/// Filled in the order of time, any that only rises. Pages are addresses / 4096; ranges are of
/// pages, the end not included. Where two mappings had the same addresses, the last counts, for a
/// forked child the last before the fork.
class PhysicalPages {
 public:
  /// Where a process has a page.
  struct Place {
    std::uint32_t process = 0;
    std::uint64_t page = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// A page of memory, by a number for what was mapped and the page in it.
  struct Memory {
    std::uint64_t id = 0, page = 0;
    friend auto operator<=>(const Memory&, const Memory&) = default;
  };
  /// What was mapped: memory of the process's own; such that all who have it see each other's
  /// writes; such that is the process's own once it writes.
  enum class Kind : std::uint8_t { own, shared, copied };

  /// Processes by number, all before anything else. A forked one has its parent's memory as of
  /// then; others (kNone) have none.
  void add_process(std::uint32_t parent, std::uint64_t forked_at);

  /// Memory that nothing else is; `home`: where it is mapped first.
  [[nodiscard]] std::uint64_t new_memory(Place home);
  /// The same for a file (device, inode), equal for equal ones. Its home is page 0 of the file, if
  /// that is mapped where it would be.
  [[nodiscard]] std::uint64_t memory_of_file(std::uint64_t device, std::uint64_t inode, Place home);

  /// From `now` on the process's pages [begin, end) are the memory's from page `first` on.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t now,
           Kind kind, std::uint64_t id, std::uint64_t first);
  void put_own(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t now);
  /// [begin, end) is now what was from page `from` on.
  void move(std::uint32_t process, std::uint64_t from, std::uint64_t begin, std::uint64_t end,
            std::uint64_t now);

  /// Whether a process wrote to a page, by what it counted, and whether the system was seen to make
  /// a copy for it. Of pages whose writes others don't see.
  struct Writes {
    std::function<bool(Place)> wrote, copied;
  };
  /// False: each of its pages is its own, and no other process has it.
  [[nodiscard]] bool may_share(std::uint32_t process) const;
  [[nodiscard]] Memory memory_of(Place place, const Writes& writes) const;
  /// When the process mapped what is there; 0: it began so.
  [[nodiscard]] std::uint64_t mapped_at(Place place) const;
  /// Where it was mapped first; nobody need have accessed it there, nor need it be there still.
  [[nodiscard]] Place home_of(Memory memory) const;

 private:
  /// What pages of a range are, from a time on: page p of the process is p + shift of the memory.
  struct Version {
    std::uint64_t time;
    Kind kind;
    std::uint64_t id, shift;
    friend bool operator==(const Version&, const Version&) = default;
  };
  using Versions = std::vector<Version>;  ///< by time; none: nothing was mapped
  struct Process {
    std::uint32_t parent;
    std::uint64_t forked_at;
    std::vector<std::uint64_t> forks;          ///< when its own children were forked, ascending
    std::map<std::uint64_t, Versions> ranges;  ///< by first page, up to the next one's
  };
  struct Found {
    std::uint32_t process;   ///< that mapped it
    const Version* version;  ///< null: nobody did, it is the process's since it began
  };

  static void split(std::map<std::uint64_t, Versions>& ranges, std::uint64_t at);
  [[nodiscard]] static const Version* version_of(const Process& process, std::uint64_t page,
                                                 std::uint64_t before);

  std::vector<Process> processes_;
  std::vector<Place> homes_;  ///< by id - kFirstId
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> files_;
};

}  // namespace Atoll::trace
