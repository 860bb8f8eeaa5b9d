// Makes the row of a core model (core_models.hpp).
#pragma once

#include <memory>
#include <string_view>

#include "simulate/core_executor.hpp"
#include "simulate/core_executor_loops.hpp"
#include "simulate/core_models.hpp"

namespace Atoll::simulate {

/// `Core`: as in CoreExecutor.
template <class Core>
constexpr CoreModelRow core_model_row(std::string_view name) {
  return {name,
          [](const Executor::Parts& parts) -> std::unique_ptr<Executor> {
            return std::make_unique<CoreExecutor<Core>>(parts);
          },
          [](const Timing& timing, Network& network, std::uint32_t node,
             std::size_t objects) -> std::unique_ptr<CoreModel> {
            return std::make_unique<Core>(timing, network, node, objects);
          }};
}

}  // namespace Atoll::simulate
