// What programs and libraries say of themselves: functions, files and lines of addresses, with what
// was inlined there, static variables, build ids. Read with libdw, each module once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

struct StaticVariable {
  std::string name;                      ///< demangled
  std::uint64_t address = 0, bytes = 0;  ///< as in the file: without where it was loaded to
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

/// Not for several threads at once. What can't be read (no such file, damaged) has no symbols.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// Hexadecimal; "" if the module has none.
  [[nodiscard]] const std::string& build_id(const std::string& module);
  /// Ascending by address; one name for an address.
  [[nodiscard]] std::span<const StaticVariable> variables(const std::string& module);
  /// No parts where the module can't be read.
  [[nodiscard]] const FilePages& read_only_pages(const std::string& module);
  /// The levels at a return address (as in the file), innermost first; at least one.
  [[nodiscard]] std::span<const Frame> frames(const std::string& module, std::uint64_t address);

 private:
  struct Module;
  Module& open(const std::string& path);

  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace Atoll::trace
