// Writes time series of fields and frames: write_stencil FOLDER. tests/e2e/test_stencil_output.py
// recomputes the fields' values from the points' coordinates.
#include <cmath>
#include <string>
#include <vector>

#include "atoll/base/exit_code.hpp"
#include "atoll/stencil/frames.hpp"
#include "atoll/stencil/snapshots.hpp"
#include "atoll/stencil/stencil.hpp"

namespace {

using namespace Atoll::stencil;

/// Queues a loop over the whole field, including the halo: component c of point (x, y, z) becomes x
/// + 100 y + 10000 z + 1000000 c + `more`.
template <Element T>
Field<T> filled(Mesh& mesh, const std::string& name, const FieldOptions& options, int more) {
  const Field<T> field = mesh.field<T>(name, options);
  const int components = options.components;
  mesh.loop(
      name, field.storage().whole(),
      [components, more](auto f, const Index& at) {
        for (int c = 0; c < components; ++c)
          f[c](0, 0) = static_cast<T>(at.x + 100 * at.y + 10'000 * at.z + 1'000'000 * c + more);
      },
      write(field), index());
  return field;
}

void flat(const std::string& folder) {
  Program program;
  Mesh& mesh = program.mesh("grid", {7, 5});
  Snapshots series(folder + "/flat",
                   {.cells = {7, 5, 1}, .origin = {1, 2, 0}, .spacing = {0.5, 0.25, 1}});
  for (const int step : {0, 10, 20}) {
    const std::string at = "_" + std::to_string(step);
    const auto array = [&](const auto& field, const std::string& name) {
      ConstStridedArray values = output_of(field);
      values.name = name;  // the mesh's field has another name in each step
      return values;
    };
    const std::vector<ConstStridedArray> fields{
        array(filled<double>(mesh, "density" + at, {.halo = 2}, step), "density"),
        array(filled<float>(mesh, "u" + at, {.halo = 1, .staggered = {true, true}}, step), "u"),
        array(filled<std::int32_t>(mesh, "pair" + at, {.components = 2}, step), "pair"),
        array(filled<double>(mesh, "flux x" + at, {.halo = 3, .staggered = {true, false}}, step),
              "flux x"),
        array(filled<std::uint8_t>(mesh, "mark" + at, {.staggered = {false, true}}, step), "mark")};
    series.write(step, step * 0.125, fields);
  }
}

void solid(const std::string& folder) {
  Program program;
  Mesh& mesh = program.mesh("cube", {4, 3, 2});
  Snapshots series(
      folder + "/solid",
      {.dimensions = 3, .cells = {4, 3, 2}, .nodes = {{{0, 1, 3, 6, 10}, {}, {-1, 0, 4}}}});
  const Field<double> velocity = filled<double>(mesh, "velocity", {.halo = 1, .components = 3}, 0);
  const Field<std::int64_t> node =
      filled<std::int64_t>(mesh, "node", {.staggered = {true, true, true}}, 0);
  const Field<double> edge =
      filled<double>(mesh, "edge", {.halo = 2, .staggered = {true, true, false}}, 0);
  const std::vector<ConstStridedArray> fields{output_of(velocity), output_of(node),
                                              output_of(edge)};
  series.write(3, 1.0 / 3, fields);
}

void line(const std::string& folder) {
  Program program;
  Mesh& mesh = program.mesh("rod", {6});
  Snapshots series(folder + "/line", {.dimensions = 1, .cells = {6, 1, 1}, .spacing = {2, 1, 1}});
  const Field<double> heat = filled<double>(mesh, "heat", {.halo = 1}, 0);
  const Field<double> flow = filled<double>(mesh, "flow", {.staggered = {true}}, 5);
  const std::vector<ConstStridedArray> fields{output_of(heat), output_of(flow)};
  series.write(0, 0, fields);
}

void uniform(const std::string& folder) {
  Program program;
  Mesh& mesh = program.mesh("box", {4, 3, 1});
  Snapshots series(
      folder + "/uniform",
      {.dimensions = 3, .cells = {4, 3, 1}, .origin = {1, 2, 3}, .spacing = {0.5, 0.25, 8}});
  const Field<float> cell = filled<float>(mesh, "cell", {}, 0);
  const Field<float> face = filled<float>(mesh, "face", {.staggered = {false, false, true}}, 0);
  const std::vector<ConstStridedArray> fields{output_of(cell), output_of(face)};
  series.write(0, 0, fields);
}

/// Draws twelve frames of a wave that moves to the right, in colours for -1 to 1.
void wave(const std::string& folder) {
  Program program;
  Mesh& mesh = program.mesh("pool", {64, 32});
  const Field<double> height = mesh.field<double>("height");
  const Frames frames(
      folder + "/wave",
      {.title = "Height", .map = ColourMap::diverging, .range = {{-1, 1}}, .size = 256});
  for (int step = 0; step < 12; ++step) {
    mesh.loop(
        "wave", mesh.interior(),
        [step](auto h, const Index& at) {
          h(0, 0) = std::sin(0.2 * (at.x - 3 * step)) * std::cos(0.1 * at.y);
        },
        write(height), index());
    frames.write(step, step * 0.1, output_of(height));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return Atoll::exit_code_of([&] {
    const std::string folder = argc > 1 ? argv[1] : ".";
    flat(folder);
    solid(folder);
    uniform(folder);
    line(folder);
    wave(folder);
  });
}
