// The layout of Atoll's graph file, versions 1 to 3 (docs/graph-file.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/state.hpp"

namespace Atoll::graph {

inline constexpr std::array<unsigned char, 8> kMagic{0x89, 'A', 'T', 'L', 'G', '\r', '\n', 0x1a};
/// Version 1 is readable by all readers. Version 2 adds values of edges, version 3 integer values
/// that a double can't represent. The writer uses the lowest version that suffices.
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kVersionWithValues = 2;
inline constexpr std::uint32_t kVersionWithWholeValues = 3;
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::size_t kAlignment = 4096;
inline constexpr std::size_t kChecksumBlock = std::size_t{1} << 20;
inline constexpr std::size_t kKinds = 10;

struct SectionEntry {
  std::uint64_t kind;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t checksum;
};

struct FileHead {
  std::array<unsigned char, 8> magic;
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t nodes;
  std::uint64_t edges;
  std::uint32_t node_bytes;
  std::uint32_t edge_bytes;
  std::uint64_t file_bytes;
  std::uint64_t sections;
  std::array<SectionEntry, 126> table;
  std::uint64_t checksum;
};
static_assert(sizeof(FileHead) == kAlignment);

/// The advice for errors that only a damaged file can cause.
inline constexpr const char* kDamaged = "the file is damaged: get it again, or convert it again";

/// The number of section kinds that a file of this version may have.
[[nodiscard]] constexpr std::uint64_t kinds_of(const FileHead& head) {
  return head.version == kVersion ? 7 : head.version == kVersionWithValues ? 9 : kKinds;
}

[[nodiscard]] constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// The content of kind 1 … 10.
template <class State>  // const or not
[[nodiscard]] auto& content_of_kind(State& state, std::uint64_t kind) {
  if (kind == 6) return state.label_begin;
  if (kind == 7) return state.label_text;
  if (kind == 8) return state.value_text;
  if (kind == 9) return state.values;
  if (kind == 10) return state.value_kinds;
  return state.sections[kind - 1];
}

[[nodiscard]] std::uint64_t head_checksum(const FileHead& head);
/// The checksum of one block of a section.
[[nodiscard]] std::uint64_t block_checksum(const std::byte* data, std::size_t bytes);
/// The checksum of a section, from those of its blocks.
[[nodiscard]] std::uint64_t section_checksum(std::span<const std::uint64_t> blocks);

}  // namespace Atoll::graph
