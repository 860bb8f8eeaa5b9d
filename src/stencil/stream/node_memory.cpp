// NUMA nodes as slow memory.
#include <vector>

#include "atoll/array/raw_array.hpp"
#include "stencil/stream/slow_memory.hpp"

namespace Atoll::stencil {
namespace {

class NodeMemory : public SlowMemory {
 public:
  NodeMemory(const memory::Context& context, std::span<const NodeId> nodes)
      : context_(context),
        nodes_(nodes.begin(), nodes.end()),
        engine_(
            memory::background_engine({.places = context.team.places(), .low_priority = false})) {}

  Home allocate(std::uint64_t bytes) override {
    arrays_.emplace_back(context_, bytes, 1,
                         Layout{Distributed{nodes_, page_bytes(PageSize::huge)}, PageSize::huge});
    return {.address = arrays_.back().copy(0)};
  }
  memory::CopyEngine& engine() override { return *engine_; }
  std::byte* map(const Home& home, std::uint64_t offset, std::uint64_t, bool) override {
    return home.address + offset;
  }
  void release(std::byte*, std::uint64_t) override {}
  void unmap() override {}

 private:
  const memory::Context context_;
  const std::vector<NodeId> nodes_;
  std::vector<RawArray> arrays_;
  std::unique_ptr<memory::CopyEngine> engine_;
};

}  // namespace

std::unique_ptr<SlowMemory> node_memory(const memory::Context& context,
                                        std::span<const NodeId> nodes) {
  return std::make_unique<NodeMemory>(context, nodes);
}

}  // namespace Atoll::stencil
