// What programs and libraries say about themselves: functions, files and lines of addresses, with
// what was inlined there, static variables, build ids. libdw reads each module once.
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
  std::uint64_t address = 0, bytes = 0;  ///< as in the file, not where it was loaded
};

/// The pages of a file that programs which load it can't write to.
struct FilePages {
  struct Part {
    std::uint64_t begin, end;  ///< addresses as in the file / 4096, the end not included
    std::uint64_t first;       ///< where they lie in the file, / 4096
  };
  std::uint64_t device = 0, inode = 0;
  std::vector<Part> parts;
};

/// One thread at a time may use it. A module that can't be read (no such file, damaged) has no
/// symbols.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// Returns hexadecimal digits; "" if the module has none.
  [[nodiscard]] const std::string& build_id(const std::string& module);
  /// Returns the variables, ascending by address, with one name for each address.
  [[nodiscard]] std::span<const StaticVariable> variables(const std::string& module);
  /// Returns no parts if the module can't be read.
  [[nodiscard]] const FilePages& read_only_pages(const std::string& module);
  /// Returns the levels at a return address (as in the file), innermost first; at least one.
  [[nodiscard]] std::span<const Frame> frames(const std::string& module, std::uint64_t address);

 private:
  struct Module;
  Module& open(const std::string& path);

  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace Atoll::process
