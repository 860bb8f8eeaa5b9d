// Checked mode: what a loop declares is compared with what its kernel does.
#include "atoll/stencil/checker.hpp"

namespace Atoll::stencil::detail {

struct Checker::State {};
Checker::Checker() : state_(std::make_unique<State>()) {}
Checker::~Checker() = default;
std::byte* Checker::access(int, Offset, int, bool) { return nullptr; }
void* Checker::reduction(int) { return nullptr; }

}  // namespace Atoll::stencil::detail
