// Queueing of loops: checks the declaration and stores it with the body.
#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "atoll/stencil/boundary.hpp"
#include "stencil/run.hpp"

namespace Atoll::stencil {

std::string_view to_string(AccessMode access) {
  switch (access) {
    case AccessMode::read:
      return "read";
    case AccessMode::write:
      return "write";
    case AccessMode::read_write:
      return "read-write";
    case AccessMode::increment:
      break;
  }
  return "increment";
}

namespace detail {
namespace {

[[noreturn]] void refuse(std::string_view loop, const std::string& what,
                         const std::string& way_out) {
  throw Error::input(fmt::format("loop '{}'", loop), what, way_out);
}

/// Throws unless the range, extended by the stencil, is within the field.
void check_range(std::string_view name, const Range& range, const FieldUse& use, int dimensions) {
  const FieldStorage& field = *use.field;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    if (field.flat(static_cast<int>(d))) {
      if (use.access != AccessMode::read && range.hi[d] - range.lo[d] > 1)
        refuse(name,
               fmt::format("writes '{}', of extent 1 in dimension {}, from several points",
                           field.name(), d),
               "give a range of one point there, or use a reduction");
      continue;
    }
    const int lo = use.stencil.lo()[d], hi = use.stencil.hi()[d];
    if (range.lo[d] + lo >= field.whole().lo[d] && range.hi[d] + hi <= field.whole().hi[d])
      continue;
    if (range.lo[d] >= field.whole().lo[d] && range.hi[d] <= field.whole().hi[d])
      refuse(name,
             fmt::format("reads '{}' at offsets {} to {} in dimension {}, beyond its halo",
                         field.name(), lo, hi, d),
             fmt::format("its points there are {} to {}", field.whole().lo[d],
                         field.whole().hi[d] - 1));
    refuse(name,
           fmt::format("its range {} leaves the field '{}'", to_string(range, dimensions),
                       field.name()),
           fmt::format("the field has {}", to_string(field.whole(), dimensions)));
  }
}

/// Throws for mistakes in the loop itself, independent of the queue.
void check_loop(const DeclaredLoop& loop) {
  const Mesh& mesh = *loop.mesh;
  const std::string_view name = loop.name;
  const int dimensions = mesh.dimensions();
  const std::span<const FieldUse> fields = loop.fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldUse& use = fields[i];
    if (&use.field->mesh().program() != &mesh.program())
      refuse(name, fmt::format("the field '{}' belongs to another program", use.field->name()),
             "make it with a mesh of this program");
    if (&use.field->mesh() != &mesh && !(loop.code->is_boundary && use.access == AccessMode::read))
      refuse(name,
             fmt::format("the field '{}' is of mesh '{}', the loop of '{}'", use.field->name(),
                         use.field->mesh().name(), mesh.name()),
             "give fields of one mesh, and exchange() values between meshes");
    for (std::size_t other = 0; other < i; ++other)
      if (fields[other].field == use.field &&
          (use.access != AccessMode::read || fields[other].access != AccessMode::read))
        refuse(name,
               fmt::format("the field '{}' is an argument twice, and it is written",
                           use.field->name()),
               "give it once, as read_write() if it is read, too");
    check_range(name, loop.range, use, dimensions);
  }
  for (std::size_t d = static_cast<std::size_t>(dimensions); d < kMaxDimensions; ++d)
    if (loop.range.lo[d] != 0 || loop.range.hi[d] != 1)
      refuse(name, fmt::format("its range has dimension {}, the mesh '{}' hasn't", d, mesh.name()),
             "give [0,1) there");
  const std::span<const ReductionUse> reductions = loop.reductions();
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    if (&reductions[i].target->program() != &mesh.program())
      refuse(name, "a reduction belongs to another program", "make it with this one");
    for (std::size_t other = 0; other < i; ++other)
      if (reductions[i].target == reductions[other].target)
        refuse(name, "a reduction is an argument twice", "give it once");
  }
}

/// Throws if a reduction has another operation in the loops queued before.
void check_operations(const DeclaredLoop& loop) {
  for (const ReductionUse& use : loop.reductions())
    if (use.target->used && use.target->op != use.op)
      refuse(loop.name, "a reduction has two operations", "ask for its value between these loops");
}

}  // namespace

BodyStorage queue_loop(const DeclaredLoop& loop) {
  Program::State& state = loop.mesh->program().state();
  state.check_alive();
  const bool full = state.is_full();
  Queued* const known = full ? nullptr : state.queue.known(loop);
  const bool empty = loop.range.empty();
  if (known == nullptr && !empty) check_loop(loop);
  if (!empty) check_operations(loop);
  if (full) {
    run_queue(state);
    state.continues = true;
  }
  if (state.queue.empty()) state.queue_begin = std::chrono::steady_clock::now();
  for (const ReductionUse& use : loop.reductions()) {
    ReductionStorage& target = *use.target;
    if (!target.used && target.records == 0) target.started = false;
    target.used = true;
    target.op = use.op;
  }
  return known != nullptr ? state.queue.add(*known) : state.queue.add(loop);
}

BodyStorage queue_boundary_loop(FieldStorage& field, Face face, const BoundaryLayers& layers,
                                const LoopCode& code) {
  Program::State& state = field.mesh().program().state();
  // Usually this is the same loop as in the previous chain. Then no other check is needed.
  Queued* const next = state.queue.next();
  if (next == nullptr || !next->loop->is_permanent || state.is_full() ||
      !static_cast<const BoundaryLoop*>(next->loop)->is(field, face, layers))
    return queue_loop(boundary_loop(field, face, layers, &code));
  state.check_alive();
  if (state.queue.empty()) state.queue_begin = std::chrono::steady_clock::now();
  return state.queue.add(*next);
}

}  // namespace detail
}  // namespace Atoll::stencil
