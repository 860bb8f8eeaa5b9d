// Counts pages by epoch from each page's bit mask of epochs.
#include "profile/footprint.hpp"

namespace Atoll::profile {
namespace {

void add(std::vector<std::uint64_t>& to, std::uint64_t epochs) {
  for (std::size_t epoch = 0; epoch < to.size(); ++epoch) to[epoch] += epochs >> epoch & 1U;
}

}  // namespace

Footprint footprint(const PagesByNode& pages, int epochs, std::size_t objects) {
  Footprint result{.program = std::vector<std::uint64_t>(static_cast<std::size_t>(epochs))};
  result.of_objects.assign(objects, result.program);
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) {
    add(result.program, pages.rows[row].epochs);
    for (std::size_t part = row; part < pages.page_end(row); ++part)
      add(result.of_objects[pages.rows[part].object], pages.rows[part].epochs);
  }
  return result;
}

}  // namespace Atoll::profile
