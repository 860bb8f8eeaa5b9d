// First line of a file of /sys or /proc.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace Atoll::recording::sample {

/// Returns the line without blanks at its end; empty if the file can't be read.
inline std::optional<std::string> first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
  return line;
}

}  // namespace Atoll::recording::sample
