// Adds the mappings that processes reported to PhysicalPages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "process/process_modules.hpp"
#include "process/symbols.hpp"
#include "record/region.hpp"
#include "recording/pages/physical_pages.hpp"

namespace Atoll::recording {

/// Its functions must be called in the order of events. Their times are in the same order, except
/// for some concurrent events. Times are CLOCK_MONOTONIC.
class MappedMemory {
 public:
  /// `pages` must be empty. The references must outlive this object.
  MappedMemory(PhysicalPages& pages, process::Symbols& symbols)
      : pages_(pages), symbols_(symbols) {}

  void add_process(std::uint32_t parent, std::uint64_t forked_at) {
    pages_.add_process(parent, forked_at);
  }
  /// Adds memory that a process reported. For events of kind `mapped`, `mapped` has the memory
  /// behind the range (null: unknown).
  void add_range(std::uint32_t process, const record::Event& event, const record::Allocated& range,
                 const record::Mapped* mapped);
  /// Adds a program or library. Its read-only pages are memory of the file.
  void add_module(std::uint32_t process, const record::Event& event,
                  const process::LoadedModule& module);

 private:
  /// Returns the event's time, or the latest time so far if that is later.
  std::uint64_t time_of(const record::Event& event) {
    return now_ = event.time_ns > now_ ? event.time_ns : now_;
  }

  std::uint64_t now_ = 0;
  PhysicalPages& pages_;
  process::Symbols& symbols_;
};

/// Returns a mapping's name for reports; "" if the function that mapped it names it.
[[nodiscard]] std::string name_of_mapping(const record::Mapped& mapped, std::string_view path);

}  // namespace Atoll::recording
