// Rows of the front ends, each defined in the file of its class.
#pragma once

#include "recording/frontends/frontend.hpp"

namespace Atoll::recording {

extern const FrontendRow kCompiledFrontend, kGccFrontend, kDbiFrontend, kSampleFrontend;

}  // namespace Atoll::recording
