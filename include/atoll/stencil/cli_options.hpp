// Command-line options for Options, for programs that use CLI11. The library itself doesn't use
// CLI11.
#pragma once

#include "atoll/options/command.hpp"
#include "atoll/stencil/options.hpp"

namespace Atoll::stencil {

/// Adds --threads, --mode, --tile, --budget, --home, --fast, --without and --dry-run, which set
/// `options`. For a bad value, CLI11 throws a ValidationError whose text names the option and the
/// accepted values.
void add_options(options::Command call, Options& options);

}  // namespace Atoll::stencil
