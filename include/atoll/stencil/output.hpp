// What a stencil program writes while it runs, by options that all programs share: snapshots for
// ParaView, frames, checkpoints. A program names its fields once, and calls write() in each step.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/stencil/checkpoint.hpp"
#include "atoll/stencil/frames.hpp"
#include "atoll/stencil/snapshots.hpp"

namespace Atoll::stencil {

namespace detail {
class TerminateSignal;
}

/// What is written, how often and where. Programs have these on their command lines, too
/// (cli_output_options.hpp).
struct OutputOptions {
  std::string folder = ".";                          ///< of all files; it must be there
  std::int64_t snapshots = 0;                        ///< every so many steps; 0: none
  std::vector<std::string> fields;                   ///< of snapshots, by name; none: all
  std::int64_t frames = 0;                           ///< every so many steps; 0: none
  std::string frame_field;                           ///< by name; "": the first one
  std::optional<std::array<double, 2>> frame_range;  ///< of the colours; none: each frame's own
  std::int64_t frame_plane = -1;  ///< of 3D fields, a number in z; -1: the middle one
  int frame_size = 800;           ///< pixels of a frame's longer side
  std::int64_t checkpoint = 0;    ///< every so many steps; 0: none
  double checkpoint_minutes = 0;  ///< also every so many minutes of wall-clock time; 0: none
  /// Also when SIGTERM arrives: the next write() saves a checkpoint, and then lets the signal end
  /// the process.
  bool checkpoint_on_sigterm = false;
  std::string restart;  ///< the checkpoint to go on from; "": from the beginning

  /// True if any option asks for checkpoints.
  [[nodiscard]] bool saves() const {
    return checkpoint > 0 || checkpoint_minutes > 0 || checkpoint_on_sigterm;
  }
};

/// The output of one program. Its files are FOLDER/NAME.xmf and FOLDER/NAME_000010.h5 (Snapshots),
/// FOLDER/NAME_FIELD_000010.png (Frames) and FOLDER/NAME.checkpoint.h5, which is always the last
/// one.
class Output {
 public:
  /// `state` outlives this. Throws Error (input) if an option is wrong, or if something is to be
  /// written and the folder can't be written to: before hours of work, not after.
  Output(std::string name, OutputOptions options, MeshGeometry geometry, Checkpoint& state);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Names a field that can be written. `title` is what frames call it; "": its name. `component`
  /// is that of frames.
  void field(FieldStorage& storage, std::string title = {}, ColourMap map = ColourMap::sequential,
             int component = 0);
  /// The same.
  template <Element T, bool kColumn>
  void field(const Field<T, kColumn>& field, std::string title = {},
             ColourMap map = ColourMap::sequential, int component = 0) {
    this->field(field.storage(), std::move(title), map, component);
  }

  /// Checks that the options name fields that there are, and loads the checkpoint if one is given:
  /// true then, and `step`, which must be one of the state's scalars, is where the program goes on.
  /// Call it once, after all fields are named and the program's own start is queued. Throws Error
  /// (input) for unknown fields, and whatever Checkpoint::load() and Snapshots::continue_from() do.
  bool begin(const std::int64_t& step);

  /// True if write() writes fields in this step, so that what is computed for output alone is due.
  [[nodiscard]] bool shows(std::int64_t step) const;
  /// Writes what is due after this step; runs what is queued only if something is. Throws what
  /// Snapshots, Frames and Checkpoint throw. It doesn't return if SIGTERM arrived and
  /// checkpoint_on_sigterm is set.
  void write(std::int64_t step, double time);
  /// Writes the snapshot of the last step, unless write() did or none are asked for.
  void finish(std::int64_t step, double time);

 private:
  struct Shown {
    FieldStorage* storage;
    std::string title;
    ColourMap map;
    int component;
  };

  [[nodiscard]] const Shown& shown(const std::string& name, const std::string& option) const;
  void write_snapshot(std::int64_t step, double time);
  void write_frame(std::int64_t step, double time);
  void write_checkpoint(std::int64_t step);

  std::string path_;
  OutputOptions options_;
  MeshGeometry geometry_;
  Checkpoint* state_;
  Snapshots snapshots_;
  std::optional<Frames> frames_;
  std::vector<Shown> fields_;
  std::int64_t last_snapshot_ = -1;  ///< step
  std::chrono::steady_clock::time_point last_saved_;
  std::unique_ptr<detail::TerminateSignal> terminate_;
};

}  // namespace Atoll::stencil
