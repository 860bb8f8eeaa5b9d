// Fuzzes Matrix Market files whose values are kept as text. Either a one-line Error (input) is
// thrown, or the matrix can be written and read, also in reversed order.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string_view>

#include "atoll/base/error.hpp"
#include "graph/input_file.hpp"
#include "graph/matrix_text.hpp"
#include "memory_file.hpp"

namespace {

using namespace Atoll;

constexpr std::uint32_t kMax = 1 << 16;

graph::MatrixText read(const std::string& path, std::size_t chunk_bytes) {
  graph::InputFile file(path);
  graph::TextReader reader(file, chunk_bytes);
  return graph::read_matrix_text(reader);
}

std::vector<std::uint32_t> order(std::uint32_t count, bool reversed) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  if (reversed) std::reverse(all.begin(), all.end());
  return all;
}

std::string written(const graph::MatrixText& matrix, bool reversed, const std::string& path) {
  graph::write_matrix_text(matrix, order(matrix.rows, reversed), order(matrix.columns, reversed),
                           path);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto require = [](bool condition) {
    if (!condition) __builtin_trap();
  };
  const MemoryFile file(data, size);
  const std::string path =
      std::filesystem::temp_directory_path() / ("fuzz_matrix." + std::to_string(::getpid()));
  try {
    const graph::MatrixText matrix = read(file.path(), 1 << 16);
    require(read(file.path(), 1 + size % 32).text == matrix.text);
    if (matrix.rows > kMax || matrix.columns > kMax) return 0;
    const std::string once = written(matrix, false, path);
    const graph::MatrixText again = read(path, 1 << 16);
    require(written(again, false, path) == once);
    // The reversal changes the order of entries at the same position or in both halves, so only
    // counts and sizes are compared.
    static_cast<void>(written(again, true, path));
    const graph::MatrixText reversed = read(path, 1 << 16);
    require(reversed.entries.size() == matrix.entries.size());
    const std::string back = written(reversed, true, path);
    require(read(path, 1 << 16).entries.size() == matrix.entries.size());
    require(matrix.header.negated || matrix.header.conjugated || back.size() == once.size());
    std::filesystem::remove(path);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    require(error.kind() == Error::Kind::input && message.starts_with(file.path()) &&
            message.find('\n') == std::string_view::npos);
  }
  return 0;
}
