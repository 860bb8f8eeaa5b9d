// Replaces unpacker.cpp in builds without libarchive.
#include "atoll/base/error.hpp"
#include "graph/unpacker.hpp"

namespace Atoll::graph {

std::unique_ptr<PackedSource> unpack(InputFile& packed, const Team& /*team*/) {
  throw Error::input(packed.name(), "is packed, and this build has no libarchive",
                     "unpack it, and name the graph's file");
}

}  // namespace Atoll::graph
