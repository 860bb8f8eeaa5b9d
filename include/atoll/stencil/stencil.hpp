// All of module stencil that a program needs: meshes, fields, loops over them that wait, are
// analysed together and run in tiles (docs/stencil.md) [out-of-core §3].
#pragma once

#include "atoll/stencil/boundary.hpp"
#include "atoll/stencil/mesh.hpp"
#include "atoll/stencil/options.hpp"
#include "atoll/stencil/plan.hpp"
#include "atoll/stencil/program.hpp"
#include "atoll/stencil/report.hpp"
