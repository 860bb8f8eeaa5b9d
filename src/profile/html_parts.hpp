// The parts of the HTML report's data, one function for each view. Small values are JSON; columns
// of numbers go to HtmlData, and the JSON says where.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "profile/advise.hpp"
#include "profile/communication.hpp"
#include "profile/html_encode.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// At most this many objects are shown page by page; nobody would look at more.
inline constexpr std::size_t kHtmlObjects = 100;
/// What each view may take of the page's 20 MB: a view that needs more is summed until it fits. In
/// base64 it takes four thirds of this.
inline constexpr std::size_t kHtmlTileBytes = 12'000'000;
inline constexpr std::size_t kHtmlMatrixBytes = 700'000;
inline constexpr std::size_t kHtmlGridBytes = 700'000;
inline constexpr std::size_t kHtmlTreeBytes = 1'000'000;  ///< of names, which are text

/// At most this many recommendations are listed; nobody would read more.
inline constexpr std::size_t kHtmlRecommendations = 200;
/// At most this many names of idle processes are listed.
inline constexpr std::size_t kHtmlIdleNames = 500;

/// Returns what to do, why, what a plan is predicted to change, and the commands that do it.
[[nodiscard]] nlohmann::json html_advice(const Advice& advice,
                                         std::span<const std::string> commands);

/// Returns processes by traffic. Those with less than a thousandth of it are idle: one entry for
/// each name.
[[nodiscard]] nlohmann::json html_processes(const Summary& summary);

/// Returns both matrices as columns of pairs, and the order by affinity, of threads or of blocks of
/// neighbouring threads: blocks are as large as needed to take at most `bytes`. It also returns
/// both matrices by node, with what a node's own threads share on the diagonal.
[[nodiscard]] nlohmann::json html_communication(const Profile& profile, const Places& places,
                                                std::size_t bytes, HtmlData& data);

/// Orders the threads so that those that communicate much are neighbours. Clusters are merged by
/// their mean communication, each turned so that the nearer ends meet. Threads that don't
/// communicate come last.
[[nodiscard]] std::vector<std::uint32_t> affinity_order(const CommunicationMatrix& matrix);

/// A grid over the paper's Figure 2.
struct FineGrid {
  std::uint32_t columns = 200;       ///< equal steps of exclusivity from 1/N to 1
  std::uint32_t rows_a_decade = 20;  ///< of accesses
  /// Returns row * columns + column of a page with these accesses by node.
  [[nodiscard]] std::uint32_t cell(std::span<const std::uint64_t> accesses) const;
};
/// Returns the paper's Figure 2 [hashsieve §V.C]: how many pages are in each cell of a grid, by
/// node of first touch, for the program and for each of `objects`. The grid is coarser if that
/// would take more than `bytes`.
[[nodiscard]] nlohmann::json html_exclusivity(const PagesByNode& pages, const Places& places,
                                              std::span<const std::uint32_t> objects,
                                              std::size_t bytes, HtmlData& data);

/// Returns the tiles of each of `objects`. As many of the finer levels as fit into `bytes` are
/// kept; the first objects come first.
[[nodiscard]] nlohmann::json html_maps(const Profile& profile,
                                       std::span<const std::uint32_t> objects, std::size_t bytes,
                                       HtmlData& data);

/// Returns the call stacks of allocations, outermost first; objects without a stack are below their
/// kind. The levels with the fewest accesses are left out if all their names take more than
/// `bytes`.
[[nodiscard]] nlohmann::json html_tree(const Profile& profile, std::size_t bytes);

}  // namespace Atoll::profile
