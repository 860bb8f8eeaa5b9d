// Several lambdas as one visitor: std::visit then compiles only where every alternative is handled,
// so that a new alternative names the places it is missing from.
#pragma once

namespace Atoll::detail {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace Atoll::detail
