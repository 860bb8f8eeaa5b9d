// Meshes and their fields: extents, strides, and placement of memory near the threads that compute
// it.
#include "atoll/stencil/mesh.hpp"

#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "atoll/stencil/boundary.hpp"
#include "stencil/bands.hpp"
#include "stencil/state.hpp"

namespace Atoll::stencil {

std::string_view to_string(ElementType type) {
  static constexpr std::string_view kNames[] = {"float32", "float64", "int8",   "int16",  "int32",
                                                "int64",   "uint8",   "uint16", "uint32", "uint64"};
  return kNames[static_cast<std::size_t>(type)];
}

std::size_t bytes_of(ElementType type) {
  static constexpr std::size_t kBytes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
  return kBytes[static_cast<std::size_t>(type)];
}

Mesh::Mesh(Program& program, std::string name, std::span<const int> sizes, int number)
    : program_(&program),
      name_(std::move(name)),
      number_(number),
      dimensions_(static_cast<int>(sizes.size())) {
  if (sizes.empty() || sizes.size() > kMaxDimensions)
    throw Error::input(name_, fmt::format("a mesh of {} dimensions", sizes.size()),
                       "give one to three sizes");
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 1 || sizes[d] > kMaxExtent)
      throw Error::input(name_, fmt::format("a mesh of {} points in dimension {}", sizes[d], d),
                         fmt::format("give 1 to {} points", kMaxExtent));
    interior_.hi[d] = sizes[d];
  }
}

Mesh::~Mesh() = default;

void Mesh::cyclic(bool is_cyclic) {
  program_->run();
  is_cyclic_ = is_cyclic;
}

FieldStorage& Mesh::add_field(std::string name, ElementType type, const FieldOptions& options,
                              bool column) {
  for (const auto& other : fields_)
    if (other->name() == name)
      throw Error::input(name_ + "." + name, "is the name of two fields",
                         "give each field of a mesh a name of its own");
  Program::State& state = program_->state();
  auto field =
      std::make_unique<FieldStorage>(*this, std::move(name), type, options, column, state.fields);
  if (state.streaming)
    state.streaming->add(*field);
  else
    field->allocate();
  ++state.fields;
  fields_.push_back(std::move(field));
  return *fields_.back();
}

namespace {

/// Distance between elements of two fields with equal coordinates, modulo the period of cache sets.
/// Without it, rows of all fields would compete for the same sets.
std::size_t shift_bytes(int number) {
  return static_cast<std::size_t>(number % 32) * (1024 + 128);
}

}  // namespace

FieldStorage::FieldStorage(Mesh& mesh, std::string name, ElementType type,
                           const FieldOptions& options, bool column, int number)
    : mesh_(&mesh),
      name_(std::move(name)),
      type_(type),
      options_(options),
      number_(number),
      element_bytes_(bytes_of(type)),
      boundary_loops_(std::make_unique<detail::BoundaryLoops>()) {
  const std::string where = mesh.name() + "." + name_;
  if (options.components < 1)
    throw Error::input(where, fmt::format("{} components", options.components), "give 1 or more");
  if (options.flat[0]) throw Error::input(where, "extent 1 in x", "make it with Mesh::column()");
  flat_ = options.flat;
  flat_[0] = column;
  const int dimensions = mesh.dimensions();
  for (std::size_t d = 0; d < kMaxDimensions; ++d) {
    if (static_cast<int>(d) >= dimensions) flat_[d] = false;
    if (options.halo.lo[d] < 0 || options.halo.hi[d] < 0 || options.halo.lo[d] > kMaxExtent ||
        options.halo.hi[d] > kMaxExtent)
      throw Error::input(where, "a halo of such a depth", "give 0 or more points");
    const bool extends = static_cast<int>(d) < dimensions && !flat_[d];
    interior_.lo[d] = whole_.lo[d] = 0;
    interior_.hi[d] = whole_.hi[d] =
        extends ? mesh.size(static_cast<int>(d)) + (options.staggered[d] ? 1 : 0) : 1;
    if (extends) {
      whole_.lo[d] -= options.halo.lo[d];
      whole_.hi[d] += options.halo.hi[d];
    }
  }
  set_strides();
  if (mesh.program().options().mode == Mode::checked)
    written_.assign(static_cast<std::size_t>(whole_.points()), false);
}

