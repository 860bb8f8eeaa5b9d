// Loops that wait, and what tells one from another.
#pragma once

#include <vector>

#include "atoll/stencil/mesh.hpp"
#include "stencil/arena.hpp"

namespace Atoll::stencil {

using detail::DeclaredLoop;

/// A loop that waits. What it declares lies in the arena of the queue, or of the chain that it was
/// part of before; what it captured in the queue's.
struct Queued {
  const DeclaredLoop* loop;
  void* body;
};

/// True if both declare the same, so that one's plan is the other's, too.
[[nodiscard]] bool same_loop(const DeclaredLoop& a, const DeclaredLoop& b);
/// A number that equal chains share.
[[nodiscard]] std::uint64_t hash_of(const std::vector<Queued>& queue);
/// A copy whose lists lie in the arena. The name is somebody else's.
[[nodiscard]] DeclaredLoop kept_in(Arena& arena, const DeclaredLoop& loop, std::string_view name);

}  // namespace Atoll::stencil
