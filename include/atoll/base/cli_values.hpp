// Values of options, for programs that read their command line with CLI11: numbers are read
// strictly, and no value is empty. The library itself doesn't use CLI11. CLI11's own checks let
// NaN pass, wrap -1 round to 2^64 - 1, saturate and read 010 as 8.
#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/base/numbers.hpp"

namespace Atoll::value {

namespace detail {

/// Writes a bound of a range as short as it can be.
inline std::string bound_text(double bound) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", bound);
  return text;
}

template <class Whole>
CLI::Validator whole_from_to(Whole least, Whole most) {
  return {[least, most](const std::string& text) -> std::string {
            const auto number = parse_whole<Whole>(text);
            const std::size_t digit = text.starts_with('-') ? 1 : 0;
            const bool octal = text.size() > digit + 1 && text[digit] == '0';
            if (number && *number >= least && *number <= most && !octal) return "";
            return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most) + (octal ? " without leading zeros" : "");
          },
          ""};
}

}  // namespace detail

/// Accepts whole numbers from `least` to `most`.
inline CLI::Validator count(std::uint64_t least,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  return detail::whole_from_to(least, most);
}
/// Accepts whole numbers from `least` to `most`, which may be negative.
inline CLI::Validator signed_count(std::int64_t least, std::int64_t most) {
  return detail::whole_from_to(least, most);
}

/// Accepts numbers from `least` to `most`. NaN and infinities are refused.
inline CLI::Validator real(double least, double most) {
  return {[least, most](const std::string& text) -> std::string {
            const auto number = parse_real(text);
            if (number && *number >= least && *number <= most) return "";
            return "'" + text + "' is not a number from " + detail::bound_text(least) + " to " +
                   detail::bound_text(most);
          },
          ""};
}
/// Accepts numbers above 0, up to `most`. NaN and infinities are refused.
inline CLI::Validator positive(double most = std::numeric_limits<double>::max()) {
  return {[most](const std::string& text) -> std::string {
            const auto number = parse_real(text);
            if (number && *number > 0 && *number <= most) return "";
            return "'" + text + "' is not a number above 0" +
                   (most == std::numeric_limits<double>::max()
                        ? std::string()
                        : ", up to " + detail::bound_text(most));
          },
          ""};
}

/// Refuses an empty value: it is probably an unset variable of a script.
inline CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? "the value is empty" : ""; }, ""};
}

/// Refuses empty values of all options of `app` and of its subcommands, before other checks. Words
/// of a list of arguments, such as a command's, may be empty.
inline void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    const bool is_list_of_words = option->get_positional() && option->get_items_expected_max() > 1;
    if (option->get_items_expected_max() > 0 && !is_list_of_words) option->transform(not_empty());
  }
  for (CLI::App* const verb : app.get_subcommands([](CLI::App*) { return true; }))
    refuse_empty_values(*verb);
}

/// Parses a call whose options all have been added. Throws CLI::ParseError, also for values that
/// are empty. An unknown option is reported before anything that is missing.
inline void parse_call(CLI::App& app, int argc, char** argv) {
  refuse_empty_values(app);
  // CLI11 would take the next word as the value of "--name=".
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw CLI::ValidationError(std::string(word.substr(0, word.size() - 1)),
                                 "the value is empty");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError&) {
    std::vector<std::string> unknown = app.remaining(true);
    std::erase_if(unknown,
                  [](const std::string& word) { return word.size() < 2 || word[0] != '-'; });
    std::erase(unknown, "--");
    if (!unknown.empty()) throw CLI::ExtrasError(std::move(unknown));
    throw;
  }
}

}  // namespace Atoll::value
