#include "stencil/output/xdmf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace Atoll::stencil::xdmf {
namespace {

/// Bit mask of all dimensions of a mesh.
unsigned all_of(int dimensions) {
  return (1U << dimensions) - 1;
}

/// ParaView shows meshes of two or three dimensions; a mesh of one dimension becomes a strip.
int shown_dimensions(const MeshGeometry& geometry) {
  return std::max(geometry.dimensions, 2);
}

/// The points of a grid in XDMF: the grid of the mesh has its nodes, other grids the points of
/// their fields.
struct Points {
  std::array<std::int64_t, 3> count{1, 1, 1};
  std::array<bool, 3> on_nodes{};
};

Points points_of(const MeshGeometry& geometry, unsigned place) {
  Points points;
  for (int d = 0; d < shown_dimensions(geometry); ++d) {
    points.on_nodes[d] = place == 0 || (place >> d & 1U) != 0;
    points.count[d] = geometry.cells[d] + (points.on_nodes[d] ? 1 : 0);
  }
  return points;
}

/// The first `dimensions` values in XDMF's order: "z y x" or "y x".
template <typename T>
std::string last_first(const std::array<T, 3>& values, int dimensions) {
  return fmt::format("{}", fmt::join(values.rend() - dimensions, values.rend(), " "));
}

std::string item(const std::string& file, const std::string& name, const std::string& shape,
                 ElementType type) {
  const bool real = type == ElementType::float32 || type == ElementType::float64;
  const bool is_signed = type < ElementType::uint8;
  const std::size_t bytes = bytes_of(type);
  const char* const kind = real                      ? "Float"
                           : bytes == 1 && is_signed ? "Char"
                           : bytes == 1              ? "UChar"
                           : is_signed               ? "Int"
                                                     : "UInt";
  return fmt::format(
      R"(<DataItem Dimensions="{}" NumberType="{}" Precision="{}" Format="HDF">{}:/{}</DataItem>)",
      shape, kind, bytes, escaped(file), escaped(name));
}

/// Meshes of two dimensions always have explicit coordinates, because ParaView's reader places
/// meshes with origin and spacing in the y-z plane.
std::string geometry_lines(const MeshGeometry& geometry, const Points& points,
                           const std::string& file, const std::string& in) {
  const int dimensions = shown_dimensions(geometry);
  const bool listed = has_coordinates(geometry);
  const char* const kind = !listed ? "ORIGIN_DXDYDZ" : dimensions == 3 ? "VXVYVZ" : "VXVY";
  std::string xml = fmt::format(
      "{0}<Topology TopologyType=\"{1}D{2}RectMesh\" Dimensions=\"{3}\"/>\n"
      "{0}<Geometry GeometryType=\"{4}\">\n",
      in, dimensions, listed ? "" : "Co", last_first(points.count, dimensions), kind);
  if (listed) {
    for (int d = 0; d < dimensions; ++d)
      xml += fmt::format("{}  {}\n", in,
                         item(file, coordinates_name(points.on_nodes[d], d),
                              fmt::format("{}", points.count[d]), ElementType::float64));
  } else {
    std::array<double, 3> origin = geometry.origin;
    for (std::size_t d = 0; d < 3; ++d)
      if (!points.on_nodes[d]) origin[d] += geometry.spacing[d] / 2;
    for (const auto& values : {origin, geometry.spacing})
      xml += fmt::format(
          "{}  <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" "
          "Format=\"XML\">{}</DataItem>\n",
          in, last_first(values, 3));
  }
  return xml + in + "</Geometry>\n";
}

std::string attribute_lines(const ConstStridedArray& array, bool on_points, const std::string& file,
                            const std::string& in) {
  std::string xml;
  const std::string shape = last_first(array.points, array.dimensions);
  const bool vector = array.components == 3;
  const int parts = vector ? 1 : array.components;
  for (int part = 0; part < parts; ++part) {
    const std::string name = parts == 1 ? array.name : fmt::format("{}_{}", array.name, part);
    xml += fmt::format(
        "{0}<Attribute Name=\"{1}\" AttributeType=\"{2}\" Center=\"{3}\">\n{0}  "
        "{4}\n{0}</Attribute>\n",
        in, escaped(name), vector ? "Vector" : "Scalar", on_points ? "Node" : "Cell",
        item(file, name, vector ? shape + " 3" : shape, array.type));
  }
  return xml;
}

}  // namespace

