// What if pages lay otherwise: for each mapping policy, the share of accesses that are local and
// the load of each memory. docs/analyses.md has the rules.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "profile/pages_by_node.hpp"
#include "profile/predicted_time.hpp"

namespace Atoll::profile {

enum class Mapping { os, compact, interleave, numa_balancing, kmaf, locality, balance };
inline constexpr std::array kMappings{
    Mapping::os,   Mapping::compact,  Mapping::interleave, Mapping::numa_balancing,
    Mapping::kmaf, Mapping::locality, Mapping::balance};
[[nodiscard]] std::string_view to_string(Mapping mapping);
/// Returns what the mapping means: "each page on the node that uses it most".
[[nodiscard]] std::string_view in_words(Mapping mapping);

/// kMAF moves a page once it has seen the page this often …
inline constexpr std::uint32_t kKmafHistory = 4;
/// … and one node has more than this share of those accesses.
inline constexpr double kKmafMajority = 0.5;
/// The mapping `balance` lets no memory serve more than this times its equal share, if possible.
inline constexpr double kBalanceSlack = 1.02;

struct Outcome {
  double local = 0;           ///< accesses to the node's own memory
  std::vector<double> loads;  ///< accesses by the memory that serves them
  double time = 0;            ///< predicted, of the program; `os` = 1. 0: not predicted

  [[nodiscard]] double all() const;
  [[nodiscard]] double local_share() const;    ///< of all; 0 without accesses
  [[nodiscard]] double busiest_share() const;  ///< of all; 0 without accesses
};

struct WhatIf {
  Outcome program;
  PhasedTraffic timed;  ///< of the program; empty if memory traffic wasn't given
  std::vector<Outcome> of_objects;
};

/// Fills in for how much of the time a page is on each node (the sum is 1). `row` is the page's
/// first row; `counts` are the whole page's accesses by node.
using PageRule = std::function<void(std::size_t row, std::span<const std::uint64_t> counts,
                                    std::span<double> shares)>;
[[nodiscard]] WhatIf what_if(const PagesByNode& pages, std::size_t objects, const PageRule& rule,
                             const MemoryTraffic* memory = nullptr);

/// For the mapping `balance`, returns by the first row of each page its node, a position in
/// Places::nodes.
[[nodiscard]] std::vector<std::uint32_t> balanced_nodes(const PagesByNode& pages,
                                                        const Places& places);

/// Predicts a mapping. For `compact`, `pages` and `places` are those of compact_places_of().
[[nodiscard]] WhatIf what_if(Mapping mapping, const PagesByNode& pages, const Places& places,
                             std::size_t objects, const MemoryTraffic* memory = nullptr);

}  // namespace Atoll::profile
