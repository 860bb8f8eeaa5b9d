// Summarizes an array's accesses, and makes patterns from a programmer's hints.
#include "atoll/pattern/access_pattern.hpp"

#include <algorithm>

namespace Atoll {
namespace {

template <class Matches>
Formula sum_where(const std::vector<PatternAccess>& accesses, Matches&& matches) {
  Formula sum;
  for (const PatternAccess& access : accesses)
    if (matches(access)) sum += access.count;
  return sum;
}

}  // namespace

std::string_view to_string(Order order) {
  switch (order) {
    case Order::own:
      return "own";
    case Order::near:
      return "near";
    case Order::stream:
      return "stream";
    case Order::random:
      return "random";
  }
  return "?";
}

bool AccessPattern::read_only() const {
  return used() && std::ranges::none_of(accesses, &PatternAccess::write);
}

bool AccessPattern::indexed() const {
  return used() && std::ranges::all_of(
                       accesses, [](Order o) { return o == Order::own; }, &PatternAccess::order);
}

Formula AccessPattern::reads() const {
  return sum_where(accesses, [](const PatternAccess& a) { return !a.write; });
}

Formula AccessPattern::writes() const {
  return sum_where(accesses, [](const PatternAccess& a) { return a.write; });
}

Formula AccessPattern::count(bool write, Order order) const {
  return sum_where(accesses,
                   [&](const PatternAccess& a) { return a.write == write && a.order == order; });
}

void AccessPattern::merge(const AccessPattern& other) {
  graph_own = graph_own && other.graph_own;
  temporary = temporary && other.temporary;
  const std::vector<PatternAccess> others = other.accesses;  // `other` may be this pattern
  accesses.insert(accesses.end(), others.begin(), others.end());
}

AccessPattern pattern_of(const Hints& hints) {
  AccessPattern pattern;
  pattern.elements = Formula::symbol("N");
  if (!hints.used) return pattern;
  const Order order = hints.indexed ? Order::own : hints.random ? Order::random : Order::stream;
  const Formula all = pattern.elements * hints.accesses_per_element;
  if (hints.read_only) {
    pattern.accesses = {{false, order, all}};
  } else {
    pattern.accesses = {{false, order, all * 0.5}, {true, order, all * 0.5}};
  }
  return pattern;
}

}  // namespace Atoll
