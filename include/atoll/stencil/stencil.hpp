// Includes all public headers of module stencil: meshes, fields, and loops over them that are
// queued, planned as one chain and run in tiles (docs/stencil.md) [out-of-core §3].
#pragma once

#include "atoll/stencil/boundary.hpp"
#include "atoll/stencil/mesh.hpp"
#include "atoll/stencil/options.hpp"
#include "atoll/stencil/plan.hpp"
#include "atoll/stencil/program.hpp"
#include "atoll/stencil/report.hpp"
