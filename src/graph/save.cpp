// Writes graphs: Atoll's own file, and text.
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/progress.hpp"
#include "graph/file_format.hpp"

namespace Atoll::graph {
namespace {

constexpr std::array<std::byte, kAlignment> kZeros{};

/// Returns the checksum of a section with its padding, as stored in the file.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> blocks;
  for (std::size_t at = 0; at < bytes.size(); at += kChecksumBlock) {
    const auto block = bytes.subspan(at, std::min(kChecksumBlock, bytes.size() - at));
    if (block.size() == padded(block.size())) {
      blocks.push_back(block_checksum(block.data(), block.size()));
    } else {
      std::vector<std::byte> with_padding(block.begin(), block.end());
      with_padding.resize(padded(block.size()));
      blocks.push_back(block_checksum(with_padding.data(), with_padding.size()));
    }
  }
  return section_checksum(blocks);
}

std::vector<EdgeValues> all_values(const Graph& graph) {
  std::vector<EdgeValues> all;
  all.reserve(graph.value_names().size());
  for (const std::string& name : graph.value_names()) all.push_back(graph.values(name));
  return all;
}

}  // namespace

void save(const Graph& graph, const std::string& path) {
  const Graph::State& state = graph.state();
  FileHead head{};
  head.magic = kMagic;
  head.version = state.value_kinds.there ? kVersionWithWholeValues
                 : state.values.there    ? kVersionWithValues
                                         : kVersion;
  head.byte_order = kByteOrder;
  head.nodes = state.nodes;
  head.edges = state.edges;
  head.node_bytes = static_cast<std::uint32_t>(state.node_width);
  head.edge_bytes = static_cast<std::uint32_t>(state.edge_width);
  head.file_bytes = sizeof head;
  for (std::uint64_t kind = 1; kind <= kKinds; ++kind) {
    const auto& content = content_of_kind(state, kind);
    if (!content.there) continue;
    head.table[head.sections++] = {kind, head.file_bytes, content.bytes.size(),
                                   checksum_of(content.bytes)};
    head.file_bytes += padded(content.bytes.size());
  }
  head.checksum = head_checksum(head);

  AtomicFile file(path);
  Progress progress("writing " + path, head.file_bytes);
  file.write(std::as_bytes(std::span(&head, 1)));
  for (std::uint64_t i = 0; i < head.sections; ++i) {
    const auto bytes = content_of_kind(state, head.table[i].kind).bytes;
    for (std::size_t at = 0; at < bytes.size(); at += kChecksumBlock) {
      const auto block = bytes.subspan(at, std::min(kChecksumBlock, bytes.size() - at));
      file.write(block);
      progress.add(block.size());
    }
    file.write(std::span(kZeros).first(padded(bytes.size()) - bytes.size()));
  }
  file.commit();
}

namespace {

/// A file, or standard output for "-".
class TextOutput {
 public:
  explicit TextOutput(const std::string& path) {
    if (path != "-") file_.emplace(path);
  }
  void write(std::string_view text) {
    if (file_)
      file_->write(text);
    else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
      fail();
  }
  void commit() {
    if (file_)
      file_->commit();
    else if (std::fflush(stdout) != 0)
      fail();
  }

 private:
  [[noreturn]] static void fail() { throw Error::system("standard output", "writing", errno); }

  std::optional<AtomicFile> file_;
};

}  // namespace

void save_edge_list(const Graph& graph, const std::string& path) {
  TextOutput file(path);
  Progress progress("writing " + path, graph.edges());
  with_id_types(graph, [&]<class Node, class Edge>() {
    const auto begin = graph.ids<Edge>(Section::begin);
    const auto targets = graph.ids<Node>(Section::node_idx);
    const std::vector<EdgeValues> values = all_values(graph);
    // A line has two numbers of at most 20 digits, a blank and a line break. A value has at most 24
    // characters.
    const std::size_t line_bytes = 42 + 25 * values.size();
    std::vector<char> text((std::size_t{1} << 20) + line_bytes);
    char* at = text.data();
    char* const full = text.data() + text.size() - line_bytes;
    std::uint64_t told = 0;
    for (std::uint64_t node = 0; node < graph.nodes(); ++node) {
      char source[21];
      const auto length =
          static_cast<std::size_t>(std::to_chars(source, source + 20, node).ptr - source) + 1;
      source[length - 1] = ' ';
      for (std::uint64_t edge = begin[node]; edge < begin[node + 1]; ++edge) {
        std::memcpy(at, source, length);
        at = std::to_chars(at + length, at + line_bytes, targets[edge]).ptr;
        for (const EdgeValues& column : values) {
          *at++ = ' ';
          at = std::visit(
              [&](auto numbers) { return std::to_chars(at, at + 24, numbers[edge]).ptr; }, column);
        }
        *at++ = '\n';
        if (at < full) continue;
        file.write({text.data(), static_cast<std::size_t>(at - text.data())});
        at = text.data();
        progress.add(edge - told);
        told = edge;
      }
    }
    file.write({text.data(), static_cast<std::size_t>(at - text.data())});
  });
  file.commit();
}

}  // namespace Atoll::graph
