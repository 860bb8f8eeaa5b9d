// Which layout each array of a program gets on a machine [shoal §3.3]. Pure: values in, values out.
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

/// One array that wants a place.
struct ArrayRequest {
  std::string name;
  std::uint64_t elements = 0;
  std::uint32_t element_bytes = 8;
  AccessPattern pattern;
  bool filled_from_elsewhere = false;  ///< its content is copied in once, into every copy of it

  [[nodiscard]] std::uint64_t bytes() const { return elements * element_bytes; }
};

enum class Policy {
  shoal,  ///< exactly the paper's Figure 2
  cost,   ///< the layouts with the least estimated time, by the model of docs/cost-model.md
};

/// Layouts a person forces on every array that can have them; `automatic` leaves it to the policy.
enum class LayoutKind { automatic, single, distributed, partitioned, replicated };

[[nodiscard]] std::string_view to_string(Policy policy);
[[nodiscard]] std::string_view to_string(LayoutKind kind);

/// What a person can tell the policies.
struct ChoiceOptions {
  Policy policy = Policy::cost;
  LayoutKind force = LayoutKind::automatic;  ///< replicated: what is written to is distributed
  std::optional<PageSize> pages = {};        ///< none: the policy chooses
  /// Values of N, E and loop counts. Without them, N and E are the lengths of the arrays that have
  /// these lengths (an array's own first), and a loop is taken to run 20 times.
  Bindings bindings = {};
};

/// What an array got, and why.
struct Choice {
  std::string name;
  bool allocated = true;  ///< false: unused or empty, takes no memory; `layout` means nothing
  Layout layout;
  std::uint64_t bytes = 0;       ///< over all copies
  double estimated_seconds = 0;  ///< accesses and set-up, by the cost model; 0 by `shoal`
  std::string why;               ///< one line
};

/// One choice for each request, in order. `team` says where threads run. Throws Error (failed) if
/// the arrays cannot fit into the machine's memories at all, or not in the forced layouts.
[[nodiscard]] std::vector<Choice> choose_layouts(std::span<const ArrayRequest> requests,
                                                 const Machine& machine, const ThreadPlaces& team,
                                                 const ChoiceOptions& options);

}  // namespace Atoll
