// Queueing a loop: what it declares is checked, and it is kept with what it captured.
#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "stencil/state.hpp"

namespace Atoll::stencil {

std::string_view to_string(Access access) {
  switch (access) {
    case Access::read:
      return "read";
    case Access::write:
      return "write";
    case Access::read_write:
      return "read-write";
    case Access::increment:
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

/// Throws unless the range, moved by the stencil, lies within the field.
void check_range(std::string_view name, const Range& range, const FieldUse& use, int dimensions) {
  const FieldStorage& field = *use.field;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    if (field.flat(static_cast<int>(d))) {
      if (use.access != Access::read && range.hi[d] - range.lo[d] > 1)
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

void check_loop(Mesh& mesh, std::string_view name, const Range& range, std::span<FieldUse> fields,
                std::span<const ReductionUse> reductions, bool ready) {
  const int dimensions = mesh.dimensions();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldUse& use = fields[i];
    if (&use.field->mesh() != &mesh &&
        !(ready && use.access == Access::read && &use.field->mesh().program() == &mesh.program()))
      refuse(name,
             fmt::format("the field '{}' is of mesh '{}', the loop of '{}'", use.field->name(),
                         use.field->mesh().name(), mesh.name()),
             "give fields of one mesh, and exchange() values between meshes");
    for (std::size_t other = 0; other < i; ++other)
      if (fields[other].field == use.field &&
          (use.access != Access::read || fields[other].access != Access::read))
        refuse(name,
               fmt::format("the field '{}' is an argument twice, and it is written",
                           use.field->name()),
               "give it once, as read_write() if it is read, too");
    check_range(name, range, use, dimensions);
  }
  for (std::size_t d = static_cast<std::size_t>(dimensions); d < kMaxDimensions; ++d)
    if (range.lo[d] != 0 || range.hi[d] != 1)
      refuse(name, fmt::format("its range has dimension {}, the mesh '{}' hasn't", d, mesh.name()),
             "give [0,1) there");
  for (const ReductionUse& use : reductions) {
    if (&use.target->program() != &mesh.program())
      refuse(name, "a reduction belongs to another program", "make it with this one");
    if (use.target->used && use.target->op != use.op)
      refuse(name, "a reduction has two operations", "ask for its value between these loops");
  }
  for (std::size_t i = 0; i < reductions.size(); ++i)
    for (std::size_t other = 0; other < i; ++other)
      if (reductions[i].target == reductions[other].target)
        refuse(name, "a reduction is an argument twice", "give it once");
}

}  // namespace

void* queue_loop(Mesh& mesh, std::string_view name, const Range& range, FieldUse* fields,
                 int field_count, const ReductionUse* reductions, int reduction_count,
                 const LoopCode& code, bool ready) {
  Program::State& state = mesh.program().state();
  state.check_alive();
  const std::span<FieldUse> uses(fields, static_cast<std::size_t>(field_count));
  const std::span<const ReductionUse> reduced(reductions,
                                              static_cast<std::size_t>(reduction_count));
  if (!range.empty()) check_loop(mesh, name, range, uses, reduced, ready);
  if (state.queue.size() >= kMostQueued) mesh.program().run();

  Queued loop{state.intern(name), &mesh, range, &code, nullptr, {}, {}, ready};
  FieldUse* const kept = state.arena.take<FieldUse>(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) new (&kept[i]) FieldUse(std::move(uses[i]));
  loop.fields = {kept, uses.size()};
  ReductionUse* const kept_reductions = state.arena.take<ReductionUse>(reduced.size());
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    new (&kept_reductions[i]) ReductionUse(reduced[i]);
    ReductionStorage& target = *reduced[i].target;
    if (!target.used) target.started = false;
    target.used = true;
    target.op = reduced[i].op;
  }
  loop.reductions = {kept_reductions, reduced.size()};
  loop.body = state.arena.take(code.bytes, code.alignment);
  state.queue.push_back(loop);
  return loop.body;
}

}  // namespace detail
}  // namespace Atoll::stencil
