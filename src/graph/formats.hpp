// The formats of graphs: how each is recognised, read and written, and which options of `atoll
// graph` it takes. A new format is a row here, and a file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/load_text.hpp"

namespace Atoll::graph {

struct Format {
  std::string_view name;    ///< "a Matrix Market file"
  std::string_view ending;  ///< how names of files end that are written so
  /// By its first kTextHeadBytes bytes, its file's name, and what a person says of it.
  bool (*is)(std::string_view head, std::string_view name, const TextOptions& options);
  /// Null if the file is mapped instead.
  ParsedText (*parse)(TextReader& reader, const Team& team, const TextRequest& request);
  /// Null if the format is only read.
  void (*write)(const Graph& graph, const std::string& path);
  bool labels;                            ///< true if it can be written with labels
  std::vector<std::string_view> options;  ///< options that say how it is read
};

/// The formats in the order in which they are tried; the last one takes any file.
[[nodiscard]] std::span<const Format> formats();
/// The format of a file of that name that begins so.
[[nodiscard]] const Format& format_of(std::string_view head, std::string_view name,
                                      const TextOptions& options);
/// The format of a file to write, by the end of its name: an edge list for "-", standard output,
/// and Atoll's own if the name says nothing.
[[nodiscard]] const Format& format_to_write(std::string_view path);
/// Throws Error (input) for an option given that the format doesn't take.
void check_options(const Format& format, const TextOptions& options, const std::string& where);

}  // namespace Atoll::graph
