// What no machine can be: the contradictions that docs/machine-file.md lists.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

enum class LinkField { latency, read, write, distance, by_threads };
inline constexpr LinkField kLinkFields[] = {LinkField::latency, LinkField::read, LinkField::write,
                                            LinkField::distance, LinkField::by_threads};
[[nodiscard]] std::string_view to_string(LinkField field);

/// The part of a machine that a contradiction is about, so that a reader of files can point at it.
struct Subject {
  enum class Part { name, places, processors, initiators, caches, memory, link, order };
  Part part = Part::name;
  NodeId initiator{};  ///< of a link or an order
  NodeId target{};     ///< a memory, or that of a link
  LinkField field = LinkField::latency;
  Ordering ordering = Ordering::latency;
};
/// "memory 3", "latency from 0 to 3".
[[nodiscard]] std::string to_string(const Subject& subject);

struct Contradiction {
  Subject subject;
  std::string what;
  std::string way_out;
};

/// The first one found in name, places, processing units, memories and caches.
[[nodiscard]] std::optional<Contradiction> find_contradiction_in_parts(const Machine::Data& data);
/// The first one found in those, then links and orders.
[[nodiscard]] std::optional<Contradiction> find_contradiction(const Machine::Data& data);

inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 52;  ///< what any CPU can address
inline constexpr std::size_t kMostProcessors = 65536;
inline constexpr int kMostTlbEntries = 65536;
inline constexpr int kMostPoolPages = INT32_MAX;
inline constexpr std::uint32_t kMostNodes = 1024;  ///< Linux' own limit of NUMA nodes

}  // namespace Atoll::detail
