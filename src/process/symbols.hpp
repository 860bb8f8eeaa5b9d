// Symbols and debug information of programs and libraries: functions, files and lines of addresses,
// inlined functions, static variables and build ids. libdw reads each module once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atoll/process/frame.hpp"

namespace Atoll::process {

struct StaticVariable {
  std::string name;                      ///< demangled
  std::uint64_t address = 0, bytes = 0;  ///< as in the file, without the load bias
};

/// Pages of a file that are never mapped writable.
struct FilePages {
  struct Part {
    std::uint64_t begin, end;  ///< page numbers (address in the file / 4096); `end` is exclusive
    std::uint64_t first;       ///< page number of `begin` in the file (offset / 4096)
  };
  std::uint64_t device = 0, inode = 0;
  std::vector<Part> parts;
};

/// Symbols of modules, read on demand. Not thread-safe. A module that can't be read (missing,
/// damaged) has no symbols.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// Returns the build id in hexadecimal; "" if the module has none.
  [[nodiscard]] const std::string& build_id(const std::string& module);
  /// Returns the static variables in ascending order of address, with one name per address.
  [[nodiscard]] std::span<const StaticVariable> variables(const std::string& module);
  /// Returns the module's read-only pages; empty if the module can't be read.
  [[nodiscard]] const FilePages& read_only_pages(const std::string& module);
  /// Returns the levels at a return address (as in the file), innermost first. There is at least
  /// one.
  [[nodiscard]] std::span<const Frame> frames(const std::string& module, std::uint64_t address);

 private:
  struct Module;
  Module& open(const std::string& path);

  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace Atoll::process
