// Writes measured figures and their sources into links.
#include "measure/links.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "machine/routes.hpp"

namespace Atoll::measure {
namespace {

/// Rounds to four digits: more would be noise.
double four_digits(double value) {
  return std::strtod(fmt::format("{:.3e}", value).c_str(), nullptr);
}

/// Raises the bandwidth of the links on a route to the measured one, whatever their former source.
void widen_wires(Machine::Data& data, const std::pair<NodeId, NodeId>& pair) {
  if (data.hardware.wires.empty()) return;
  const detail::Routes routes(data);
  const Figure& read = data.links.at(pair).read_bytes_per_second;
  for (const detail::Hop& hop :
       routes.find(pair.second, pair.first).value_or(std::vector<detail::Hop>{})) {
    Figure& wire = data.hardware.wires[hop.wire].bytes_per_second;
    if (wire.value < read.value) wire = read;
  }
}

}  // namespace

Machine with_measured(const Machine& machine,
                      const std::map<std::pair<NodeId, NodeId>, MeasuredPair>& pairs) {
  Machine::Data data = machine.data();
  for (const auto& entry : pairs) {
    const MeasuredPair& measured = entry.second;
    Link& link = data.links.at(entry.first);
    link.latency_ns = {four_digits(measured.figures.latency_ns),
                       {Origin::measured, "pointer chase through " + measured.buffer}};
    link.by_threads.clear();
    for (const PairFigures::Row& row : measured.figures.rows) {
      const auto figure = [&](Kernel kernel) {
        return Figure{
            four_digits(row.bytes_per_second[static_cast<int>(kernel)]),
            {Origin::measured, "best pass over " + measured.buffer + ", threads one a core"}};
      };
      link.by_threads.push_back(
          {row.threads, figure(Kernel::read), figure(Kernel::write), figure(Kernel::copy)});
    }
    // The maximum over all thread counts: fewer threads get more only if other programs disturbed
    // the larger counts.
    link.read_bytes_per_second = link.by_threads.back().read_bytes_per_second;
    link.write_bytes_per_second = link.by_threads.back().write_bytes_per_second;
    for (const ThreadsBandwidth& row : link.by_threads) {
      const auto keep_most = [](Figure& most, const Figure& figure) {
        if (figure.value > most.value) most = figure;
      };
      keep_most(link.read_bytes_per_second, row.read_bytes_per_second);
      keep_most(link.write_bytes_per_second, row.write_bytes_per_second);
    }
  }
  for (const auto& entry : pairs) widen_wires(data, entry.first);
  return Machine(std::move(data), machine.name());
}

}  // namespace Atoll::measure
