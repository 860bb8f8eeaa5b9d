// Reports an array's name in the program to a recorder, for its reports.
#pragma once

#include <cstdint>
#include <string>

#include "atoll/array/raw_array.hpp"

#include "atoll/marks/run_time.hpp"

namespace Atoll::program {

/// Call it before the array's pages are touched, because a simulator may place them by name.
inline void name_memory(const RawArray& array, const std::string& name) {
  if (atoll_memory_name == nullptr) return;
  for (std::size_t copy = 0; copy < array.copies(); ++copy)
    atoll_memory_name(array.block(copy).data(), array.bytes(), name.c_str());
}

}  // namespace Atoll::program
