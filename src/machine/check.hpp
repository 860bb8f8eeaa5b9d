// Finds the contradictions in a machine that docs/machine-file.md lists.
#pragma once

#include <bit>
#include <optional>
#include <string>
#include <string_view>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

enum class LinkField { latency, read, write, distance, by_threads };
inline constexpr LinkField kLinkFields[] = {LinkField::latency, LinkField::read, LinkField::write,
                                            LinkField::distance, LinkField::by_threads};
[[nodiscard]] std::string_view to_string(LinkField field);

/// The part of a machine that a contradiction concerns. The file reader converts it to a position
/// in the file.
struct Subject {
  enum class Part {
    name,
    places,
    processors,
    initiators,
    caches,
    memory,
    link,
    order,
    wires,
    memory_side
  };
  Part part = Part::name;
  NodeId initiator{};  ///< for a link or an ordering
  NodeId target{};     ///< a memory; for a link, its target
  LinkField field = LinkField::latency;
  Ordering ordering = Ordering::latency;
};
/// Returns "memory 3", "latency from 0 to 3".
[[nodiscard]] std::string to_string(const Subject& subject);

struct Contradiction {
  Subject subject;
  std::string what;
  std::string way_out;
};

/// Returns the first contradiction in name, places, processing units, memories and caches.
[[nodiscard]] std::optional<Contradiction> find_contradiction_in_parts(const Machine::Data& data);
/// Returns the first contradiction in these parts, then in links and orders.
[[nodiscard]] std::optional<Contradiction> find_contradiction(const Machine::Data& data);

/// Free bytes in pools of huge pages. The sum can't overflow: 2^31 pages of 1 GiB are 2^61 bytes.
[[nodiscard]] constexpr std::uint64_t pool_bytes(const MemoryNode& memory) {
  return (memory.free_2m_pages << 21) + (memory.free_1g_pages << 30);
}

/// True if `bytes` is a possible size of a cache line.
[[nodiscard]] constexpr bool is_line_size(std::uint64_t bytes) {
  return std::has_single_bit(bytes) && bytes >= 8 && bytes <= 4096;
}

inline constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 52;  ///< CPUs' address range
inline constexpr std::size_t kMaxProcessors = 65536;
inline constexpr int kMaxTlbEntries = 65536;
inline constexpr int kMaxPoolPages = INT32_MAX;
inline constexpr std::uint32_t kMaxNodes = 1024;  ///< Linux' limit for NUMA nodes

}  // namespace Atoll::detail
