// The rules that advice chooses from [hashsieve §VI.C], each with its reason.
#pragma once

#include <array>
#include <string_view>

namespace Atoll::profile {

enum class Action { map_threads, locality, balance, interleave, annotate, pad, nothing };
[[nodiscard]] std::string_view to_string(Action action);

/// A change that a plan makes, or a recommendation that is only reported; docs/analyses.md has the
/// mechanism.
struct Rule {
  Action action;
  std::string_view when, then, reason;
};
inline constexpr std::array kRules{
    Rule{Action::map_threads, "threads use what others touch first",
         "bind the threads that communicate to one node, on one core or cache if it can be, and "
         "groups of them to near nodes; or all to neighbouring cores",
         "they share its caches, and what they share is local or near to all of them; for "
         "unstructured communication, mapping threads gains little [hashsieve VI.C]"},
    Rule{Action::locality, "pages belong to nodes, and lie elsewhere",
         "each page on the node that uses it most, threads bound",
         "high exclusivity is what makes mapping by locality work [hashsieve VI.C]"},
    Rule{Action::balance, "the same, but some memory would serve too much",
         "each page on a node that uses it and has room, threads bound",
         "what waits for the busiest memory waits longer than for a remote one"},
    Rule{Action::interleave, "nodes share an object, and a memory is busier than others",
         "pages in turn on all nodes",
         "balances without moving pages at run time, and shared pages have no better place "
         "[hashsieve VI.C]"},
    Rule{Action::annotate, "nodes share an object that nobody writes after it was filled",
         "as above, and say that a copy for each node would be better",
         "an unmodified program has one address for it, so it can't have copies"},
    Rule{Action::pad, "threads use words of their own in common lines",
         "as above, and say what to pad",
         "the lines go from core to core with each write; only the source can keep words apart"},
    Rule{Action::nothing, "no plan takes 5 % less time", "change nothing",
         "pages lie well, and every change has a cost"}};

}  // namespace Atoll::profile
