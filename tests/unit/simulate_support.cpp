#include "simulate_support.hpp"

#include <gtest/gtest.h>

namespace Atoll::simulate {

void check_laws(const Engine& engine, const EngineResult& result, const Ran& ran) {
  // Stacks add up.
  EXPECT_EQ(result.stack.sum(), result.thread_time);
  // What crosses controllers is what the matrix has.
  std::uint64_t of_matrix = 0, of_controllers = 0;
  for (const std::uint64_t bytes : ran.traffic) of_matrix += bytes;
  for (const QueueTotals& queue : ran.controllers) of_controllers += queue.bytes;
  EXPECT_EQ(of_matrix, of_controllers);
  for (const auto* const queues : {&ran.controllers, &ran.wires, &ran.homes})
    for (const QueueTotals& queue : *queues) {
      EXPECT_EQ(queue.area, queue.waited + queue.busy);  // Little's law
      EXPECT_EQ(queue.charged, queue.waited);
    }
  for (const CamatSums& level : result.camat) {
    EXPECT_EQ(level.active, level.hit_active + level.pure_miss_active);
    EXPECT_NEAR(level.camat(), level.camat_of_five(), 1e-6 * level.camat());
  }
  (void)engine;
}

Ran run(const SmallMachine& machine, MadeProgram& program, std::vector<std::uint32_t> seat_of) {
  std::vector<std::uint16_t> memories;
  for (std::uint32_t node = 0; node < machine.timing.nodes; ++node)
    memories.push_back(static_cast<std::uint16_t>(node));
  Pages pages(memories, machine.shape.line_bits);
  Engine::Options options;
  options.seats = machine.seats;
  for (std::uint32_t thread = 0; thread < program.threads.size(); ++thread)
    options.threads.push_back({0, seat_of.empty() ? thread : seat_of[thread], true});
  Engine engine(machine.shape, machine.timing, pages, program, options);
  Ran ran{engine.run(), {}, {}, {}, engine.network().traffic(), 0};
  for (const Queue& queue : engine.network().controllers()) ran.controllers.push_back(queue.totals());
  for (const Queue& queue : engine.network().wires()) ran.wires.push_back(queue.totals());
  for (const Queue& queue : engine.network().homes()) ran.homes.push_back(queue.totals());
  ran.ns = static_cast<double>(ran.result.elapsed) / kTicksOfNanosecond;
  check_laws(engine, ran.result, ran);
  return ran;
}

}  // namespace Atoll::simulate
