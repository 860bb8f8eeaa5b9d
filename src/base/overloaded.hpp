// Combines several lambdas into one visitor. std::visit then compiles only if all alternatives are
// handled, so the compiler reports each visitor that lacks a new alternative.
#pragma once

namespace Atoll::detail {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace Atoll::detail
