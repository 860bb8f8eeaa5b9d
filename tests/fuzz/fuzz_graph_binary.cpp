// Fuzzes graph files. The input is a list of patches to a valid file; checksums are recomputed or
// not. The file is refused, or its graph can be traversed completely.
#include <cstdint>
#include <cstring>

#include "atoll/base/error.hpp"
#include "atoll/graph/describe.hpp"
#include "graph/load_file.hpp"
#include "graph_checksums.hpp"
#include "memory_file.hpp"
#include "patches.hpp"

namespace {

using namespace Atoll;
using graph::Section;

const Team& team() {
  static const Team two({{}, {}}, Team::Runtime::std_threads, false);
  return two;
}

/// Returns a valid file with all sections and labels.
std::string good_file() {
  const std::string text = "0 1 5\n0 2 6\n1 2 7\n2 0 8\n3 3 9\n";
  graph::Graph made = graph::load(MemoryFile(text.data(), text.size()).path(), team(), {},
                                  {.values = {{"v", "3"}}});
  for (const Section section : {Section::r_begin, Section::r_node_idx, Section::r_edge_idx})
    made.require(section, team());
  const std::string labels = "a\nbb\n\nd\n";
  read_labels(made, MemoryFile(labels.data(), labels.size()).path());
  const std::string path = "fuzz_graph_binary.tmp" + std::to_string(::getpid());
  save(made, path);
  graph::InputFile file(path);
  std::string content(file.bytes(), '\0');
  if (file.read(content.data(), content.size()) != content.size()) __builtin_trap();
  ::unlink(path.c_str());
  return content;
}

void walk(graph::Graph& loaded) {
  std::uint64_t letters = 0;
  for (std::uint64_t node = 0; node < loaded.nodes(); ++node) letters += loaded.label(node).size();
  for (const std::string& name : loaded.value_names())
    if (std::visit([](auto all) { return all.size(); }, loaded.values(name)) != loaded.edges())
      __builtin_trap();
  const auto figures = describe(loaded, team());
  const auto components = weak_components(loaded);
  if (figures.dangling > loaded.nodes() || components.count > loaded.nodes() || letters > (1 << 20))
    __builtin_trap();
  with_id_types(loaded, [&]<class Node, class Edge>() {
    const auto r_begin = loaded.ids<Edge>(Section::r_begin);
    for (std::uint64_t v = 0; v < loaded.nodes(); ++v)
      if (r_begin[v] > r_begin[v + 1] || r_begin[v + 1] > loaded.edges()) __builtin_trap();
    for (const Section section : {Section::node_idx, Section::r_node_idx})
      if (loaded.has(section))
        for (const Node node : loaded.ids<Node>(section))
          if (node >= loaded.nodes()) __builtin_trap();
  });
  if (!loaded.has(Section::r_node_idx)) loaded.require(Section::r_node_idx, team());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string good = good_file();
  if (size == 0) return 0;
  std::string content = good;
  const bool right_checksums = (data[0] & 1) != 0;
  const bool cut = (data[0] & 2) != 0;
  for_each_patch<std::uint16_t>(data, size, [&](const auto& patch) { patch.apply(content); });
  if (right_checksums) content = graph::with_checksums(content, graph::head_of(content));
  if (cut) content.resize(size * 37 % content.size());
  try {
    const MemoryFile memory(content.data(), content.size());
    graph::InputFile file(memory.path());
    graph::Graph loaded = graph::load_file(file, team());
    walk(loaded);
  } catch (const Error&) {
    // refused in one line
  }
  return 0;
}
