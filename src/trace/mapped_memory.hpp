// Puts what processes reported of their mappings into PhysicalPages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "process/process_modules.hpp"
#include "process/symbols.hpp"
#include "trace/physical_pages.hpp"
#include "trace/recorder/region.hpp"

namespace Atoll::trace {

/// Call the functions in the order of events, which is that of their times except for some that
/// came together. Times are CLOCK_MONOTONIC.
class MappedMemory {
 public:
  /// `pages` must be empty. The references must outlive this.
  MappedMemory(PhysicalPages& pages, process::Symbols& symbols)
      : pages_(pages), symbols_(symbols) {}

  void add_process(std::uint32_t parent, std::uint64_t forked_at) {
    pages_.add_process(parent, forked_at);
  }
  /// Adds memory that a process reported: `event` is of kind `mapped`, with what is behind it
  /// (null: unknown).
  void add_range(std::uint32_t process, const recorder::Event& event,
                 const recorder::Allocated& range, const recorder::Mapped* mapped);
  /// Adds a program or library: what it can't write to is the file's memory.
  void add_module(std::uint32_t process, const recorder::Event& event,
                  const process::LoadedModule& module);

 private:
  /// Returns the event's time, which never falls.
  std::uint64_t time_of(const recorder::Event& event) {
    return now_ = event.time_ns > now_ ? event.time_ns : now_;
  }

  std::uint64_t now_ = 0;
  PhysicalPages& pages_;
  process::Symbols& symbols_;
};

/// Returns the name for reports; "" if it is named by the function that mapped it.
[[nodiscard]] std::string name_of_mapping(const recorder::Mapped& mapped, std::string_view path);

}  // namespace Atoll::trace
