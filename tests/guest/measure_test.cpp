// Measures every pair of initiator and memory, with pages in that memory. The guest has no real
// memories of different speed, so the test only checks that there are figures, and that they are
// unchanged after writing and reading a machine file.
#include <cmath>

#include "atoll/base/units.hpp"
#include "atoll/measure/measure.hpp"
#include "guest_system.hpp"

namespace Atoll::guest {
namespace {

/// A backend that passes all calls to the system's backend. For each released block, records the
/// nodes of its pages according to the kernel.
class Watched final : public memory::Backend {
 public:
  struct Seen {
    std::map<NodeId, std::uint64_t> pages;  ///< number of pages by node
    bool written = false;                   ///< has the content that passes write
  };
  std::vector<Seen> seen;

  std::string_view name() const override { return system_.name(); }
  memory::Available available(PageSize pages) const override { return system_.available(pages); }
  std::byte* reserve(std::size_t bytes, PageSize pages) override {
    return system_.reserve(bytes, pages);
  }
  void release(std::byte* data, std::size_t bytes) noexcept override {
    Seen& block = seen.emplace_back();
    for (const NodeId node : nodes_of_pages(data, bytes)) ++block.pages[node];
    const auto* const words = reinterpret_cast<const std::uint64_t*>(data);
    block.written = words[0] != 0 && words[0] == words[bytes / 8 - 1];
    system_.release(data, bytes);
  }
  void populate(std::span<const memory::Range> ranges, NodeId node) override {
    system_.populate(ranges, node);
  }
  void migrate(std::span<const memory::Range> ranges, NodeId node) override {
    system_.migrate(ranges, node);
  }
  void discard(std::span<const memory::Range> ranges) override { system_.discard(ranges); }
  void prevent_migration(memory::Range range, std::span<const NodeId> nodes) override {
    system_.prevent_migration(range, nodes);
  }
  void locate(std::span<const memory::Range> ranges, std::span<NodeId> nodes) const override {
    system_.locate(ranges, nodes);
  }

 private:
  memory::Backend& system_ = memory::system_backend();
};

TEST_F(MemoryInGuest, EveryPairIsMeasuredInPagesOfItsMemory) {
  Watched watched;
  const measure::Result result = measure::measure_links(
      machine_, {.buffer_bytes = 4 * kMiB, .seconds_a_figure = 0, .backend = watched});
  for (const auto& [memory, why] : result.unmeasured) ADD_FAILURE() << memory.value << ": " << why;

  ASSERT_EQ(watched.seen.size(), nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::map<NodeId, std::uint64_t> expected{{nodes_[i], 4 * kMiB / kPage}};
    EXPECT_EQ(watched.seen[i].pages, expected);
    EXPECT_TRUE(watched.seen[i].written);
  }
  for (const NodeId from : machine_.initiators())
    for (const NodeId to : nodes_) {
      SCOPED_TRACE(std::to_string(from.value) + " to " + std::to_string(to.value));
      const Link& link = result.machine.link(from, to);
      EXPECT_EQ(link.distance, machine_.link(from, to).distance);
      int cores = 0;
      for (const Processor& processor : machine_.processors()) cores += processor.node == from;
      ASSERT_FALSE(link.by_threads.empty());
      EXPECT_EQ(link.by_threads.back().threads, cores);
      std::vector<Figure> figures{link.latency_ns, link.read_bytes_per_second,
                                  link.write_bytes_per_second};
      for (const ThreadsBandwidth& row : link.by_threads)
        figures.insert(figures.end(), {row.read_bytes_per_second, row.write_bytes_per_second,
                                       row.copy_bytes_per_second});
      for (const Figure& figure : figures) {
        EXPECT_TRUE(std::isfinite(figure.value) && figure.value > 0) << figure.value;
        EXPECT_EQ(figure.source.origin, Origin::measured);
        EXPECT_NE(figure.source.text.find("4 MiB in 2 MiB pages"), std::string::npos)
            << figure.source.text;
      }
    }
  EXPECT_EQ(Machine::from_json(result.machine.to_json(), "measured.json"), result.machine);
}

}  // namespace
}  // namespace Atoll::guest
