// What processes told of their mappings, as PhysicalPages has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/physical_pages.hpp"
#include "trace/process_modules.hpp"
#include "trace/recorder/region.hpp"
#include "trace/symbols.hpp"

namespace Atoll::trace {

/// Each function in the order of events, which is that of their times but for some that came
/// together. Times are CLOCK_MONOTONIC.
class MappedMemory {
 public:
  /// `pages` is empty before. The references are to outlive this.
  MappedMemory(PhysicalPages& pages, Symbols& symbols) : pages_(pages), symbols_(symbols) {}

  void add_process(std::uint32_t parent, std::uint64_t forked_at) {
    pages_.add_process(parent, forked_at);
  }
  /// Memory that a process told of: of an event `mapped`, with what is behind it (null: unknown).
  void add_range(std::uint32_t process, const recorder::Event& event,
                 const recorder::Allocated& range, const recorder::Mapped* mapped);
  /// A program or library: what it can't write to is its file's.
  void add_module(std::uint32_t process, const recorder::Event& event, const LoadedModule& module);

 private:
  /// It only rises.
  std::uint64_t time_of(const recorder::Event& event) {
    return now_ = event.time_ns > now_ ? event.time_ns : now_;
  }

  std::uint64_t now_ = 0;
  PhysicalPages& pages_;
  Symbols& symbols_;
};

/// How reports call it; "": by the function that mapped it.
[[nodiscard]] std::string name_of_mapping(const recorder::Mapped& mapped, std::string_view path);

}  // namespace Atoll::trace
