// One level of a call stack, with its function, file and line from the program's symbols.
// Recordings store stacks of such levels, and plans are matched by them.
#pragma once

#include <cstdint>
#include <string>

namespace Atoll::process {

/// One level of a call stack. An inlined function has a level of its own.
struct Frame {
  std::string function;      ///< demangled; "" if unknown
  std::string file;          ///< as in the debug information; "" if unknown
  int line = 0;              ///< 0 if unknown
  std::string module;        ///< path of the program or library
  std::string build_id;      ///< build id of the module, hexadecimal; "" if the module has none
  std::uint64_t offset = 0;  ///< virtual address of the return address in the module's file
  bool inlined = false;      ///< true if inlined into the next level
  friend bool operator==(const Frame&, const Frame&) = default;
};

}  // namespace Atoll::process
