// Statistics of a streamed run as JSON.
#pragma once

#include <atoll/base/json.hpp>
#include <atoll/stencil/program.hpp>

namespace app {

/// Adds "streamed" to a result, if the program's fields were streamed.
inline void add_streamed(Atoll::Json& result, const Atoll::stencil::StreamCounters& counters) {
  if (counters.outer_tiles == 0) return;
  result["streamed"] = Atoll::Json{{"outer_tiles", counters.outer_tiles},
                                   {"slot_bytes", counters.slot_bytes},
                                   {"bytes_in", counters.bytes_in},
                                   {"bytes_out", counters.bytes_out},
                                   {"planned_bytes_in", counters.planned_bytes_in},
                                   {"planned_bytes_out", counters.planned_bytes_out},
                                   {"waited_seconds", counters.waited_seconds}};
}

}  // namespace app
