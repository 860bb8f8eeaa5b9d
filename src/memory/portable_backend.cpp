// Memory for systems without NUMA calls, or where they are forbidden: the system chooses the nodes
// of pages, and all of them count as one node.
#include <algorithm>

#include "machine/system_memory.hpp"
#include "memory/anonymous.hpp"

namespace Atoll::memory {
namespace {

class PortableBackend final : public Backend {
 public:
  std::string_view name() const override { return "portable"; }

  Available available(PageSize pages) const override {
    Available available = memory_.available(pages);
    available.bytes_by_node = {{kNode, available.bytes_in_all}};
    return available;
  }

  std::byte* reserve(std::size_t bytes, PageSize pages) override {
    return reserve_pages(bytes, pages);
  }
  void release(std::byte* data, std::size_t bytes) noexcept override { release_pages(data, bytes); }

  void populate(std::span<const Range> ranges, NodeId /*node*/) override {
    for (const Range& range : ranges) map_pages(range);
  }
  void migrate(std::span<const Range> /*ranges*/, NodeId /*node*/) override {}
  void discard(std::span<const Range> ranges) override {
    for (const Range& range : ranges) discard_pages(range);
  }
  void prevent_migration(Range /*range*/, std::span<const NodeId> /*nodes*/) override {}

  void locate(std::span<const Range> ranges, std::span<NodeId> nodes) const override {
    auto out = nodes.begin();
    for (const Range& range : ranges)
      for (const bool mapped : mapped_pages(range)) *out++ = mapped ? kNode : kNowhere;
  }

 private:
  static constexpr NodeId kNode{0};
  detail::SystemMemory memory_;
};

}  // namespace

Backend& portable_backend() {
  static PortableBackend backend;
  return backend;
}

}  // namespace Atoll::memory
