// Fuzzes compressed graphs: the gzip reader, libarchive, and the thread that decompresses. Loading
// ends with a graph or an error. Results are the same with one thread and with three.
#include <cstdint>
#include <cstdlib>

#include "atoll/base/error.hpp"
#include "atoll/graph/graph.hpp"
#include "memory_file.hpp"

namespace {

using namespace Atoll;

std::string outcome(const std::string& path, const Team& team) {
  try {
    const graph::TextSize size = graph::scan_text(path, team);
    return std::to_string(size.nodes) + " " + std::to_string(size.entries);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Team one({{}}, Team::Runtime::std_threads, false);
  static const Team three({{}, {}, {}}, Team::Runtime::std_threads, false);
  const MemoryFile file(data, size), same(data, size);
  std::string first = outcome(file.path(), one), second = outcome(same.path(), three);
  for (auto [text, path] : {std::pair{&first, file.path()}, std::pair{&second, same.path()}})
    if (text->starts_with(path)) text->erase(0, path.size());
  if (first != second) std::abort();
  return 0;
}
