// Queued loops and their equality.
#pragma once

#include <span>

#include "atoll/stencil/mesh.hpp"
#include "stencil/arena.hpp"

namespace Atoll::stencil {

using detail::DeclaredLoop;

/// A queued loop: its declaration and its body. Both are stored in the queue, or in the known chain
/// that it is part of.
struct Queued {
  const DeclaredLoop* loop;
  void* body;
  bool written;  ///< true if the body was written at least once
};

/// True if names, fields and reductions of both loops are equal.
[[nodiscard]] bool same_lists(const DeclaredLoop& a, const DeclaredLoop& b);
/// True if both declarations are equal, so that a plan for one is valid for the other. Lasting
/// declarations are identified by their address.
[[nodiscard]] inline bool same_loop(const DeclaredLoop& a, const DeclaredLoop& b) {
  return &a == &b || (!b.is_permanent && a.code == b.code && a.mesh == b.mesh &&
                      a.range == b.range && same_lists(a, b));
}
/// Hash of a chain; equal chains have equal hashes.
[[nodiscard]] std::uint64_t hash_of(std::span<const Queued> queue);
/// Returns a copy in the arena, with its name and lists; if the loop is lasting, returns the loop
/// itself.
[[nodiscard]] const DeclaredLoop* copy_to_arena(Arena& arena, const DeclaredLoop& loop);

}  // namespace Atoll::stencil
