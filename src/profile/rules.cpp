#include "profile/rules.hpp"

namespace Atoll::profile {

std::string_view to_string(Action action) {
  static constexpr std::array<std::string_view, 7> kWords{
      "map threads", "locality", "balance", "interleave", "annotate", "pad", "nothing"};
  return kWords.at(static_cast<std::size_t>(action));
}

}  // namespace Atoll::profile
