// Fuzzes reading of symbols and debug information. The input is a list of patches to this program's
// own file, truncated or not. Every address must get a result.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "memory_file.hpp"
#include "patches.hpp"
#include "process/symbols.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string good = [] {
    const char* program = std::getenv("ATOLL_FUZZ_PROGRAM");  // a small one with debug information
    std::ifstream file(program != nullptr ? program : "/proc/self/exe", std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  }();
  if (size == 0) return 0;
  std::string content = good;
  for_each_patch<std::uint32_t>(data, size, [&](const auto& patch) { patch.apply(content); });
  if (data[0] % 8 == 0) content.resize(content.size() / 256 * data[size - 1]);
  const MemoryFile file(content.data(), content.size());
  Atoll::process::Symbols symbols;
  (void)symbols.build_id(file.path());
  (void)symbols.variables(file.path());
  for (std::uint64_t address = 0x1000; address < 0x1600; address += 13)
    if (symbols.frames(file.path(), address).empty()) __builtin_trap();
  return 0;
}
