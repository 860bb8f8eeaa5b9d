#include "simulate/core_models.hpp"

#include <array>

#include "simulate/core_model_row.hpp"
#include "simulate/interval_core.hpp"

namespace Atoll::simulate {
namespace {

constexpr std::array kModels{core_model_row<IntervalCore>("interval")};

}  // namespace

std::span<const CoreModelRow> core_models() {
  return kModels;
}

}  // namespace Atoll::simulate
