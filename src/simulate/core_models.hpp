// Core models that runs may use. A new kind of processor needs a class derived from CoreModel in a
// file of its own, and a row in core_models.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "simulate/core_model.hpp"
#include "simulate/executor.hpp"
#include "simulate/network.hpp"
#include "simulate/timing.hpp"

namespace Atoll::simulate {

struct CoreModelRow {
  std::string_view name;
  /// Returns an executor whose threads run on such cores.
  std::unique_ptr<Executor> (*executor)(const Executor::Parts& parts);
  /// Returns one core. All references must outlive it.
  std::unique_ptr<CoreModel> (*core)(const Timing& timing, Network& network, std::uint32_t node,
                                     std::size_t objects);
};

/// All models; the first one is the default.
[[nodiscard]] std::span<const CoreModelRow> core_models();

}  // namespace Atoll::simulate