void FieldStorage::set_strides() {
  const auto extent = [&](std::size_t d) {
    return static_cast<std::size_t>(whole_.hi[d] - whole_.lo[d]);
  };
  // Rows are padded to whole cache lines. In long rows, x = 0 is aligned to a line, which costs
  // them little memory.
  const std::size_t line = 64 / element_bytes_;
  const auto lines = [line](std::size_t elements) { return (elements + line - 1) / line * line; };
  std::size_t before = static_cast<std::size_t>(-whole_.lo[0]), row = extent(0);
  if (row >= 512) before = lines(before), row += before - static_cast<std::size_t>(-whole_.lo[0]);
  if (row > 1) row = lines(row);
  const std::size_t components = static_cast<std::size_t>(options_.components);
  stride_component_ = static_cast<std::ptrdiff_t>(row);
  stride_y_ = flat_[1] || extent(1) == 1 ? 0 : static_cast<std::ptrdiff_t>(row * components);
  stride_z_ =
      flat_[2] || extent(2) == 1 ? 0 : static_cast<std::ptrdiff_t>(row * components * extent(1));
  const std::size_t start = shift_bytes(number_) / element_bytes_;
  elements_ = start + row * components * extent(1) * extent(2);
  begin_ = static_cast<std::ptrdiff_t>(start);
  first_ = static_cast<std::ptrdiff_t>(start + before) - whole_.lo[1] * stride_y_ -
           whole_.lo[2] * stride_z_;
}

Layout FieldStorage::layout(std::span<const NodeId> nodes) const {
  if (!nodes.empty()) return Layout{Distributed{{nodes.begin(), nodes.end()}}, PageSize::small};
  // Pages are placed on the node of the thread that computes their band of rows or planes.
  const Team& team = mesh_->program().context().team;
  const int outer = mesh_->dimensions() - 1;
  const auto d = static_cast<std::size_t>(outer);
  const auto rows = static_cast<std::size_t>(whole_.hi[d] - whole_.lo[d]);
  const auto start = static_cast<std::size_t>(begin_);
  const std::size_t row_bytes = (elements_ - start) * element_bytes_ / rows;
  Partitioned parts;
  const std::vector<int> ends = band_ends(mesh_->size(outer), team.size());
  for (std::size_t band = 0; band < ends.size(); ++band) {
    parts.nodes.push_back(team.places()[band].node);
    const int end = band + 1 == ends.size() ? whole_.hi[d] : ends[band];
    const auto before_end =
        flat_[d] ? std::size_t{1} : static_cast<std::size_t>(end - whole_.lo[d]);
    parts.ends.push_back(
        std::min<std::uint64_t>(elements_, start + before_end * row_bytes / element_bytes_));
  }
  parts.ends.back() = elements_;
  const std::size_t band_bytes = elements_ * element_bytes_ / ends.size();
  const PageSize pages =
      band_bytes >= 8 * page_bytes(PageSize::huge) ? PageSize::huge : PageSize::small;
  return Layout{std::move(parts), pages};
}

void FieldStorage::allocate(std::span<const NodeId> nodes) {
  memory_ = RawArray(mesh_->program().context(), elements_, element_bytes_, layout(nodes));
  origin_ = memory_.copy(0) + origin_bytes();
}

FieldStorage::~FieldStorage() = default;

std::uint64_t FieldStorage::bytes() const {
  return static_cast<std::uint64_t>(whole_.points()) * element_bytes_ *
         static_cast<std::uint64_t>(options_.components);
}

}  // namespace Atoll::stencil