unsigned place_of(const ConstStridedArray& array) {
  unsigned place = 0;
  for (int d = 0; d < array.dimensions; ++d)
    if (array.staggered[d]) place |= 1U << d;
  return place;
}

std::string place_name(unsigned place, int dimensions) {
  if (place == 0) return "cells";
  if (place == all_of(dimensions)) return "nodes";
  const unsigned other = all_of(dimensions) & ~place;
  for (unsigned d = 0; d < 3; ++d)
    if (place == 1U << d) return fmt::format("{} faces", "xyz"[d]);
  for (unsigned d = 0; d < 3; ++d)
    if (other == 1U << d) return fmt::format("{} edges", "xyz"[d]);
  return "points";
}

std::string coordinates_name(bool staggered, std::size_t dimension) {
  return fmt::format("{} {}", staggered ? "nodes" : "middles", "xyz"[dimension]);
}

bool has_coordinates(const MeshGeometry& geometry) {
  return geometry.dimensions < 3 || std::any_of(geometry.nodes.begin(), geometry.nodes.end(),
                                                [](const auto& one) { return !one.empty(); });
}

std::vector<double> coordinates(const MeshGeometry& geometry, bool staggered,
                                std::size_t dimension) {
  std::vector<double> all = geometry.nodes[dimension];
  if (all.empty())
    for (std::int64_t i = 0; i <= geometry.cells[dimension]; ++i)
      all.push_back(geometry.origin[dimension] +
                    static_cast<double>(i) * geometry.spacing[dimension]);
  if (staggered) return all;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) all[i] = (all[i] + all[i + 1]) / 2;
  all.pop_back();
  return all;
}

std::string step_grid(const MeshGeometry& geometry, std::int64_t step, double time,
                      const std::string& file, std::span<const ConstStridedArray> fields) {
  // Cell and node values share the grid of the mesh; all others have a grid of points each. The
  // strip of a one-dimensional mesh has more nodes than a node field has values, so node fields get
  // their own grid there.
  std::map<unsigned, std::vector<const ConstStridedArray*>> grids;
  for (const ConstStridedArray& array : fields) {
    const unsigned place = place_of(array);
    const bool on_mesh = geometry.dimensions > 1 && place == all_of(geometry.dimensions);
    grids[on_mesh ? 0 : place].push_back(&array);
  }
  const bool several = grids.size() > 1;
  std::string in(4, ' '), xml;
  const auto open = [&](const std::string& name, const char* type) {
    xml += fmt::format("{}<Grid Name=\"{}\" {}>\n", in, name, type);
    in += "  ";
  };
  const auto close = [&] {
    in.resize(in.size() - 2);
    xml += in + "</Grid>\n";
  };
  const auto append_time = [&] { xml += fmt::format("{}<Time Value=\"{}\"/>\n", in, time); };
  const std::string step_name = fmt::format("step {}", step);
  if (several) {
    open(step_name, R"(GridType="Collection" CollectionType="Spatial")");
    append_time();
  }
  for (const auto& [place, arrays] : grids) {
    open(!several     ? step_name
         : place == 0 ? "mesh"
                      : place_name(place, geometry.dimensions),
         R"(GridType="Uniform")");
    if (!several) append_time();
    xml += geometry_lines(geometry, points_of(geometry, place), file, in);
    for (const ConstStridedArray* array : arrays)
      xml += attribute_lines(*array, place_of(*array) != 0, file, in);
    close();
  }
  if (several) close();
  return xml;
}

std::string head() {
  return "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n"
         "  <Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
}

std::string tail() {
  return "  </Grid>\n </Domain>\n</Xdmf>\n";
}

std::string escaped(const std::string& text) {
  std::string xml;
  for (const char c : text) switch (c) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      case '"':
        xml += "&quot;";
        break;
      default:
        xml += c;
    }
  return xml;
}

}  // namespace Atoll::stencil::xdmf
