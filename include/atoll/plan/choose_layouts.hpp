// Chooses the layout of each array of a program on a machine [shoal §3.3]. Pure: values in, values
// out.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/pattern/access_pattern.hpp"
#include "atoll/plan/layout.hpp"

namespace Atoll {

/// One array that needs a layout.
struct ArrayRequest {
  std::string name;
  std::uint64_t elements = 0;
  std::uint32_t element_bytes = 8;
  AccessPattern pattern;
  bool filled_from_elsewhere = false;  ///< content is copied in once, into each copy

  [[nodiscard]] std::uint64_t bytes() const { return elements * element_bytes; }
};

enum class LayoutPolicy {
  shoal,  ///< the paper's Figure 2 exactly
  cost,   ///< the layouts with the least estimated time, by the model of docs/cost-model.md
};

/// A kind of layout that the user forces on every array that can have it; `automatic` leaves the
/// choice to the policy.
enum class LayoutKind { automatic, single, distributed, partitioned, replicated };

[[nodiscard]] std::string_view to_string(LayoutPolicy policy);
[[nodiscard]] std::string_view to_string(LayoutKind kind);

/// A user's options for the policies.
struct ChoiceOptions {
  LayoutPolicy policy = LayoutPolicy::cost;
  LayoutKind force =
      LayoutKind::automatic;  ///< replicated: arrays that are written are distributed instead
  std::optional<PageSize> pages = {};  ///< not set: the policy chooses
  /// Values of N, E and loop counts. Without them, N and E are the lengths of the arrays that have
  /// these lengths (an array's own first), and a loop is assumed to run 20 times.
  Bindings bindings = {};
};

/// The layout of an array, with its reason.
struct Choice {
  std::string name;
  bool allocated = true;  ///< false: unused or empty, takes no memory; `layout` is meaningless
  Layout layout;
  std::uint64_t bytes = 0;       ///< over all copies
  double estimated_seconds = 0;  ///< accesses and set-up, by the cost model; 0 by `shoal`
  std::string why;               ///< one line
};

/// Returns one choice for each request, in order. `team` has the places of threads. Throws Error
/// (failed) if the arrays can't fit into the machine's memories at all, or not in the forced
/// layouts.
[[nodiscard]] std::vector<Choice> choose_layouts(std::span<const ArrayRequest> requests,
                                                 const Machine& machine, const ThreadPlaces& team,
                                                 const ChoiceOptions& options);

/// Returns the modelled seconds (docs/cost-model.md) of each request's array in a given layout:
/// accesses and set-up, and 0 for an array that takes no memory. `layouts` has a layout for each
/// request, in order, on nodes that the machine has. Capacity isn't checked.
[[nodiscard]] std::vector<double> estimate_layouts(std::span<const ArrayRequest> requests,
                                                   std::span<const Layout> layouts,
                                                   const Machine& machine, const ThreadPlaces& team,
                                                   const Bindings& bindings = {});

}  // namespace Atoll
