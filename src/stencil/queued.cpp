// Comparison, hashing and copying of queued loops.
#include "stencil/queued.hpp"

#include <algorithm>
#include <memory>

#include "atoll/base/hash.hpp"

namespace Atoll::stencil {

bool same_lists(const DeclaredLoop& a, const DeclaredLoop& b) {
  for (std::size_t i = 0; i < a.code->fields; ++i)
    if (!(a.first_field[i] == b.first_field[i])) return false;
  for (std::size_t i = 0; i < a.code->reductions; ++i)
    if (!(a.first_reduction[i] == b.first_reduction[i])) return false;
  return a.name == b.name;
}

std::uint64_t hash_of(std::span<const Queued> queue) {
  std::uint64_t hash = queue.size();
  const auto add = [&](std::uint64_t word) { hash = hash_more(hash, word); };
  const auto pair = [&](int a, int b) {
    add(std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b));
  };
  for (const Queued& queued : queue) {
    const DeclaredLoop& loop = *queued.loop;
    add(reinterpret_cast<std::uintptr_t>(loop.code));
    for (std::size_t d = 0; d < kMaxDimensions; ++d) pair(loop.range.lo[d], loop.range.hi[d]);
    for (const detail::FieldUse& use : loop.fields()) {
      add(reinterpret_cast<std::uintptr_t>(use.field));
      for (std::size_t d = 0; d < kMaxDimensions; ++d)
        pair(use.stencil.lo()[d], use.stencil.hi()[d]);
    }
  }
  return hash;
}

const DeclaredLoop* copy_to_arena(Arena& arena, const DeclaredLoop& loop) {
  if (loop.is_permanent) return &loop;
  auto& kept = *new (arena.allocate<DeclaredLoop>(1)) DeclaredLoop(loop);
  char* const name = arena.allocate<char>(loop.name.size());
  loop.name.copy(name, loop.name.size());
  kept.name = {name, loop.name.size()};
  auto* const fields = arena.allocate<detail::FieldUse>(loop.code->fields);
  std::uninitialized_copy_n(loop.first_field, loop.code->fields, fields);
  kept.first_field = fields;
  auto* const reductions = arena.allocate<detail::ReductionUse>(loop.code->reductions);
  std::uninitialized_copy_n(loop.first_reduction, loop.code->reductions, reductions);
  kept.first_reduction = reductions;
  return &kept;
}

}  // namespace Atoll::stencil
