// Checks row begins of compressed sparse rows.
#include "plan/row_begins.hpp"

#include <string>

#include "atoll/base/error.hpp"

namespace Atoll::detail {

void check_begins(std::span<const std::uint64_t> begins, std::uint64_t entries,
                  std::string_view where, std::string_view row) {
  const std::string name(row);
  if (begins.empty() || begins.front() != 0)
    throw Error::input(where, "doesn't begin with 0 at its first " + name);
  for (std::size_t i = 1; i < begins.size(); ++i)
    if (begins[i] < begins[i - 1])
      throw Error::input(where, name + " " + std::to_string(i - 1) + " ends before it begins");
  if (begins.back() != entries)
    throw Error::input(where, "has " + std::to_string(entries) + " entries, but its rows (one a " +
                                  name + ") end at " + std::to_string(begins.back()));
}

}  // namespace Atoll::detail
