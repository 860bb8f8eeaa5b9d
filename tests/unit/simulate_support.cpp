#include "simulate_support.hpp"

#include <type_traits>
#include <utility>

#include "simulate/invariants.hpp"

namespace Atoll::simulate {

void append(Batch& batch, const TestRecord& record) {
  constexpr std::uint8_t kStyle = 1;
  const auto* const access = std::get_if<StyledAccess>(&record);
  if (access == nullptr)
    return std::visit(
        [&](const auto& other) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(other)>, StyledAccess>)
            batch.add(other);
        },
        record);
  if (batch.styles().empty() || batch.styles().back().style != access->style)
    batch.define(kStyle, access->style);
  batch.add(recording::Access{
      .address = access->address, .bytes = access->bytes, .write = access->write, .style = kStyle});
}

SyntheticProgram::Next executes(std::vector<TestRecord> records) {
  return [records = std::move(records), done = false](Batch& batch) mutable {
    if (std::exchange(done, true)) return false;
    for (const TestRecord& record : records) append(batch, record);
    return true;
  };
}

Ran run(const SmallMachine& machine, SyntheticProgram& program, std::vector<std::uint32_t> seat_of,
        Windows* windows) {
  std::vector<std::uint16_t> memories;
  for (std::uint32_t node = 0; node < machine.timing.machine.nodes; ++node)
    memories.push_back(static_cast<std::uint16_t>(node));
  Pages pages(memories, machine.shape.line_bits);
  Engine::Options options;
  options.hw_threads = machine.hw_threads;
  options.windows = windows;
  for (std::uint32_t thread = 0; thread < program.threads.size(); ++thread)
    options.threads.push_back({0, seat_of.empty() ? thread : seat_of[thread], true});
  Engine engine(machine.shape, machine.timing, pages, program, options);
  Ran ran{engine.run(), {}, {}, {}, engine.network().traffic(), 0, {}};
  for (const Queue& queue : engine.network().controllers())
    ran.controllers.push_back(queue.totals());
  for (const Queue& queue : engine.network().wires()) ran.wires.push_back(queue.totals());
  for (const Queue& queue : engine.network().homes()) ran.homes.push_back(queue.totals());
  ran.ns = static_cast<double>(ran.result.elapsed) / kTicksOfNanosecond;
  ran.violated_invariants = violated_invariants(engine, machine.timing, ran.result);
  return ran;
}

}  // namespace Atoll::simulate
