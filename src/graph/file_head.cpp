// Reads and checks the head of a graph file: see docs/graph-file.md.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "atoll/base/error.hpp"
#include "graph/buckets.hpp"
#include "graph/file_format.hpp"
#include "graph/load_file.hpp"

namespace Atoll::graph {
namespace {

void check(const FileHead& head, const InputFile& file) {
  const auto refuse = [&](std::string_view what, std::string_view way_out = kDamaged) {
    return Error::input(file.name(), what, way_out);
  };
  if (head.byte_order == __builtin_bswap32(kByteOrder))
    throw refuse("written in the other byte order", "convert it again on this machine");
  if (head.version < kVersion || head.version > kVersionWithWholeValues)
    throw refuse(fmt::format("version {} of the file, and this Atoll reads versions {} to {}",
                             head.version, kVersion, kVersionWithWholeValues),
                 "convert it again with this Atoll");
  if (head.checksum != head_checksum(head)) throw refuse("the head's checksum is wrong");
  if (head.file_bytes != file.bytes())
    throw refuse(fmt::format("{} bytes instead of {}", file.bytes(), head.file_bytes));
  const auto is_width = [](std::uint32_t bytes) { return bytes == 4 || bytes == 8; };
  if (!is_width(head.node_bytes) || !is_width(head.edge_bytes) || head.node_bytes > head.edge_bytes)
    throw refuse("ids of unknown width");
  // Each node has an offset and each edge an id. The check also prevents overflow of their
  // products.
  if (head.nodes >= head.file_bytes / 4 || head.edges > head.file_bytes / 4)
    throw refuse("more nodes or edges than the file has room for");
  const auto fits = [](std::uint64_t count, std::uint32_t bytes) {
    return bytes == 8 || count < kNarrowBelow;
  };
  if (!fits(head.nodes, head.node_bytes) || !fits(head.edges, head.edge_bytes))
    throw refuse("more nodes or edges than ids");
  if (head.sections > kinds_of(head)) throw refuse("too many sections");
}

}  // namespace

bool is_graph_file(std::string_view head) {
  return head.size() >= kMagic.size() &&
         std::memcmp(head.data(), kMagic.data(), kMagic.size()) == 0;
}

FileHead read_head(const InputFile& file) {
  if (!file.regular())
    throw Error::input(file.name(), "a graph file must be mapped, and this is no regular file",
                       "save it to a file first");
  FileHead head{};
  std::size_t got = 0;
  while (got < sizeof head) {
    const ssize_t more = ::pread(file.descriptor(), reinterpret_cast<char*>(&head) + got,
                                 sizeof head - got, static_cast<off_t>(got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) throw Error::system(file.name(), "reading", errno);
    if (more == 0)
      throw Error::input(file.name(), fmt::format("cut off after {} bytes", got), kDamaged);
    got += static_cast<std::size_t>(more);
  }
  check(head, file);
  return head;
}

}  // namespace Atoll::graph
