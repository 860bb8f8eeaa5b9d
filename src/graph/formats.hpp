// The formats of graphs: how each is told, read and written, and which options of `atoll graph` it
// takes. A new format is a row here, and a file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/load_text.hpp"

namespace Atoll::graph {

struct Format {
  std::string_view name;    ///< "a Matrix Market file"
  std::string_view ending;  ///< of files that are written so
  bool (*is)(std::string_view head, const TextOptions& options);
  /// Nothing where the file is mapped instead.
  ParsedText (*parse)(TextReader& reader, const Team& team, const TextRequest& request);
  /// Nothing where it is only read.
  void (*write)(const Graph& graph, const std::string& path);
  bool labels;                            ///< it can be written with labels
  std::vector<std::string_view> options;  ///< that say how it is read
};

/// In the order in which they are tried; the last one is anything.
[[nodiscard]] std::span<const Format> formats();
/// Of a file that begins so.
[[nodiscard]] const Format& format_of(std::string_view head, const TextOptions& options);
/// Of a file to write, by the end of its name; Atoll's own where that says nothing.
[[nodiscard]] const Format& format_to_write(std::string_view path);
/// Throws Error (input) for an option given that the format doesn't take.
void check_options(const Format& format, const TextOptions& options, const std::string& where);

}  // namespace Atoll::graph
