// What-if analysis of page placement: for each mapping policy, the local share of accesses and the
// load of each memory. docs/analyses.md has the rules.
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
/// Returns the meaning of the mapping: "each page on the node that uses it most".
[[nodiscard]] std::string_view in_words(Mapping mapping);

/// Minimum number of sampled accesses to a page before kMAF moves it.
inline constexpr std::uint32_t kKmafHistory = 4;
/// Minimum share of these accesses that one node must exceed for the page to move.
inline constexpr double kKmafMajority = 0.5;
/// Maximum load of a memory under the mapping `balance`, as a multiple of its equal share, if
/// possible.
inline constexpr double kBalanceSlack = 1.02;

struct Outcome {
  double local = 0;           ///< accesses to the node's own memory
  std::vector<double> loads;  ///< accesses by the memory that serves them
  double time = 0;            ///< predicted for the program, relative to `os`; 0: not predicted

  [[nodiscard]] double all() const;
  [[nodiscard]] double local_share() const;    ///< of all; 0 without accesses
  [[nodiscard]] double busiest_share() const;  ///< of all; 0 without accesses
};

struct WhatIf {
  Outcome program;
  PhasedTraffic timed;  ///< of the program; empty if memory traffic wasn't given
  std::vector<Outcome> of_objects;
};

/// Callback that sets the fraction of the time that a page is on each node (the sum is 1). `row` is
/// the page's first row; `counts` are the whole page's accesses by node.
using PageRule = std::function<void(std::size_t row, std::span<const std::uint64_t> counts,
                                    std::span<double> shares)>;
[[nodiscard]] WhatIf what_if(const PagesByNode& pages, std::size_t objects, const PageRule& rule,
                             const MemoryTraffic* memory = nullptr);

/// Returns, for the mapping `balance`, the node of each page as a position in Places::nodes, by the
/// page's first row.
[[nodiscard]] std::vector<std::uint32_t> balanced_nodes(const PagesByNode& pages,
                                                        const Places& places);

/// Predicts a mapping. For `compact`, `pages` and `places` are those of compact_places_of().
[[nodiscard]] WhatIf what_if(Mapping mapping, const PagesByNode& pages, const Places& places,
                             std::size_t objects, const MemoryTraffic* memory = nullptr);

}  // namespace Atoll::profile
