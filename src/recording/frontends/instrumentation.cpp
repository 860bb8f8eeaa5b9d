#include "recording/frontends/instrumentation.hpp"

#include <string_view>

#include "process/linkage.hpp"

namespace Atoll::recording {

Instrumentation instrumentation_of(const std::string& program) {
  Instrumentation found;
  process::visit_linkage(
      program,
      {.needed =
           [&](std::string_view library) {
             found.by_us = found.by_us || library == "libatoll-record.so";
           },
       .symbol = [&](std::string_view name,
                     bool) { found.by_tsan = found.by_tsan || name.starts_with("__tsan_"); }});
  return found;
}

}  // namespace Atoll::recording
