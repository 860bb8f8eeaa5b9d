// Checks of a kernel's accesses at one point. The kernel gets a copy of each value, so that a
// comparison afterwards finds the copies that it changed. Values written at the point itself are
// copied into the field.
#include "stencil/checker_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/error.hpp"

namespace Atoll::stencil::detail {
namespace {

constexpr const char* kKeepsValue = "declare it as read_write() if some points keep their value";

}  // namespace

Checker::Checker() : state_(std::make_unique<State>()) {}
Checker::~Checker() = default;

std::byte* Checker::access(int argument, Offset offset, int component, bool) {
  return state_->access(argument, offset, component);
}

void* Checker::reduction(int number, int which) {
  const State& state = *state_;
  std::vector<std::uint64_t>& values = state_->reduced[static_cast<std::size_t>(number)];
  if (which < 0 || static_cast<std::size_t>(which) >= values.size())
    refuse_values(state.loop->name, values.size(), which);
  return &values[static_cast<std::size_t>(which)];
}

void Checker::State::report(const FieldUse& use, Offset offset, const std::string& what,
                            const std::string& way_out) const {
  throw Error::input(fmt::format("loop '{}'", loop->name),
                     fmt::format("{} field '{}' at offset ({},{},{}), at point ({},{},{})", what,
                                 use.field->name(), offset.x, offset.y, offset.z, at.x, at.y, at.z),
                     way_out);
}

std::byte* Checker::State::access(int argument, Offset offset, int component) {
  const FieldUse& use = loop->fields()[static_cast<std::size_t>(argument)];
  for (Copy& copy : copies)
    if (copy.argument == argument && copy.offset == offset && copy.component == component)
      return copy.value.data();
  const FieldStorage& field = *use.field;
  if (component < 0 || component >= field.options().components)
    report(use, offset, fmt::format("accesses component {} of", component),
           fmt::format("it has {}", field.options().components));
  const bool own = offset == Offset{};
  const bool writes = use.access != AccessMode::read;
  const bool reads = use.access == AccessMode::read || use.access == AccessMode::read_write;
  const bool declared = reads && within_mesh(offset) && use.stencil.has(offset);
  if (!declared && !(own && writes)) {
    if (reads)
      report(use, offset, "accesses", fmt::format("the loop declares {}", to_string(use.stencil)));
    report(use, offset, "accesses a point beside its own of",
           fmt::format("the loop declares {} at its own point", to_string(use.access)));
  }
  Copy& copy = copies.emplace_back();
  copy.argument = argument;
  copy.offset = offset;
  copy.component = component;
  copy.bytes = bytes_of(field.type());
  copy.write_only = own && writes && !declared && use.access != AccessMode::increment;
  const std::byte* const from =
      field.at(at.x + offset.x, at.y + offset.y, at.z + offset.z, component);
  if (copy.write_only) {
    poison(copy, argument == poisoned || poisoned == kAll);
  } else {
    if (!written(use, offset)) {
      if (!loop->code->is_boundary)
        report(use, offset, "reads", "nobody has written that point before");
      reads_unwritten = true;
    }
    std::memcpy(copy.value.data(), from, copy.bytes);
  }
  copy.before = copy.value;
  return copy.value.data();
}

bool Checker::State::within_mesh(Offset offset) const {
  const int dimensions = loop->mesh->dimensions();
  return (dimensions > 1 || offset.y == 0) && (dimensions > 2 || offset.z == 0);
}

/// Two values that kernels are unlikely to produce, so that a result that depends on them differs.
void Checker::State::poison(Copy& copy, bool other) const {
  const ElementType type = loop->fields()[static_cast<std::size_t>(copy.argument)].field->type();
  if (type == ElementType::float64) {
    const double value = other ? -8765.4321 : 1234.5678;
    std::memcpy(copy.value.data(), &value, sizeof value);
  } else if (type == ElementType::float32) {
    const float value = other ? -8765.432F : 1234.567F;
    std::memcpy(copy.value.data(), &value, sizeof value);
  } else {
    std::memset(copy.value.data(), other ? 0x2d : 0x53, copy.bytes);
  }
}

bool Checker::State::written(const FieldUse& use, Offset offset) const {
  std::vector<bool>& bits = use.field->written();
  return bits.empty() ||
         bits[position(*use.field, {at.x + offset.x, at.y + offset.y, at.z + offset.z})];
}

std::size_t Checker::State::position(const FieldStorage& field, Index point) {
  std::size_t position = 0;
  for (int d = kMaxDimensions - 1; d >= 0; --d) {
    const auto i = static_cast<std::size_t>(d);
    const int first = field.whole().lo[i];
    const int coordinate = field.flat(d) ? 0 : point[d] - first;
    position = position * static_cast<std::size_t>(field.whole().hi[i] - first) +
               static_cast<std::size_t>(coordinate);
  }
  return position;
}

void Checker::State::call(const Checker& checker, int poisoned_argument) {
  poisoned = poisoned_argument;
  copies.clear();
  loop->code->check(body, at, const_cast<Checker&>(checker));
}

void Checker::State::run_point(const Checker& checker) {
  reads_unwritten = false;
  call(checker, kNone);
  for (const Copy& copy : copies) {
    const FieldUse& use = loop->fields()[static_cast<std::size_t>(copy.argument)];
    if (copy.value == copy.before) continue;
    if (use.access == AccessMode::read)
      report(use, copy.offset, "writes", "the loop declares that it only reads it");
    if (copy.offset != Offset{})
      report(use, copy.offset, "writes", "a kernel may write at its own point alone");
  }
  for (std::size_t i = 0; i < loop->fields().size(); ++i) {
    const FieldUse& use = loop->fields()[i];
    for (int c = 0; use.access == AccessMode::write && c < use.field->options().components; ++c)
      if (std::ranges::none_of(copies, [&](const Copy& copy) {
            return copy.argument == static_cast<int>(i) && copy.component == c;
          }))
        report(use, {}, "doesn't write", kKeepsValue);
  }
  first.assign(copies.begin(), copies.end());
  bool write_only = false;
  for (const Copy& copy : first) write_only = write_only || copy.write_only;
  if (write_only) {
    call(checker, kAll);
    if (const Copy* const differs = difference()) {
      // Determines the field whose old value made the difference.
      for (const Copy& copy : first) {
        if (!copy.write_only) continue;
        call(checker, copy.argument);
        if (difference() == nullptr) continue;
        const Copy* const again = find(copy);
        const FieldUse& use = loop->fields()[static_cast<std::size_t>(copy.argument)];
        if (again != nullptr && again->value == again->before && copy.value == copy.before)
          report(use, {}, "doesn't write", kKeepsValue);
        report(use, {}, "reads the write-only", "declare it as read_write()");
      }
      report(loop->fields()[static_cast<std::size_t>(differs->argument)], {},
             "reads the write-only", "declare it as read_write()");
    }
  }
  for (const Copy& copy : first) {
    const FieldUse& use = loop->fields()[static_cast<std::size_t>(copy.argument)];
    if (use.access != AccessMode::read && copy.offset == Offset{})
      std::memcpy(use.field->at(at.x, at.y, at.z, copy.component), copy.value.data(), copy.bytes);
  }
}

const Checker::State::Copy* Checker::State::find(const Copy& like) const {
  for (const Copy& copy : copies)
    if (copy.argument == like.argument && copy.offset == like.offset &&
        copy.component == like.component)
      return &copy;
  return nullptr;
}

const Checker::State::Copy* Checker::State::difference() const {
  for (const Copy& copy : copies)
    for (const Copy& before : first)
      if (copy.argument == before.argument && copy.offset == before.offset &&
          copy.component == before.component && copy.value != before.value)
        return &copy;
  return nullptr;
}

}  // namespace Atoll::stencil::detail
