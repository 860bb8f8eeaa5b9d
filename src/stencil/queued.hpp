// Loops that wait, and what tells one from another.
#pragma once

#include <span>

#include "atoll/stencil/mesh.hpp"
#include "stencil/arena.hpp"

namespace Atoll::stencil {

using detail::DeclaredLoop;

/// A loop that waits: what it declares, and what it captured. Both lie in the queue, or in the
/// known chain that it is part of again.
struct Queued {
  const DeclaredLoop* loop;
  void* body;
  bool written;  ///< the body, at least once
};

/// True if both loops' lists say the same, and their names are alike.
[[nodiscard]] bool same_lists(const DeclaredLoop& a, const DeclaredLoop& b);
/// True if both declare the same, so that one's plan is the other's, too. Those that last are known
/// by their address.
[[nodiscard]] inline bool same_loop(const DeclaredLoop& a, const DeclaredLoop& b) {
  return &a == &b || (!b.lasting && a.code == b.code && a.mesh == b.mesh && a.range == b.range &&
                      same_lists(a, b));
}
/// A number that equal chains share.
[[nodiscard]] std::uint64_t hash_of(std::span<const Queued> queue);
/// A copy that lies in the arena with its name and lists; the loop itself if it lasts.
[[nodiscard]] const DeclaredLoop* kept_in(Arena& arena, const DeclaredLoop& loop);

}  // namespace Atoll::stencil
