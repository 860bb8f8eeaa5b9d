// One level of a stack, with what the program's symbols say about it. Recordings have such stacks,
// and plans are matched with them.
#pragma once

#include <cstdint>
#include <string>

namespace Atoll::process {

/// One level of a stack. An inlined function is a level of its own.
struct Frame {
  std::string function;      ///< demangled; "" if unknown
  std::string file;          ///< as the debug information has it; "" if unknown
  int line = 0;              ///< 0 if unknown
  std::string module;        ///< path of the program or library
  std::string build_id;      ///< of the module, hexadecimal; "" if it has none
  std::uint64_t offset = 0;  ///< of the return address in the module's file
  bool inlined = false;      ///< into the next level
  friend bool operator==(const Frame&, const Frame&) = default;
};

}  // namespace Atoll::process
