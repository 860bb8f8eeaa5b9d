#include "atoll/stencil/cli_output_options.hpp"

#include <limits>
#include <string>
#include <vector>

namespace Atoll::stencil {

void add_options(options::Command call, OutputOptions& options) {
  const auto steps = value::count(0, std::uint64_t{1} << 40);
  call.add_option("--output", options.folder, "The folder of all files that are written (.)")
      .check(value::not_empty())
      .type_name("FOLDER");
  call.add_option("--snapshots", options.snapshots,
                  "Writes fields for ParaView every N steps: NAME.xmf, NAME_STEP.h5")
      .check(steps)
      .type_name("N");
  call.add_option("--fields", options.fields, "Fields of snapshots, separated by commas (all)")
      .check(value::not_empty())
      .delimiter(',')
      .type_name("NAMES");
  call.add_option("--frames", options.frames, "Draws a field every N steps: NAME_FIELD_STEP.png")
      .check(steps)
      .type_name("N");
  call.add_option("--frame-field", options.frame_field, "The field of frames (the first one)")
      .check(value::not_empty())
      .type_name("NAME");
  call.add_option_function<std::vector<double>>(
          "--frame-range",
          [&options](const std::vector<double>& ends) {
            options.frame_range = {ends.at(0), ends.at(1)};
          },
          "The values at the ends of frames' colours, such as 0.2,2.6 (each frame's own)")
      .delimiter(',')
      .expected(2)
      .check(value::real(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()))
      .type_name("LOW,HIGH");
  call.add_option("--frame-plane", options.frame_plane,
                  "The plane of a field of 3 dimensions that frames show (the middle one)")
      .check(value::count(0, std::uint64_t{1} << 31))
      .type_name("Z");
  call.add_option("--frame-size", options.frame_size, "Pixels of a frame's longer side (800)")
      .check(value::count(16, 8192))
      .type_name("N");
  call.add_option("--checkpoint", options.checkpoint,
                  "Saves the state every N steps: NAME.checkpoint.h5")
      .check(steps)
      .type_name("N");
  call.add_option("--checkpoint-minutes", options.checkpoint_minutes,
                  "Saves the state also every M minutes of wall-clock time")
      .check(value::real(0, 1e6))
      .type_name("M");
  call.add_flag("--checkpoint-on-sigterm", options.checkpoint_on_sigterm,
                "Saves the state also when SIGTERM arrives, and ends then");
  call.add_option("--restart", options.restart, "Goes on from a checkpoint")
      .check(value::not_empty())
      .type_name("FILE");
}

}  // namespace Atoll::stencil
