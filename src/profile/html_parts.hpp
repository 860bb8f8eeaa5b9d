// The parts of the HTML report's data, one function for each view. Small values are JSON; columns
// of numbers go to HtmlData, and the JSON says where.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "profile/communication.hpp"
#include "profile/html_encode.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Objects that the page shows page by page: more of them wouldn't be looked at.
inline constexpr std::size_t kHtmlObjects = 100;
/// Bytes of all tiles: in base64 four thirds of it, of the page's 20 MB at most.
inline constexpr std::size_t kHtmlTileBytes = 12'500'000;

/// Both matrices as columns of pairs, and the order by affinity.
[[nodiscard]] nlohmann::json html_communication(const Profile& profile, HtmlData& data);

/// The threads so that those that communicate much are neighbours: clusters are merged by their
/// mean communication, each turned so that the nearer ends meet. Threads that don't communicate
/// come last.
[[nodiscard]] std::vector<std::uint32_t> affinity_order(const CommunicationMatrix& matrix);

/// The paper's Figure 2 [hashsieve §V.C]: how many pages are in each cell of a fine grid, by node
/// of first touch, of the program and of each of `objects`.
struct FineGrid {
  static constexpr std::uint32_t kColumns = 200;  ///< equal steps of exclusivity from 1/N to 1
  static constexpr std::uint32_t kRowsADecade = 20;
  /// row * kColumns + column, of a page with such accesses by node.
  [[nodiscard]] static std::uint32_t cell(std::span<const std::uint64_t> accesses);
};
[[nodiscard]] nlohmann::json html_exclusivity(const PagesByNode& pages, const Places& places,
                                              std::span<const std::uint32_t> objects,
                                              HtmlData& data);

/// Tiles of each of `objects`: as many of the finer levels as fit into `bytes`, those of the first
/// objects first.
[[nodiscard]] nlohmann::json html_maps(const Profile& profile,
                                       std::span<const std::uint32_t> objects, std::size_t bytes,
                                       HtmlData& data);

/// Call stacks of allocations, outermost first; objects without one are below their kind.
[[nodiscard]] nlohmann::json html_tree(const Profile& profile);

}  // namespace Atoll::profile
