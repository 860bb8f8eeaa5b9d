// Command-line options for OutputOptions, for programs that use CLI11. The library itself doesn't
// use CLI11.
#pragma once

#include "atoll/options/command.hpp"
#include "atoll/stencil/output.hpp"

namespace Atoll::stencil {

/// Adds --output, --snapshots, --fields, --frames, --frame-field, --frame-range, --frame-plane,
/// --frame-size, --checkpoint, --checkpoint-minutes, --checkpoint-on-sigterm and --restart, which
/// set `options`.
void add_options(options::Command call, OutputOptions& options);

}  // namespace Atoll::stencil
