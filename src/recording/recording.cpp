// Kinds of objects.
#include "atoll/recording/recording.hpp"

#include <bit>

namespace Atoll::recording {
std::string_view to_string(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::heap:
      return "heap";
    case ObjectKind::pool:
      return "pool";
    case ObjectKind::global:
      return "global";
    case ObjectKind::stack:
      return "stack";
    case ObjectKind::mapping:
      return "mapping";
    case ObjectKind::other:
      break;
  }
  return "other";
}

std::uint32_t main_object(std::span<const ObjectLines> lines) {
  std::uint32_t most = kNone;
  int words = 0;
  for (const ObjectLines& part : lines)
    if (const int own = (part.end_line - part.first_line) * std::popcount(part.words);
        own > words) {
      words = own;
      most = part.object;
    }
  return most;
}

}  // namespace Atoll::recording
