// The options of stencil programs.
#pragma once

#include "atoll/options/command.hpp"
#include "atoll/stencil/options.hpp"

namespace Atoll::stencil {

/// Adds --threads, --mode and --tile, which set `options`. Bad values end the parsing with a
/// BadCall, whose text names the option and what would be right.
void add_options(options::Command call, Options& options);

}  // namespace Atoll::stencil
