#include "atoll/stencil/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/stencil/mesh.hpp"
#include "stencil/output/terminate_signal.hpp"

namespace Atoll::stencil {
namespace {

bool due(std::int64_t step, std::int64_t every) {
  return every > 0 && step % every == 0;
}

void check_options(const OutputOptions& options, const std::string& path) {
  for (const auto& [name, every] :
       {std::pair{"--snapshots", options.snapshots}, std::pair{"--frames", options.frames},
        std::pair{"--checkpoint", options.checkpoint}})
    if (every < 0)
      throw Error::input(name, fmt::format("{} steps can't be", every), "1 or more, or 0 for none");
  if (!(options.checkpoint_minutes >= 0))
    throw Error::input("--checkpoint-minutes",
                       fmt::format("{} minutes can't be", options.checkpoint_minutes),
                       "more than 0, or 0 for none");
  // Tests whether the folder is writable. An AtomicFile that isn't committed leaves no file.
  if (options.snapshots > 0 || options.frames > 0 || options.saves())
    const AtomicFile probe(path + ".xmf");
}

/// Length of the mesh in a dimension.
double length(const MeshGeometry& geometry, std::size_t dimension) {
  const std::vector<double>& nodes = geometry.nodes[dimension];
  return nodes.empty()
             ? geometry.spacing[dimension] * static_cast<double>(geometry.cells[dimension])
             : nodes.back() - nodes.front();
}

}  // namespace

Output::Output(std::string name, OutputOptions options, MeshGeometry geometry, Checkpoint& state)
    : path_(options.folder + "/" + name),
      options_(std::move(options)),
      geometry_(geometry),
      state_(&state),
      snapshots_(path_, std::move(geometry)) {
  check_options(options_, path_);
}

Output::~Output() = default;

void Output::field(FieldStorage& storage, std::string title, ColourMap map, int component) {
  if (title.empty()) title = storage.name();
  fields_.push_back({&storage, std::move(title), map, component});
}

const Output::Shown& Output::shown(const std::string& name, const std::string& option) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const Shown& one) { return one.storage->name() == name; });
  if (found != fields_.end()) return *found;
  std::vector<std::string> names;
  for (const Shown& one : fields_) names.push_back(one.storage->name());
  throw Error::input(option, fmt::format("there is no field '{}'", name),
                     fmt::format("the fields are {}", fmt::join(names, ", ")));
}

bool Output::begin(const std::int64_t& step) {
  for (const std::string& name : options_.fields) (void)shown(name, "--fields");
  if (options_.frames > 0) {
    if (options_.frame_field.empty() && !fields_.empty())
      options_.frame_field = fields_.front().storage->name();
    const Shown& field = shown(options_.frame_field, "--frame-field");
    const std::int64_t planes = field.storage->interior().hi[2];
    if (options_.frame_plane < 0) options_.frame_plane = planes / 2;
    if (options_.frame_plane >= planes)
      throw Error::input(
          "--frame-plane", fmt::format("there is no plane {}", options_.frame_plane),
          fmt::format("the planes of '{}' are 0 to {}", options_.frame_field, planes - 1));
    frames_.emplace(path_ + "_" + options_.frame_field,
                    FrameOptions{.title = field.title,
                                 .map = field.map,
                                 .range = options_.frame_range,
                                 .size = options_.frame_size,
                                 .extent = {length(geometry_, 0), length(geometry_, 1)}});
  }
  last_saved_ = std::chrono::steady_clock::now();
  if (options_.checkpoint_on_sigterm) terminate_ = std::make_unique<detail::TerminateSignal>();
  if (options_.restart.empty()) return false;
  state_->load(options_.restart);
  last_snapshot_ = step;
  if (options_.snapshots > 0) snapshots_.continue_from(step);
  return true;
}

bool Output::shows(std::int64_t step) const {
  return due(step, options_.snapshots) || due(step, options_.frames);
}

void Output::write_frame(std::int64_t step, double time) {
  const Shown& field = shown(options_.frame_field, "--frame-field");
  ConstStridedArray plane = component_of(output_of(*field.storage), field.component);
  if (plane.dimensions == 3) plane = slice_of(plane, 2, options_.frame_plane);
  frames_->write(step, time, plane);
}

void Output::write_snapshot(std::int64_t step, double time) {
  std::vector<FieldStorage*> written;
  for (const Shown& one : fields_)
    if (is_in_snapshots(one)) written.push_back(one.storage);
  detail::run_for(written);
  std::vector<ConstStridedArray> arrays;
  for (const Shown& one : fields_)
    if (is_in_snapshots(one)) arrays.push_back(output_of(*one.storage));
  snapshots_.write(step, time, arrays);
  last_snapshot_ = step;
}

bool Output::is_in_snapshots(const Shown& field) const {
  return options_.fields.empty() ||
         std::count(options_.fields.begin(), options_.fields.end(), field.storage->name()) > 0;
}

bool Output::saves_now(std::int64_t step) const {
  const std::chrono::duration<double, std::ratio<60>> minutes =
      std::chrono::steady_clock::now() - last_saved_;
  return (step > 0 && due(step, options_.checkpoint)) ||
         (options_.checkpoint_minutes > 0 && minutes.count() >= options_.checkpoint_minutes);
}

void Output::write(std::int64_t step, double time) {
  const bool snapshot = due(step, options_.snapshots), frame = due(step, options_.frames);
  const bool ends = terminate_ && terminate_->arrived();
  const bool saves = options_.saves() && (ends || saves_now(step));
  // The loops run once, for all fields that are written.
  std::vector<FieldStorage*> written;
  if (saves) written = state_->storages();
  for (const Shown& one : fields_)
    if (snapshot && is_in_snapshots(one)) written.push_back(one.storage);
  if (frame) written.push_back(shown(options_.frame_field, "--frame-field").storage);
  detail::run_for(written);
  if (snapshot) write_snapshot(step, time);
  if (frame) write_frame(step, time);
  if (saves) {
    state_->save(path_ + ".checkpoint.h5");
    last_saved_ = std::chrono::steady_clock::now();
  }
  if (ends) terminate_->end_process();
}

void Output::finish(std::int64_t step, double time) {
  if (options_.snapshots > 0 && last_snapshot_ != step) write_snapshot(step, time);
}

}  // namespace Atoll::stencil
