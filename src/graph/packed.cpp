#include "graph/packed.hpp"

#include <array>

#include "graph/gunzip.hpp"

namespace Atoll::graph {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::size_t at;
  std::string_view bytes;
};
constexpr std::array kMagics{
    Magic{0, "\x28\xb5\x2f\xfd"sv},  // zstd
    Magic{0, "\xfd\x37zXZ\0"sv},    Magic{0, "BZh"sv},
    Magic{0, "PK\x03\x04"sv},       Magic{257, "ustar"sv},
};

}  // namespace

bool is_packed(std::string_view head) {
  if (is_gzip(head)) return true;
  for (const Magic& magic : kMagics)
    if (head.size() >= magic.at && head.substr(magic.at).starts_with(magic.bytes)) return true;
  return false;
}

}  // namespace Atoll::graph
