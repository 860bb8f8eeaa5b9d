// Creates the objects of a recording and their address ranges from the memory that its processes
// reported, in the order of the reports.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "process/symbols.hpp"
#include "record/region.hpp"
#include "recording/objects/object_index.hpp"
#include "recording/objects/object_ranges.hpp"
#include "recording/objects/site_table.hpp"
#include "recording/pages/module_pages.hpp"

namespace Atoll::recording {

inline constexpr std::uint64_t kAddresses = std::uint64_t{1}
                                            << 56;  ///< no program has higher addresses

/// Time of an event.
struct Moment {
  std::uint64_t ns;     ///< since the run began
  std::uint64_t clock;  ///< number of events so far, including this one
};

class ObjectTable {
 public:
  /// Creates one object for each process, for memory in no other object. `index` must be empty. The
  /// references must outlive the table.
  ObjectTable(const std::vector<std::uint32_t>& parents, const std::vector<Thread>& threads,
              ModulePages accessed, process::Symbols& symbols, ObjectIndex& index);

  /// Adds a module and its accessed variables.
  void add_module(std::uint32_t process, const process::LoadedModule& module, Moment now);
  /// Adds memory that the thread reported by an event of this kind (allocated, mapped, slab, stack,
  /// brk). `site` is an index in the recording; kNone for stack and brk. `name` is the name of a
  /// mapped file.
  void add_range(record::EventKind kind, const record::Allocated& range, const Thread& thread,
                 std::uint32_t site, Moment now, std::string name = "");
  /// Names the object that contains the memory, if it has no name.
  void describe(std::uint32_t process, const record::Allocated& range, std::string name);
  void free(std::uint32_t process, const record::Freed& freed, Moment now);
  /// Adds allocations to a pool. `site` is the process's own number.
  void add_small(std::uint32_t process, std::uint32_t site, std::uint64_t allocations);
  /// Returns all objects, by number.
  [[nodiscard]] std::vector<Object> take();
  /// Returns the address ranges of objects with their lifetimes (Recording::ranges).
  [[nodiscard]] std::vector<ObjectRange> take_ranges() { return ranges_.take(); }

 private:
  /// State of a process's memory so far.
  struct Process {
    std::unordered_map<std::uint32_t, std::uint32_t> pools;     ///< process's site number -> object
    std::unordered_map<std::uint32_t, std::uint32_t> orders;    ///< site -> number of its objects
    std::unordered_map<std::uint64_t, std::uint32_t> by_begin;  ///< address -> live object
    std::unordered_map<std::uint64_t, std::uint32_t> stacks;    ///< address -> object
    std::uint32_t brk = kNone;                                  ///< object
  };
  std::uint32_t add(Object object);
  /// Marks bytes as reused if an object that owned them is gone.
  void note_reuse(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  std::uint64_t now_ns);

  const std::vector<Thread>& threads_;
  ModulePages accessed_;
  process::Symbols& symbols_;
  ObjectIndex& index_;
  ObjectRanges ranges_;
  std::vector<Object> objects_;
  std::vector<Process> processes_;
  /// By object: threads whose stacks had the same addresses in turn.
  std::map<std::uint32_t, std::vector<std::uint32_t>> threads_of_stacks_;
};

}  // namespace Atoll::recording
