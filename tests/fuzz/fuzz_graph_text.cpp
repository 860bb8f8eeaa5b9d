// Fuzzes text graphs. Loading in one piece with one thread, and in tiny chunks with three threads,
// gives the same graph or the same error.
#include <cstdint>
#include <cstring>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "graph/input_file.hpp"
#include "graph/load_text.hpp"
#include "memory_file.hpp"

namespace {

using namespace Atoll;

struct Outcome {
  std::string error;
  graph::Graph graph;
};

/// Returns the options that the input's last byte selects: ids kept or renumbered, a table with
/// columns by name or by number, values, and the text itself as list of vertices.
graph::TextOptions options_of(std::uint8_t choice, const std::string& path) {
  graph::TextOptions options;
  if ((choice & 1) != 0) options.ids = graph::TextOptions::Ids::relabel;
  options.one_based = (choice & 2) != 0;
  if ((choice & 12) == 4) options.from = "a", options.to = "b";
  if ((choice & 12) == 8) options.from = "2", options.to = "1";
  if ((choice & 16) != 0)
    options.values = {{"v", options.from == "a" ? "c" : "3"},
                      {"w", options.from == "a" ? "a" : "1"}};
  if ((choice & 48) == 48 && options.from.empty()) options.values = {{"w", "w"}};  // a key name
  if ((choice & 128) != 0) options.vertices = path;
  return options;
}

/// Returns the options that the same byte selects: edges in both directions, and the handling of
/// duplicates.
graph::BuildOptions build_of(std::uint8_t choice) {
  graph::BuildOptions build{.symmetrise = (choice & 32) != 0};
  build.duplicates = static_cast<graph::Duplicates>((choice >> 5) % 6);
  return build;
}

Outcome load(const std::string& path, std::size_t chunk_bytes, const Team& team,
             const graph::BuildOptions& build, const graph::TextOptions& options) {
  constexpr std::uint64_t kBudget = 1 << 20;
  Outcome outcome;
  try {
    graph::InputFile file(path);
    graph::TextReader reader(file, chunk_bytes);
    outcome.graph = graph::load_text(reader, team, {build, options, kBudget});
    for (const auto section : {graph::Section::r_node_idx, graph::Section::r_edge_idx})
      outcome.graph.require(section, team);
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

bool same(const Outcome& a, const Outcome& b) {
  if (a.error != b.error || a.graph.nodes() != b.graph.nodes()) return false;
  for (int i = 0; i < graph::kSections; ++i) {
    const auto section = graph::Section{i};
    if (a.graph.has(section) != b.graph.has(section)) return false;
    if (!a.graph.has(section)) continue;
    const auto left = a.graph.bytes(section), right = b.graph.bytes(section);
    if (!std::equal(left.begin(), left.end(), right.begin(), right.end())) return false;
  }
  for (std::uint64_t node = 0; node < a.graph.nodes(); ++node)
    if (a.graph.label(node) != b.graph.label(node)) return false;
  for (const std::string& name : a.graph.value_names()) {
    const auto left = a.graph.values(name), right = b.graph.values(name);
    if (left.index() != right.index()) return false;
    const auto bytes = [](const graph::EdgeValues& values) {
      return std::visit([](auto all) { return std::as_bytes(all); }, values);
    };
    if (!std::ranges::equal(bytes(left), bytes(right))) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  silence();  // notes differ between inputs
  static const Team one({{}}, Team::Runtime::std_threads, false);
  static const Team three({{}, {}, {}}, Team::Runtime::std_threads, false);
  // Graph files are detected earlier, and mapped instead of parsed.
  if (std::string_view(reinterpret_cast<const char*>(data), size).starts_with("\x89\x41TLG"))
    return 0;
  const MemoryFile file(data, size);
  const std::size_t chunk_bytes = size == 0 ? 1 : 1 + data[size / 2] % 32;
  const std::uint8_t choice = size == 0 ? 0 : data[size - 1];
  const graph::TextOptions options = options_of(choice, file.path());
  const graph::BuildOptions build = build_of(choice);
  if (!same(load(file.path(), 1 << 16, one, build, options),
            load(file.path(), chunk_bytes, three, build, options)))
    __builtin_trap();
  return 0;
}
