// Data of the HTML report, one function for each view. Small values are returned as JSON. Columns
// of numbers are added to HtmlData, and the JSON has their positions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/base/json.hpp"
#include "profile/advise.hpp"
#include "profile/communication.hpp"
#include "profile/html_encode.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Maximum number of objects that are shown page by page; nobody would look at more.
inline constexpr std::size_t kHtmlObjects = 100;
/// Maximum bytes of each view, before base64 adds a third; the page has 20 MB in total. A view that
/// needs more is aggregated until it fits.
inline constexpr std::size_t kHtmlTileBytes = 12'000'000;
inline constexpr std::size_t kHtmlMatrixBytes = 700'000;
inline constexpr std::size_t kHtmlGridBytes = 700'000;
inline constexpr std::size_t kHtmlTreeBytes = 1'000'000;  ///< of names, which are text

/// Maximum number of recommendations that are listed; nobody would read more.
inline constexpr std::size_t kHtmlRecommendations = 200;
/// Maximum number of names of idle processes that are listed.
inline constexpr std::size_t kHtmlIdleNames = 500;

/// Returns the recommendations with their reason, the plan's predicted effect, and the commands
/// that apply it.
[[nodiscard]] Json html_advice(const Advice& advice, std::span<const std::string> commands);

/// Returns the processes by traffic. Processes with less than a thousandth of all traffic are idle
/// and have one entry for each name.
[[nodiscard]] Json html_processes(const Summary& summary);

/// Returns both matrices as columns of pairs, and affinity_order(), of threads or of blocks of
/// consecutive threads. The block size is the smallest with which the data take at most `bytes`. It
/// also returns both matrices by node; the diagonal has the communication between threads of one
/// node.
[[nodiscard]] Json html_communication(const Profile& profile, const Places& places,
                                      std::size_t bytes, HtmlData& data);

/// Returns an order of the threads in which those that communicate much are neighbours. Clusters
/// are merged by their mean communication. Each is reversed if that joins the ends that communicate
/// most. Threads that don't communicate are last.
[[nodiscard]] std::vector<std::uint32_t> affinity_order(const CommunicationMatrix& matrix);

/// A grid over the paper's Figure 2.
struct FineGrid {
  std::uint32_t columns = 200;       ///< equal steps of exclusivity from 1/N to 1
  std::uint32_t rows_a_decade = 20;  ///< of accesses
  /// Returns the cell, row * columns + column, of a page with these accesses by node.
  [[nodiscard]] std::uint32_t cell(std::span<const std::uint64_t> accesses) const;
};
/// Returns the paper's Figure 2 [hashsieve §V.C]: the number of pages in each cell of a grid, by
/// node of first touch, for the program and for each of `objects`. The grid is made coarser until
/// the data take at most `bytes`.
[[nodiscard]] Json html_exclusivity(const PagesByNode& pages, const Places& places,
                                    std::span<const std::uint32_t> objects, std::size_t bytes,
                                    HtmlData& data);

/// Returns the tiles of each of `objects`. Finer levels are kept while they fit into `bytes`, in
/// the order of `objects`.
[[nodiscard]] Json html_maps(const Profile& profile, std::span<const std::uint32_t> objects,
                             std::size_t bytes, HtmlData& data);

/// Returns the tree of allocation call stacks, outermost frame first. Objects without a stack are
/// below their kind. If all names take more than `bytes`, the levels with the fewest accesses are
/// left out.
[[nodiscard]] Json html_tree(const Profile& profile, std::size_t bytes);

}  // namespace Atoll::profile
