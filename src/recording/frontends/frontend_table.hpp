// Table of front ends, and the choice among them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recording/frontends/frontend.hpp"

namespace Atoll::recording {

/// Returns the rows, the preferred front end first.
[[nodiscard]] std::span<const FrontendRow* const> frontends();
[[nodiscard]] const FrontendRow& row_of(FrontendName name);

/// Returns the words of the front ends, as a user writes them. Without `with_samples`, only of
/// those that record every access.
[[nodiscard]] std::vector<std::string_view> frontend_words(bool with_samples);
/// Joins words as in "compiled, gcc or dbi".
[[nodiscard]] std::string alternatives(const std::vector<std::string_view>& words);

struct ChosenFrontend {
  const FrontendRow& row;
  std::string reason;
  /// If only sampling can watch the program: the reason why the others can't.
  std::string missing = {};
};
/// Returns the requested front end. If none is requested, returns the first that can watch the
/// program. Throws Error (input) if the front end can't watch it.
[[nodiscard]] ChosenFrontend choose_frontend(std::optional<FrontendName> requested,
                                             const std::string& program,
                                             const std::string& libraries);

}  // namespace Atoll::recording
