// Opens a text, packed or not.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/threads/team.hpp"
#include "graph/load_file.hpp"
#include "graph/packed.hpp"
#include "graph/unpacker.hpp"

namespace Atoll::graph {

/// Calls body(source) with the file, or with its single member if it is packed.
template <class Body>
auto with_source(InputFile& file, const Team& team, Body&& body) {
  if (!is_packed(file.peek(kPackedHeadBytes))) return body(static_cast<ByteSource&>(file));
  const auto unpacked = unpack(file, team);
  const std::string_view head = unpacked->peek(kPackedHeadBytes);
  if (is_packed(head) || is_graph_file(head))
    throw Error::input(unpacked->name(),
                       is_packed(head) ? "packed more than once"
                                       : "a graph file must be mapped, and this one is packed",
                       "unpack it by hand first");
  try {
    return body(static_cast<ByteSource&>(*unpacked));
  } catch (const Error&) {
    unpacked->refuse_other_files();
    throw;
  }
}

}  // namespace Atoll::graph
