// Formats plots, tables and text for summaries.
#include "cli/profile_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"

namespace Atoll::cli {
namespace {

using profile::ExclusivityGrid;

constexpr std::array kShades{" ", "░", "▒", "▓", "█"};

/// Returns a cell's shade. Any value above zero has at least the lightest shade.
const char* shade(double value, double scale) {
  if (value <= 0 || scale <= 0) return kShades[0];
  const double step = std::ceil(4 * value / scale - 1e-9);
  return kShades.at(static_cast<std::size_t>(std::clamp(step, 1.0, 4.0)));
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80; }));
}

/// Returns the byte offset at which a column begins.
std::size_t byte_at(std::string_view text, std::size_t column) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80) continue;
    if (column-- == 0) break;
  }
  return at;
}

}  // namespace

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string printable(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F
      result += '?';
      ++i;
    } else {
      result += byte < 0x20 || byte == 0x7f ? '?' : text[i];
    }
  }
  return result;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  if (count != 1 && many.empty()) return fmt::format("{} {}s", format_count(count), one);
  return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

double heat_scale(const profile::CommunicationMatrix& matrix, std::size_t most_cells) {
  const profile::CommunicationMatrix cells = matrix.binned(most_cells);
  double scale = 0;
  for (std::size_t i = 0; i < cells.threads(); ++i)
    for (std::size_t j = 0; j <= i; ++j) scale = std::max(scale, cells.at(i, j));
  return scale;
}

Lines heat_map(const profile::CommunicationMatrix& matrix, double scale, std::size_t most_cells) {
  const profile::CommunicationMatrix cells = matrix.binned(most_cells);
  Lines lines;
  for (std::size_t i = 0; i < cells.threads(); ++i) {
    std::string line;
    for (std::size_t j = 0; j < cells.threads(); ++j)
      for (int twice = 0; twice < 2; ++twice) line += shade(cells.at(i, j), scale);
    lines.push_back(std::move(line));
  }
  return lines;
}

double exclusivity_scale(const ExclusivityGrid& grid) {
  std::uint64_t most = 0;
  for (const auto& node : grid.cells) most = std::max(most, std::ranges::max(node));
  return std::log2(static_cast<double>(most) + 1);
}

Lines exclusivity_plot(const profile::Summary& summary, double decades, double scale) {
  constexpr std::size_t kColumns = ExclusivityGrid::kColumns, kRows = ExclusivityGrid::kRows;
  const std::size_t nodes = std::min<std::size_t>(summary.grid.cells.size(), 4);
  const double all = summary.outcome(profile::Mapping::os).all();
  Lines lines;
  // The axis' name is to the left of the first node's title.
  std::string head = fmt::format("  {:<9}", summary.counted_as.many);
  for (std::size_t node = 0; node < nodes; ++node)
    head += fmt::format(
        "{:<{}} ",
        // for samples, a single node's share has no known confidence
        fmt::format("node {}{}", summary.places.nodes[node].value,
                    summary.intervals
                        ? ""
                        : ": " + percent(all == 0 ? 0 : summary.outcomes[0].loads[node] / all)),
        kColumns);
  lines.push_back(head);
  for (std::size_t row = kRows; row-- > 0;) {
    const double height = decades * static_cast<double>(row + 1) / kRows;
    std::string line =
        fmt::format("  {:>8} ", row % 2 == 1 ? fmt::format("{:.0e}", std::pow(10, height)) : "");
    for (std::size_t node = 0; node < nodes; ++node) {
      line += "│";
      for (std::size_t column = 0; column < kColumns; ++column)
        line += shade(
            std::log2(static_cast<double>(summary.grid.cells[node][row * kColumns + column]) + 1),
            scale);
    }
    lines.push_back(line);
  }
  const std::string least =
      percent(1 / static_cast<double>(std::max<std::size_t>(1, summary.places.nodes.size())));
  std::string axis = "           ";
  for (std::size_t node = 0; node < nodes; ++node)
    axis += fmt::format("└{:─<6}{:─>10}", least, "100 %");
  lines.push_back(axis);
  if (nodes < summary.grid.cells.size())
    lines.push_back(
        fmt::format("  and {} nodes more: --json has all", summary.grid.cells.size() - nodes));
  return lines;
}

Lines beside(const Lines& left, const Lines& right, std::size_t column) {
  Lines lines;
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string line = i < left.size() ? left[i] : "";
    if (i < right.size() && !right[i].empty()) {
      line.append(column - std::min(column, columns(line)), ' ');
      line += right[i];
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string fit(const std::string& text, std::size_t width) {
  const std::size_t length = columns(text);
  if (length <= width) return text;
  if (width < 3) return text.substr(0, byte_at(text, width));
  const std::size_t head = (width - 1) / 2, tail = width - 1 - head;
  return text.substr(0, byte_at(text, head)) + "…" + text.substr(byte_at(text, length - tail));
}

Lines wrap(const std::string& text, std::size_t indent, std::size_t width) {
  Lines lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    if (text.compare(end, 2, " %") == 0)  // keeps the sign with its number
      end = std::min(text.find(' ', end + 1), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(line);
      line = std::string(indent, ' ') + word;
    } else {
      line += (at == 0 ? "" : " ") + word;
    }
    at = end + 1;
  }
  lines.push_back(line);
  return lines;
}

std::string quoted(const std::string& word) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

std::string command_to_plan(const std::string& profile, const std::string& machine) {
  std::string command = "atoll advise " + quoted(profile);
  if (!machine.empty()) command += " --machine " + quoted(machine);
  return command + " -o plan.json";
}

std::string command_to_run(const std::string& plan, const std::vector<std::string>& command) {
  std::string line = "atoll run --plan " + quoted(plan) + " --";
  for (const std::string& word : command) line += " " + quoted(word);
  return line;
}

OpenProfile::OpenProfile(const std::string& path, const std::string& what)
    : profile(profile::load(path)), machine(profile::machine_to_analyse(what)) {
  if (what.empty() && !profile::recorded_on(profile, Machine::this_computer()))
    note(
        fmt::format("{} was recorded on another machine; it is shown for {}: --machine names "
                    "another one",
                    path, machine.name()));
}

}  // namespace Atoll::cli
