// Fuzzes machine files, including hardware and wires. Either a one-line Error (input) is thrown, or
// the machine is unchanged after writing and reading, and can be simulated or says why not.
#include <cstdint>
#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/machine/machine.hpp"
#include "simulate/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace Atoll;
  const auto require = [](bool condition) {
    if (!condition) __builtin_trap();
  };
  const auto is_input = [](const Error& error) {
    return error.kind() == Error::Kind::input &&
           std::string_view(error.what()).find('\n') == std::string_view::npos;
  };
  try {
    const Machine machine =
        Machine::from_json({reinterpret_cast<const char*>(data), size}, "machine.json");
    require(Machine::from_json(machine.to_json(), "written") == machine);
    try {
      const simulate::Model model = simulate::model_of(machine);
      const simulate::Timing timing = simulate::timing_of(machine, simulate::figures_of(machine));
      require(model.hw_threads.size() == machine.processors().size());
      require(timing.machine.wire.size() == model.wires.size());
      require(timing.machine.memory_side.size() == model.shape.memory_side.size());
      for (std::size_t i = 0; i < timing.machine.memory_side.size(); ++i) {
        const simulate::MemorySideShape& side = model.shape.memory_side[i];
        require((side.cache.entries == 0) == (timing.machine.memory_side[i].line == 0));
        require(side.cache.entries % side.cache.ways == 0);
      }
    } catch (const Error& error) {
      require(is_input(error));
    }
  } catch (const Error& error) {
    require(is_input(error) && std::string_view(error.what()).starts_with("machine.json"));
  }
  return 0;
}
