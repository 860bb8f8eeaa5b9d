// Makes one visitor of several lambdas. std::visit then compiles only if every alternative is
// handled, so the compiler names the places that a new alternative is missing from.
#pragma once

namespace Atoll::detail {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace Atoll::detail
