// Table of the loops of a report.
#include "atoll/stencil/report.hpp"

#include <fmt/format.h>

namespace Atoll::stencil {

double Report::bytes_per_second() const {
  double bytes = 0, seconds = 0;
  for (const LoopReport& loop : loops) {
    bytes += static_cast<double>(loop.bytes);
    seconds += loop.seconds;
  }
  return seconds > 0 ? bytes / seconds * threads : 0;
}

std::string to_string(const Report& report) {
  std::size_t width = 4;
  for (const LoopReport& loop : report.loops) width = std::max(width, loop.name.size());
  std::string text = fmt::format("{:{}} {:>8} {:>14} {:>16} {:>9} {:>8}\n", "loop", width, "calls",
                                 "points", "bytes", "ns/point", "GB/s");
  for (const LoopReport& loop : report.loops) {
    const double points = static_cast<double>(loop.points), bytes = static_cast<double>(loop.bytes);
    text +=
        fmt::format("{:{}} {:>8} {:>14} {:>16} {:>9.3f} {:>8.2f}\n", loop.name, width, loop.calls,
                    loop.points, loop.bytes, points > 0 ? loop.seconds * 1e9 / points : 0,
                    loop.seconds > 0 ? bytes / loop.seconds * 1e-9 * report.threads : 0);
  }
  return text + fmt::format("average bandwidth {:.2f} GB/s\n", report.bytes_per_second() * 1e-9);
}

}  // namespace Atoll::stencil
