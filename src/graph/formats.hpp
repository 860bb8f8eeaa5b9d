// The graph formats: recognition, parser, writer, and the options of `atoll graph` that apply. To
// add a format, add a row here and a file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/load_text.hpp"

namespace Atoll::graph {

struct Format {
  std::string_view name;    ///< "a Matrix Market file"
  std::string_view ending;  ///< file name ending of this format
  /// Recognises the format by the first kTextHeadBytes bytes, the file's name and the given
  /// options.
  bool (*is)(std::string_view head, std::string_view name, const TextOptions& options);
  /// Null if the file is mapped instead of parsed.
  ParsedText (*parse)(TextReader& reader, const Team& team, const TextRequest& request);
  /// Null if the format can't be written.
  void (*write)(const Graph& graph, const std::string& path);
  bool labels;                            ///< true if it can store labels
  std::vector<std::string_view> options;  ///< options that apply to reading it
};

/// The formats in the order in which they are tried. The last one accepts any file.
[[nodiscard]] std::span<const Format> formats();
/// The format of a file with this name and these first bytes.
[[nodiscard]] const Format& format_of(std::string_view head, std::string_view name,
                                      const TextOptions& options);
/// The format for writing, chosen by the end of the name. "-" (standard output) is an edge list; a
/// name without a known ending is Atoll's own format.
[[nodiscard]] const Format& format_to_write(std::string_view path);
/// Throws Error (input) if an option was given that doesn't apply to the format.
void check_options(const Format& format, const TextOptions& options, const std::string& where);

}  // namespace Atoll::graph
