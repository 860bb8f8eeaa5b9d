// Shows a profile's summary on a terminal of 80 columns, for `report` and `diff`.
#pragma once

#include <string>
#include <vector>

#include "profile/by.hpp"
#include "profile/summary.hpp"

namespace Atoll::cli {

using Lines = std::vector<std::string>;

/// Returns "62 %".
[[nodiscard]] std::string percent(double share);
/// Returns the text as a terminal shows it: control characters, which could drive it, become "?".
[[nodiscard]] std::string printable(const std::string& text);
/// Returns "1 page", "2,000 pages".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one,
                                  std::string_view many = {});
/// Returns the matrix in unicode shades, two characters for each cell; full black is `scale`.
[[nodiscard]] Lines heat_map(const profile::CommunicationMatrix& matrix, double scale,
                             std::size_t most_cells);
/// Returns the highest cell of what heat_map would show.
[[nodiscard]] double heat_scale(const profile::CommunicationMatrix& matrix, std::size_t most_cells);
/// Returns the paper's Figure 2, the nodes beside each other; full black is `scale` pages.
[[nodiscard]] Lines exclusivity_plot(const profile::Summary& summary, double decades, double scale);
[[nodiscard]] double exclusivity_scale(const profile::ExclusivityGrid& grid);
/// Puts `right` beside `left`, from `column` on.
[[nodiscard]] Lines beside(const Lines& left, const Lines& right, std::size_t column);
/// Cuts the text in the middle so that it fits.
[[nodiscard]] std::string fit(const std::string& text, std::size_t width);
/// Breaks the text between words; all lines but the first begin with `indent` spaces.
[[nodiscard]] Lines wrap(const std::string& text, std::size_t indent, std::size_t width = 80);

/// Returns all of `atoll report`; `next` is the command to call next.
[[nodiscard]] Lines report_text(const profile::Summary& summary, const std::string& path,
                                const std::string& next);

/// Returns all of `atoll report --by`.
[[nodiscard]] Lines by_text(profile::By by, const std::vector<profile::ByRow>& rows,
                            const profile::Summary& summary);

/// Loads a profile and opens the machine that --machine names. Notes if the profile is another
/// machine's and --machine wasn't given.
struct OpenProfile {
  OpenProfile(const std::string& path, const std::string& machine);
  profile::Profile profile;
  Machine machine;
};
/// Returns a word for the shell, quoted if needed.
[[nodiscard]] std::string quoted(const std::string& word);
/// Returns the command that writes the advice for a profile as plan.json, for --machine as given.
[[nodiscard]] std::string command_to_plan(const std::string& profile, const std::string& machine);
/// Returns the command that runs `command` with a plan.
[[nodiscard]] std::string command_to_run(const std::string& plan,
                                         const std::vector<std::string>& command);

}  // namespace Atoll::cli
