// Makes the objects of a recording, and finds where each lies, from what its processes told of
// their memory, in the order in which they told it.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "process/symbols.hpp"
#include "trace/module_pages.hpp"
#include "trace/object_index.hpp"
#include "trace/object_ranges.hpp"
#include "trace/recorder/region.hpp"
#include "trace/site_table.hpp"

namespace Atoll::trace {

inline constexpr std::uint64_t kAddresses = std::uint64_t{1}
                                            << 56;  ///< no program's addresses are higher

/// When an event happened.
struct Moment {
  std::uint64_t ns;     ///< since the run began
  std::uint64_t clock;  ///< how many events had happened, this one included
};

class ObjectTable {
 public:
  /// Each process has an object for what no other covers. `index` must be empty. What is referred
  /// to outlives the table.
  ObjectTable(const std::vector<std::uint32_t>& parents, const std::vector<Thread>& threads,
              ModulePages accessed, process::Symbols& symbols, ObjectIndex& index);

  /// Adds a module and those of its variables that were accessed.
  void add_module(std::uint32_t process, const process::LoadedModule& module, Moment now);
  /// Adds memory of which the thread told by an event of that kind (allocated, mapped, slab, stack,
  /// brk). `site` is the recording's, and kNone for the last two; `name` is that of a mapped file.
  void add_range(recorder::EventKind kind, const recorder::Allocated& range, const Thread& thread,
                 std::uint32_t site, Moment now, std::string name = "");
  /// Names the object that the memory is a part of, if it has no name.
  void describe(std::uint32_t process, const recorder::Allocated& range, std::string name);
  void free(std::uint32_t process, const recorder::Freed& freed, Moment now);
  /// Adds allocations to a pool. The site has the process's own number.
  void add_small(std::uint32_t process, std::uint32_t site, std::uint64_t allocations);
  /// Returns all objects, by number.
  [[nodiscard]] std::vector<Object> take();
  /// Returns where objects lay, and when (Recording::ranges).
  [[nodiscard]] std::vector<ObjectRange> take_ranges() { return ranges_.take(); }

 private:
  /// What is known of a process's memory so far.
  struct Process {
    std::unordered_map<std::uint32_t, std::uint32_t> pools;     ///< its number of a site -> object
    std::unordered_map<std::uint32_t, std::uint32_t> orders;    ///< site -> objects so far
    std::unordered_map<std::uint64_t, std::uint32_t> by_begin;  ///< address -> object, alive
    std::unordered_map<std::uint64_t, std::uint32_t> stacks;    ///< address -> object
    std::uint32_t brk = kNone;                                  ///< object
  };
  std::uint32_t add(Object object);
  /// Notes that bytes are used again, if an object that had them is gone.
  void note_reuse(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  std::uint64_t now_ns);

  const std::vector<Thread>& threads_;
  ModulePages accessed_;
  process::Symbols& symbols_;
  ObjectIndex& index_;
  ObjectRanges ranges_;
  std::vector<Object> objects_;
  std::vector<Process> processes_;
  /// The threads whose stacks had the same addresses one after the other, by object.
  std::map<std::uint32_t, std::vector<std::uint32_t>> threads_of_stacks_;
};

}  // namespace Atoll::trace
