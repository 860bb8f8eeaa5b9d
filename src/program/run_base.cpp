// Looks up a run's data by name for generated code. An unknown name is a bug of the compiler.
#include <algorithm>
#include <cassert>

#include "atoll/program/program.hpp"

namespace Atoll::program {

Scalar RunBase::scalar(std::string_view name) const {
  const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                  [&](const auto& argument) { return argument.first == name; });
  assert(found != arguments_.end());
  return found->second;
}

void RunBase::output(std::string_view name, Scalar value) {
  const auto found = std::find_if(outputs_.begin(), outputs_.end(),
                                  [&](const auto& known) { return known.first == name; });
  if (found == outputs_.end())
    outputs_.emplace_back(name, value);
  else
    found->second = value;
}

void RunBase::trip_count(std::string_view symbol, std::uint64_t count) {
  const auto found = std::find_if(trip_counts_.begin(), trip_counts_.end(),
                                  [&](const auto& known) { return known.first == symbol; });
  if (found == trip_counts_.end())
    trip_counts_.emplace_back(symbol, count);
  else
    found->second += count;
}

}  // namespace Atoll::program
