// Periodic output of a stencil program, with options that all programs share: snapshots for
// ParaView, frames, checkpoints. A program registers its fields once and calls write() in each
// step.
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

/// Kinds, intervals and destination of the output. Programs also offer them on their command lines
/// (cli_output_options.hpp).
struct OutputOptions {
  std::string folder = ".";                          ///< folder of all files; must exist
  std::int64_t snapshots = 0;                        ///< interval in steps; 0 means none
  std::vector<std::string> fields;                   ///< names of the fields in snapshots; empty
                                                     ///< means all
  std::int64_t frames = 0;                           ///< interval in steps; 0 means none
  std::string frame_field;                           ///< name; empty means the first one
  std::optional<std::array<double, 2>> frame_range;  ///< range of the colours; if not given, each
                                                     ///< frame's own
  std::int64_t frame_plane = -1;  ///< z index of the plane shown of 3D fields; -1 means the middle
                                  ///< one
  int frame_size = 800;           ///< length of a frame's longer side in pixels
  std::int64_t checkpoint = 0;    ///< interval in steps; 0 means none
  double checkpoint_minutes = 0;  ///< additional interval in minutes of wall-clock time; 0 means
                                  ///< none
  /// If true, the first write() after SIGTERM saves a checkpoint and then lets the signal end the
  /// process.
  bool checkpoint_on_sigterm = false;
  std::string restart;  ///< checkpoint to continue from; empty means from the beginning

  /// True if any option requests checkpoints.
  [[nodiscard]] bool saves() const {
    return checkpoint > 0 || checkpoint_minutes > 0 || checkpoint_on_sigterm;
  }
};

/// The output of one program. Its files are FOLDER/NAME.xmf and FOLDER/NAME_000010.h5 (Snapshots),
/// FOLDER/NAME_FIELD_000010.png (Frames) and FOLDER/NAME.checkpoint.h5 (the latest checkpoint
/// only).
class Output {
 public:
  /// `state` must outlive this object. Throws Error (input) if an option is wrong, or if output is
  /// requested and the folder isn't writable, so that a run doesn't fail after hours of work.
  Output(std::string name, OutputOptions options, MeshGeometry geometry, Checkpoint& state);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Registers a field for output. `title` is its title in frames; if empty, its name is used.
  /// `component` is the component that frames show.
  void field(FieldStorage& storage, std::string title = {}, ColourMap map = ColourMap::sequential,
             int component = 0);
  /// Overload for handles.
  template <Element T, bool kColumn>
  void field(const Field<T, kColumn>& field, std::string title = {},
             ColourMap map = ColourMap::sequential, int component = 0) {
    this->field(field.storage(), std::move(title), map, component);
  }

  /// Checks that the options name registered fields, and loads the checkpoint if one is given.
  /// Returns true if it loaded one; `step`, which must be one of the state's scalars, is then the
  /// step to continue from. Call it once, after all fields are registered and the program's own
  /// initialization is queued. Throws Error (input) for unknown fields, and the errors of
  /// Checkpoint::load() and Snapshots::continue_from().
  bool begin(const std::int64_t& step);

  /// True if write() writes fields in this step, so that values that only output needs must be
  /// computed.
  [[nodiscard]] bool shows(std::int64_t step) const;
  /// Writes the output that is due after this step; runs the queued loops only if some is due.
  /// Throws the errors of Snapshots, Frames and Checkpoint. Doesn't return if SIGTERM arrived and
  /// checkpoint_on_sigterm is set.
  void write(std::int64_t step, double time);
  /// Writes the snapshot of the last step, unless write() already did or no snapshots are
  /// requested.
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
  [[nodiscard]] bool is_in_snapshots(const Shown& field) const;
  [[nodiscard]] bool saves_now(std::int64_t step) const;

  std::string path_;
  OutputOptions options_;
  MeshGeometry geometry_;
  Checkpoint* state_;
  Snapshots snapshots_;
  std::optional<Frames> frames_;
  std::vector<Shown> fields_;
  std::int64_t last_snapshot_ = -1;  ///< step number
  std::chrono::steady_clock::time_point last_saved_;
  std::unique_ptr<detail::TerminateSignal> terminate_;
};

}  // namespace Atoll::stencil
