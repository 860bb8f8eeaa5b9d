// Converts call stacks, which processes reported as return addresses, to the Recording's sites,
// using the modules that the processes loaded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "process/process_modules.hpp"
#include "process/symbols.hpp"

namespace Atoll::recording {

/// A forked child inherits its parent's modules and sites.
class SiteTable {
 public:
  /// `parents` has for each process its parent by a fork (kNone: none), whose number is smaller.
  SiteTable(std::vector<std::uint32_t> parents, process::Symbols& symbols)
      : symbols_(symbols),
        parents_(std::move(parents)),
        modules_(parents_.size()),
        numbers_(parents_.size()) {}

  /// Returns false if the module is already known.
  bool add_module(std::uint32_t process, process::LoadedModule module);
  /// Adds a stack with the process's own number. Equal stacks of several processes become one site.
  void add_site(std::uint32_t process, std::uint32_t number,
                std::span<const std::uint64_t> addresses);
  /// Adds a stack of one return address, once. Returns its index in take_sites(); kNone if the
  /// address is in no module.
  std::uint32_t add_place(std::uint32_t process, std::uint64_t address);
  /// Returns the site's index in take_sites(); kNone if the number is unknown.
  [[nodiscard]] std::uint32_t site_of(std::uint32_t process, std::uint32_t number) const;
  [[nodiscard]] std::vector<Site> take_sites() { return std::move(sites_); }

 private:
  /// Returns the index of the site with this stack, and adds the site if it is new.
  std::uint32_t position_of(std::uint32_t process, std::span<const std::uint64_t> addresses);
  /// Returns the last module loaded at this address; null if there is none.
  [[nodiscard]] const process::LoadedModule* module_of(std::uint32_t process,
                                                       std::uint64_t address) const;

  process::Symbols& symbols_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::vector<process::LoadedModule>> modules_;
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> numbers_;
  std::unordered_map<std::string, std::uint32_t> known_;  ///< by modules and offsets
  std::vector<Site> sites_;
};

}  // namespace Atoll::recording
