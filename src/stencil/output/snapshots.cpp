// Writes a step as two files: first its data, then the index that names them. So all files that an
// index names exist.
#include "atoll/stencil/snapshots.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/read_file.hpp"
#include "atoll/base/units.hpp"
#include "stencil/output/hdf5.hpp"
#include "stencil/output/hdf5_file.hpp"
#include "stencil/output/xdmf.hpp"

namespace Atoll::stencil {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGrid = "    <Grid Name=\"step ";
constexpr std::string_view kGridEnd = "    </Grid>\n";

void check_geometry(const MeshGeometry& geometry, const std::string& path) {
  if (geometry.dimensions < 1 || geometry.dimensions > 3)
    throw Error::input(path, fmt::format("a mesh can't have {} dimensions", geometry.dimensions),
                       "1 to 3");
  for (std::size_t d = 0; d < 3; ++d) {
    const auto& nodes = geometry.nodes[d];
    const std::int64_t cells = geometry.cells[d];
    if (cells < 1 || (static_cast<int>(d) >= geometry.dimensions && cells != 1))
      throw Error::input(path, fmt::format("a mesh can't have {} cells in {}", cells, "xyz"[d]),
                         "");
    if (!nodes.empty() && static_cast<std::int64_t>(nodes.size()) != cells + 1)
      throw Error::input(path,
                         fmt::format("there are {} coordinates in {}", nodes.size(), "xyz"[d]),
                         fmt::format("{} cells have {} nodes", cells, cells + 1));
    if (!std::isfinite(geometry.origin[d]) || !std::isfinite(geometry.spacing[d]))
      throw Error::input(path, "the mesh's origin and spacing have to be finite", "");
  }
}

void check_fields(const MeshGeometry& geometry, std::span<const ConstStridedArray> fields,
                  const std::string& path) {
  std::set<std::string> names;
  for (const ConstStridedArray& array : fields) {
    if (array.name.empty() || array.name.find_first_of("/:") != std::string::npos ||
        !names.insert(array.name).second)
      throw Error::input(path,
                         fmt::format("'{}' can't be a field's name, or is used twice", array.name),
                         "a name has some letters, and neither '/' nor ':'");
    for (int d = 0; d < 3; ++d) {
      const std::int64_t wanted = geometry.cells[d] + (array.staggered[d] ? 1 : 0);
      if (array.dimensions != geometry.dimensions || array.points[d] != wanted)
        throw Error::input(
            path,
            fmt::format("field '{}' has {} dimensions and {} points in {}, the mesh {} and {}",
                        array.name, array.dimensions, array.points[d], "xyz"[d],
                        geometry.dimensions, wanted),
            "give fields without their halo, on all points of the mesh");
    }
  }
}

}  // namespace

Snapshots::Snapshots(std::string path, MeshGeometry geometry)
    : path_(std::move(path)), geometry_(std::move(geometry)) {
  check_geometry(geometry_, path_);
}

std::string Snapshots::step_file(std::int64_t step) const {
  return fmt::format("{}_{:06}.h5", path_, step);
}

void Snapshots::continue_from(std::int64_t step) {
  if (std::error_code unknown; !std::filesystem::exists(index(), unknown)) return;
  const std::string text =
      read_file(index(), {.most_bytes = kGiB, .way_out = "name another file for the series"});
  const std::string head = xdmf::head(), tail = xdmf::tail();
  const auto refuse = [&] {
    throw Error::input(index(), "isn't a series of steps that Atoll wrote",
                       "name another file for the new series");
  };
  if (!text.starts_with(head) || !text.ends_with(tail) || text.size() < head.size() + tail.size())
    refuse();
  std::string_view rest(text);
  rest = rest.substr(head.size(), text.size() - head.size() - tail.size());
  std::vector<Step> steps;
  while (!rest.empty()) {
    const std::size_t end = rest.find(kGridEnd);
    Step one{};
    if (!rest.starts_with(kGrid) || end == rest.npos) refuse();
    const std::string_view xml = rest.substr(0, end + kGridEnd.size());
    if (std::from_chars(xml.data() + kGrid.size(), xml.data() + xml.size(), one.step).ec !=
        std::errc())
      refuse();
    one.xml = xml;
    if (one.step <= step) steps.push_back(std::move(one));
    rest.remove_prefix(xml.size());
  }
  steps_ = std::move(steps);
}

void Snapshots::write_data(const std::string& path, std::int64_t step, double time,
                           std::span<const ConstStridedArray> fields) const {
  hdf5::write_file(path, 0, [&](hid_t file) {
    hdf5::write_attribute(file, "step", step, path);
    hdf5::write_attribute(file, "time", time, path);
    for (const ConstStridedArray& array : fields) {
      if (array.components == 1 || array.components == 3) {
        hdf5::write_array(file, array, path);
        continue;
      }
      for (int c = 0; c < array.components; ++c) {
        ConstStridedArray part = component_of(array, c);
        part.name += fmt::format("_{}", c);
        hdf5::write_array(file, part, path);
      }
    }
    if (!xdmf::has_coordinates(geometry_)) return;
    for (std::size_t d = 0; d < 3; ++d)
      for (const bool staggered : {false, true}) {
        const std::vector<double> all = xdmf::coordinates(geometry_, staggered, d);
        hdf5::write_array(file,
                          dense_array(xdmf::coordinates_name(staggered, d), all.data(), 1,
                                      {static_cast<std::int64_t>(all.size()), 1, 1}),
                          path);
      }
  });
}

void Snapshots::write_index() const {
  AtomicFile file(index());
  file.write(xdmf::head());
  for (const Step& one : steps_) file.write(one.xml);
  file.write(xdmf::tail());
  file.commit();
}

void Snapshots::write(std::int64_t step, double time, std::span<const ConstStridedArray> fields) {
  const std::string path = step_file(step);
  check_fields(geometry_, fields, path);
  // A mesh of one dimension is shown as a strip; readers then need data of two dimensions.
  std::vector<ConstStridedArray> shown(fields.begin(), fields.end());
  for (ConstStridedArray& array : shown) array.dimensions = std::max(array.dimensions, 2);
  write_data(path, step, time, shown);
  std::erase_if(steps_, [&](const Step& one) { return one.step == step; });
  // A relative file name, so that the folder can be moved.
  steps_.push_back(
      {step, xdmf::step_grid(geometry_, step, time, fs::path(path).filename().string(), shown)});
  write_index();
}

}  // namespace Atoll::stencil
