// Tells a recorder how a program calls an array, so that reports name it so.
#pragma once

#include <cstdint>
#include <string>

#include "atoll/array/raw_array.hpp"

// What a recorder defines (trace/inside/marks_api.cpp).
extern "C" void atoll_memory_name(const void* begin, std::uint64_t bytes, const char* name)
    __attribute__((weak));

namespace Atoll::program {

/// Call it before the array's pages are touched: a simulator may place them by the name.
inline void name_memory(const RawArray& array, const std::string& name) {
  if (atoll_memory_name == nullptr) return;
  for (std::size_t copy = 0; copy < array.copies(); ++copy)
    atoll_memory_name(array.block(copy).data(), array.bytes(), name.c_str());
}

}  // namespace Atoll::program
