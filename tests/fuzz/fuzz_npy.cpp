// Fuzzes headers of .npy files. Either the header is read, or a one-line Error (input) is thrown.
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "atoll/base/error.hpp"
#include "stencil/output/npy_header.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto require = [](bool condition) {
    if (!condition) __builtin_trap();
  };
  std::istringstream file(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const Atoll::stencil::NpyHeader header = Atoll::stencil::read_npy_header(file, "array");
    require(header.shape.size() <= 32 && file.tellg() >= 10);
  } catch (const Atoll::Error& error) {
    const std::string_view message = error.what();
    require(error.kind() == Atoll::Error::Kind::input && message.starts_with("array") &&
            message.find('\n') == std::string_view::npos);
  }
  return 0;
}
