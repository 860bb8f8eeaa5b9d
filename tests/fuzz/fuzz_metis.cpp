// Fuzzes METIS graphs. Either a one-line Error (input) is thrown, or the graph is unchanged after
// writing and reading, for any chunk size.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "atoll/base/error.hpp"
#include "graph/input_file.hpp"
#include "graph/metis_text.hpp"
#include "memory_file.hpp"

namespace {

using namespace Atoll;

graph::MetisGraph read(const std::string& path, std::size_t chunk_bytes) {
  graph::InputFile file(path);
  graph::TextReader reader(file, chunk_bytes);
  return graph::read_metis(reader, 1 << 20);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto require = [](bool condition) {
    if (!condition) __builtin_trap();
  };
  const MemoryFile file(data, size);
  try {
    const graph::MetisGraph graph = read(file.path(), 1 << 16);
    require(read(file.path(), 1 + size % 32) == graph);
    const auto path =
        std::filesystem::temp_directory_path() / ("fuzz_metis." + std::to_string(::getpid()));
    graph::write_metis(graph, path);
    require(read(path, 1 << 16) == graph);
    std::filesystem::remove(path);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    require(error.kind() == Error::Kind::input && message.starts_with(file.path()) &&
            message.find('\n') == std::string_view::npos);
  }
  return 0;
}
