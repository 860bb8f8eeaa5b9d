// Sets of coordinates: ascending lists of disjoint intervals that don't touch.
#pragma once

#include <cstdint>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

/// Adds coordinates to the set; an empty interval adds none.
void add(Intervals& set, Plan::Interval interval);
void add(Intervals& set, const Intervals& others);
/// Coordinates that both sets have.
[[nodiscard]] Intervals common(const Intervals& a, const Intervals& b);
/// Coordinates of `a` that `b` lacks.
[[nodiscard]] Intervals without(const Intervals& a, const Intervals& b);
/// Number of coordinates.
[[nodiscard]] std::int64_t size_of(const Intervals& set);
/// The smallest interval that contains the set; empty if the set is.
[[nodiscard]] Plan::Interval hull_of(const Intervals& set);

}  // namespace Atoll::stencil
