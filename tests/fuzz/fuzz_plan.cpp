// Fuzzes plans of programs. Either a one-line Error (input) is thrown, or the plan is unchanged
// after writing and reading.
#include <cstdint>
#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/plan/program_plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace Atoll;
  const auto require = [](bool condition) {
    if (!condition) __builtin_trap();
  };
  try {
    const ProgramPlan plan =
        plan_from_json({reinterpret_cast<const char*>(data), size}, "plan.json");
    require(plan_from_json(to_json(plan), "written") == plan);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    require(error.kind() == Error::Kind::input && message.starts_with("plan.json") &&
            message.find('\n') == std::string_view::npos);
  }
  return 0;
}
