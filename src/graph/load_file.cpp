// Maps a graph file and checks it completely, so that programs can rely on its content: see
// docs/graph-file.md.
#include "graph/load_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "atoll/base/error.hpp"
#include "atoll/base/progress.hpp"
#include "graph/buckets.hpp"
#include "graph/file_format.hpp"

namespace Atoll::graph {
namespace {

/// Limit for the names, which are read before the checksums are verified.
constexpr std::size_t kMaxNamesBytes = std::size_t{1} << 16;

/// Throws Error (input) if the names are too long or aren't terminated.
std::vector<std::string> names_in(std::string_view text, const InputFile& file) {
  std::vector<std::string> names;
  if (text.size() > kMaxNamesBytes)
    throw Error::input(file.name(), "names of values that are too long", kDamaged);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\0', at);
    if (end == std::string_view::npos || end == at)
      throw Error::input(file.name(), "names of values without an end", kDamaged);
    names.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

class Checker {
 public:
  explicit Checker(const InputFile& file) : file_(file), head_(read_head(file)) {
    state_->file = Pages(file.descriptor(), file.bytes(), file.name());
    state_->nodes = head_.nodes;
    state_->edges = head_.edges;
    state_->node_width = IdWidth{static_cast<std::uint8_t>(head_.node_bytes)};
    state_->edge_width = IdWidth{static_cast<std::uint8_t>(head_.edge_bytes)};
  }

  std::unique_ptr<Graph::State> check(const Team& team) {
    for (std::uint64_t i = 0; i < head_.sections; ++i) find_section(head_.table[i]);
    if (end_ != head_.file_bytes) throw refuse("bytes behind the last section", kDamaged);
    check_presence();
    check_contents(team);
    return std::move(state_);
  }

 private:
  [[nodiscard]] Error refuse(std::string_view what, std::string_view way_out) const {
    return Error::input(file_.name(), what, way_out);
  }

  [[nodiscard]] std::uint64_t expected_bytes(std::uint64_t kind) const {
    switch (kind) {
      case 1:
      case 3:
        return (head_.nodes + 1) * head_.edge_bytes;
      case 2:
      case 4:
        return head_.edges * head_.node_bytes;
      case 5:
        return head_.edges * head_.edge_bytes;
      case 6:
        return (head_.nodes + 1) * 8;
      case 9:
        return state_->value_names.size() * head_.edges * 8;
      case 10:
        return state_->value_names.size();
      default:
        return UINT64_MAX;  // any size: check_contents() verifies the offsets or the padding
    }
  }

  void find_section(const SectionEntry& entry) {
    if (entry.kind <= last_kind_ || entry.kind > kinds_of(head_) || entry.offset != end_ ||
        entry.bytes > head_.file_bytes - end_ || padded(entry.bytes) > head_.file_bytes - end_ ||
        (entry.kind != 7 && entry.kind != 8 && entry.bytes != expected_bytes(entry.kind)))
      throw refuse("a section that isn't where and what it should be", kDamaged);
    auto& content = content_of_kind(*state_, entry.kind);
    content.there = true;
    content.bytes = {state_->file.data() + entry.offset, entry.bytes};
    if (entry.kind == 8)  // the section's checksum reveals other damage
      state_->value_names = names_in(
          {reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()}, file_);
    end_ += padded(entry.bytes);
    last_kind_ = entry.kind;
  }

  void check_presence() const {
    if (!state_->section(Section::begin).there || !state_->section(Section::node_idx).there)
      throw refuse("no out-edges in it", kDamaged);
    if (state_->label_begin.there != state_->label_text.there)
      throw refuse("labels without text, or text without labels", kDamaged);
    if (state_->values.there != state_->value_text.there ||
        state_->values.there == state_->value_names.empty())
      throw refuse("values without names, or names without values", kDamaged);
    if (state_->value_kinds.there && !state_->values.there)
      throw refuse("kinds of values without values", kDamaged);
  }

  /// Verifies checksums and values, block by block. Releases the pages of each block after its
  /// check.
  void check_contents(const Team& team) {
    struct Block {
      const SectionEntry* section;
      std::uint64_t at;
      std::uint64_t checksum;
      bool good;
    };
    std::vector<Block> blocks;
    for (std::uint64_t i = 0; i < head_.sections; ++i)
      for (std::uint64_t at = 0; at < padded(head_.table[i].bytes); at += kChecksumBlock)
        blocks.push_back({&head_.table[i], at, 0, false});
    Progress progress("checking " + file_.name(), head_.file_bytes);
    for_each_part(team, blocks.size(), [&](std::size_t i) {
      Block& block = blocks[i];
      const SectionEntry& section = *block.section;
      const std::byte* const data = state_->file.data() + section.offset;
      const std::uint64_t bytes = std::min(kChecksumBlock, padded(section.bytes) - block.at);
      block.checksum = block_checksum(data + block.at, bytes);
      const std::uint64_t end = std::min(section.bytes, block.at + bytes);
      block.good = section.kind == 6 || head_.edge_bytes == 8
                       ? good_values<std::uint64_t>(section.kind, data, block.at, end)
                       : good_values<std::uint32_t>(section.kind, data, block.at, end);
      discard_pages(data + block.at, bytes);
      progress.add(bytes);
    });
    auto block = blocks.begin();
    for (std::uint64_t i = 0; i < head_.sections; ++i) {
      std::vector<std::uint64_t> checksums;
      bool good = true;
      for (; block != blocks.end() && block->section == &head_.table[i]; ++block) {
        checksums.push_back(block->checksum);
        good = good && block->good;
      }
      static constexpr std::array<std::string_view, kKinds> kNames{
          "begin",         "node_idx",   "r_begin",     "r_node_idx", "r_edge_idx",
          "label offsets", "label text", "value names", "values",     "kinds of values"};
      const std::string_view name = kNames.at(head_.table[i].kind - 1);
      if (section_checksum(checksums) != head_.table[i].checksum)
        throw refuse(fmt::format("the checksum of section {} is wrong", name), kDamaged);
      if (!good) throw refuse(fmt::format("values in section {} that can't be", name), kDamaged);
    }
  }

  /// Verifies the values in bytes [at, end) of a section.
  template <class Edge>
  [[nodiscard]] bool good_values(std::uint64_t kind, const std::byte* data, std::uint64_t at,
                                 std::uint64_t end) const {
    switch (kind) {
      case 1:
      case 3:
        return offsets_rise<Edge>(data, at, end, head_.edges);
      case 2:
      case 4:
        return head_.node_bytes == 8 ? all_below<std::uint64_t>(data, at, end, head_.nodes)
                                     : all_below<std::uint32_t>(data, at, end, head_.nodes);
      case 5:
        return all_below<Edge>(data, at, end, head_.edges);
      case 6:
        return offsets_rise<Edge>(data, at, end, state_->label_text.bytes.size());
      case 10:
        return std::all_of(data + at, data + end,
                           [](std::byte flag) { return flag <= std::byte{1}; });
      default:
        return true;
    }
  }

  template <class Id>
  static bool all_below(const std::byte* data, std::uint64_t at, std::uint64_t end,
                        std::uint64_t bound) {
    Id most = 0;
    const auto* const ids = reinterpret_cast<const Id*>(data);
    for (std::uint64_t i = at / sizeof(Id); i < end / sizeof(Id); ++i)
      most = std::max(most, ids[i]);
    return at >= end || most < bound;
  }

  /// Verifies that offsets begin with 0, never decrease, and end with `last`.
  template <class Id>
  [[nodiscard]] bool offsets_rise(const std::byte* data, std::uint64_t at, std::uint64_t end,
                                  std::uint64_t last) const {
    const auto* const offsets = reinterpret_cast<const Id*>(data);
    const std::uint64_t first = at / sizeof(Id);
    const std::uint64_t behind = end / sizeof(Id);
    bool rising = true;
    for (std::uint64_t i = std::max<std::uint64_t>(first, 1); i < behind; ++i)
      rising &= offsets[i - 1] <= offsets[i];
    return rising && offsets[0] == 0 && (behind <= head_.nodes || offsets[head_.nodes] == last);
  }

  const InputFile& file_;
  const FileHead head_;
  std::unique_ptr<Graph::State> state_ = std::make_unique<Graph::State>();
  std::uint64_t end_ = sizeof(FileHead);  // end of the sections found so far
  std::uint64_t last_kind_ = 0;
};

}  // namespace

FileSummary summary_of(const InputFile& file) {
  const FileHead head = read_head(file);
  FileSummary summary{
      .size = {head.nodes, head.edges, IdWidth{static_cast<std::uint8_t>(head.node_bytes)},
               IdWidth{static_cast<std::uint8_t>(head.edge_bytes)}, false},
      .value_names = {}};
  for (std::uint64_t i = 0; i < head.sections; ++i) {
    const SectionEntry& section = head.table[i];
    if (section.kind == 7) summary.size.labels = true;
    if (section.kind != 8) continue;
    std::string text(std::min<std::uint64_t>(section.bytes, kMaxNamesBytes + 1), '\0');
    const ssize_t got =
        ::pread(file.descriptor(), text.data(), text.size(), static_cast<off_t>(section.offset));
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    summary.value_names = names_in(text, file);
  }
  return summary;
}

std::optional<FileSummary> summary_of(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  InputFile file(path);
  if (!is_graph_file(file.peek(sizeof(FileHead::magic)))) return std::nullopt;
  return summary_of(file);
}

Graph load_file(const InputFile& file, const Team& team) {
  return Graph(Checker(file).check(team));
}

}  // namespace Atoll::graph
