// Formats a profile's summary for a terminal of 80 columns, for `report` and `diff`.
#pragma once

#include <string>
#include <vector>

#include "profile/summary.hpp"
#include "profile/traffic_groups.hpp"

namespace Atoll::cli {

using Lines = std::vector<std::string>;

/// Returns text such as "62 %".
[[nodiscard]] std::string percent(double share);
/// Returns the text with control characters, which a terminal would interpret, replaced by "?".
[[nodiscard]] std::string printable(const std::string& text);
/// Returns text such as "1 page" or "2,000 pages".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one,
                                  std::string_view many = {});
/// Returns the matrix in Unicode shades, two characters per cell. `scale` is the value of full
/// black.
[[nodiscard]] Lines heat_map(const profile::CommunicationMatrix& matrix, double scale,
                             std::size_t most_cells);
/// Returns the highest value of a cell in heat_map().
[[nodiscard]] double heat_scale(const profile::CommunicationMatrix& matrix, std::size_t most_cells);
/// Returns the paper's Figure 2 with the nodes side by side. `scale` is the number of pages of full
/// black.
[[nodiscard]] Lines exclusivity_plot(const profile::Summary& summary, double decades, double scale);
[[nodiscard]] double exclusivity_scale(const profile::ExclusivityGrid& grid);
/// Places `right` next to `left`, starting at `column`.
[[nodiscard]] Lines beside(const Lines& left, const Lines& right, std::size_t column);
/// Shortens the text in the middle to at most `width` columns.
[[nodiscard]] std::string fit(const std::string& text, std::size_t width);
/// Wraps the text between words; all lines but the first are indented by `indent` spaces.
[[nodiscard]] Lines wrap(const std::string& text, std::size_t indent, std::size_t width = 80);

/// Returns the output of `atoll report`. `next` is the command that the report recommends.
[[nodiscard]] Lines report_text(const profile::Summary& summary, const std::string& path,
                                const std::string& next);

/// Returns the output of `atoll report --by`.
[[nodiscard]] Lines traffic_groups_text(profile::GroupKey by,
                                        const std::vector<profile::TrafficGroup>& rows,
                                        const profile::Summary& summary);

/// Loads a profile, and opens the machine that --machine names. Prints a note if the profile was
/// recorded on another machine and --machine is missing.
struct OpenProfile {
  OpenProfile(const std::string& path, const std::string& machine);
  profile::Profile profile;
  Machine machine;
};
/// Returns a word quoted for the shell, if necessary.
[[nodiscard]] std::string quoted(const std::string& word);
/// Returns the command that writes a profile's advice to plan.json, with the given --machine.
[[nodiscard]] std::string command_to_plan(const std::string& profile, const std::string& machine);
/// Returns the command line that runs `command` with a plan.
[[nodiscard]] std::string command_to_run(const std::string& plan,
                                         const std::vector<std::string>& command);

}  // namespace Atoll::cli
