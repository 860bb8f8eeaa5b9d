// Finds which pages of which processes are one page of memory, from what was mapped there and what
// a forked child has of its parent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

/// It is filled in the order of time; any time that only rises will do. Pages are addresses / 4096;
/// ranges are of pages, without the end. If two mappings had the same addresses, the last one
/// counts, and for a forked child the last one before the fork.
class PhysicalPages {
 public:
  /// A page of a process.
  struct Place {
    std::uint32_t process = 0;
    std::uint64_t page = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// A page of memory: a number for what was mapped, and the page in it.
  struct Memory {
    std::uint64_t id = 0, page = 0;
    friend auto operator<=>(const Memory&, const Memory&) = default;
  };
  /// What was mapped: memory of the process's own; memory whose writes are seen by all who have it;
  /// memory that becomes the process's own once it writes.
  enum class Kind : std::uint8_t { own, shared, copied };

  /// Adds a process, with the next number, before anything else is added. A forked process has its
  /// parent's memory as of then; others (kNone) have none.
  void add_process(std::uint32_t parent, std::uint64_t forked_at);

  /// Returns memory that differs from all other. `home` is where it is mapped first.
  [[nodiscard]] std::uint64_t new_memory(Place home);
  /// Returns the memory of a file (device, inode), equal for equal files. Its home is page 0 of the
  /// file, if that is mapped where it would be.
  [[nodiscard]] std::uint64_t memory_of_file(std::uint64_t device, std::uint64_t inode, Place home);

  /// From `now` on the process's pages [begin, end) are the memory's from page `first` on.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t now,
           Kind kind, std::uint64_t id, std::uint64_t first);
  void put_own(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t now);
  /// [begin, end) now has what was from page `from` on.
  void move(std::uint32_t process, std::uint64_t from, std::uint64_t begin, std::uint64_t end,
            std::uint64_t now);

  /// For pages whose writes others don't see: true if a process wrote to a page, by what it
  /// counted, and true if the system was seen to make a copy for it.
  struct Writes {
    std::function<bool(Place)> wrote, copied;
  };
  /// Returns false if each of its pages is its own, and no other process has it.
  [[nodiscard]] bool may_share(std::uint32_t process) const;
  [[nodiscard]] Memory memory_of(Place place, const Writes& writes) const;
  /// True if a page is memory that a process doesn't share by its mapping. A read gives it no page
  /// of its own.
  [[nodiscard]] bool is_private(Place place) const;
  /// Returns when the process mapped what is there; 0 if it began with it.
  [[nodiscard]] std::uint64_t mapped_at(Place place) const;
  /// Returns where it was mapped first. Nobody need have accessed it there, nor need it still be
  /// there.
  [[nodiscard]] Place home_of(Memory memory) const;

 private:
  /// What pages of a range are, from a time on: page p of the process is p + shift of the memory.
  struct Version {
    std::uint64_t time;
    Kind kind;
    std::uint64_t id, shift;
    friend bool operator==(const Version&, const Version&) = default;
  };
  using Versions = std::vector<Version>;  ///< by time; empty: nothing was mapped
  struct Process {
    std::uint32_t parent;
    std::uint64_t forked_at;
    std::vector<std::uint64_t> forks;          ///< when its own children were forked, ascending
    std::map<std::uint64_t, Versions> ranges;  ///< by first page, up to the next one's
  };
  struct Found {
    std::uint32_t process;   ///< the one that mapped it
    const Version* version;  ///< null: nobody mapped it; the process has had it since it began
  };

  static void split(std::map<std::uint64_t, Versions>& ranges, std::uint64_t at);
  [[nodiscard]] static const Version* version_of(const Process& process, std::uint64_t page,
                                                 std::uint64_t before);

  std::vector<Process> processes_;
  std::vector<Place> homes_;  ///< by id - kFirstId
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> files_;
};

}  // namespace Atoll::trace
