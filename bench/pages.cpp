// Suite `pages`: speedup by larger pages for random gathers and for streams over arrays from 1 MiB
// to 1 GiB on this machine, next to the prediction of the policy `cost`. Missing pages in the
// system's pools are added temporarily if this process may do so (as root); else such rows are
// omitted, with a message.
#include <atoll/array/array.hpp>
#include <atoll/machine/thread_places.hpp>
#include <atoll/parallel/for_each.hpp>
#include <atoll/pattern/access_pattern.hpp>
#include <atoll/plan/choose_layouts.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "bench.hpp"
#include "page_pool.hpp"

using namespace Atoll;
using bench::require;

namespace {

constexpr int kRounds = 7;
constexpr std::size_t kGathers = std::size_t{1} << 23;  // per run, by all threads together
constexpr std::size_t kGiB = std::size_t{1} << 30;

std::uint64_t scramble(std::uint64_t x) {  // a bijection that defeats prefetchers
  x ^= x >> 31;
  x *= 0x9E3779B97F4A7C15;
  return x ^ (x >> 29);
}

/// Returns the sum of `count` random elements; the array contains its own indices.
std::uint64_t gather(const Array<std::uint64_t>& array, const Team& team, std::size_t count) {
  const std::uint64_t mask = array.size() - 1;
  return reduce_chunks(
      team, count, LoopSchedule::fixed, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        const auto local = array.local();
        std::uint64_t sum = 0;
        for (std::size_t i = begin; i < end; ++i) sum += local[scramble(i) & mask];
        return sum;
      },
      std::plus<>());
}

std::uint64_t stream(const Array<std::uint64_t>& array, const Team& team) {
  return reduce_chunks(
      team, array.size(), LoopSchedule::fixed, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        const auto local = array.local();
        std::uint64_t sum = 0;
        for (std::size_t i = begin; i < end; ++i) sum += local[i];
        return sum;
      },
      std::plus<>());
}

double predicted(const Machine& machine, const Team& team, std::size_t elements, PageSize pages,
                 Order order, double reads) {
  // Predicts with pools that have room, independent of the system's pools.
  Machine::Data data = machine.data();
  for (MemoryNode& memory : data.memories) {
    memory.free_2m_pages = 1024;
    memory.free_1g_pages = 2;
  }
  const Machine roomy(std::move(data), "bench");
  const auto seconds = [&](double count) {
    const ArrayRequest request{.name = "a",
                               .elements = elements,
                               .pattern = {.elements = {}, .accesses = {{false, order, count}}}};
    return choose_layouts(std::span(&request, 1), roomy, team.places(),
                          {.force = LayoutKind::single, .pages = pages})
        .front()
        .estimated_seconds;
  };
  // The cost of set-up and of the first fetch cancels: this is the difference that more reads make.
  return seconds(101 * reads) / 100 - seconds(reads) / 100;
}

}  // namespace

int main(int argc, char** argv) {
  const Machine machine = Machine::this_computer();
  const Team team(spread_places(machine));
  const memory::Context context{machine, team};
  const NodeId node = machine.memories().front().id;
  const bench::PagePool small_pool(PageSize::pool_2m, kGiB), great_pool(PageSize::pool_1g, kGiB);

  bench::Suite suite("pages");
  for (const std::size_t bytes : {kGiB >> 10, kGiB >> 6, kGiB >> 4, kGiB >> 2, kGiB}) {
    const std::size_t elements = bytes / sizeof(std::uint64_t);
    std::vector<std::unique_ptr<Array<std::uint64_t>>> arrays;
    std::vector<PageSize> sizes;
    for (const PageSize pages : kPageSizes) {
      try {
        arrays.push_back(std::make_unique<Array<std::uint64_t>>(context, elements,
                                                                Layout{SingleNode{node}, pages}));
        sizes.push_back(pages);
      } catch (const Error& error) {
        fmt::print("left out: {} pages: {}\n", to_string(pages), error.what());
        continue;
      }
      for_each_chunk(team, elements, LoopSchedule::fixed, [&](std::size_t begin, std::size_t end) {
        const auto master = arrays.back()->master();
        for (std::size_t i = begin; i < end; ++i) master[i] = i;
      });
    }
    std::uint64_t gathered = 0;
    for (std::size_t i = 0; i < kGathers; ++i) gathered += scramble(i) & (elements - 1);
    std::vector<std::function<void()>> gathers, streams;
    for (const auto& array : arrays) {
      require(gather(*array, team, kGathers) == gathered, "gathered sum");
      require(stream(*array, team) == elements * (elements - 1) / 2, "streamed sum");
      gathers.emplace_back([&] { require(gather(*array, team, kGathers) == gathered, "sum"); });
      streams.emplace_back([&] { static_cast<void>(stream(*array, team)); });
    }
    const auto gather_seconds = bench::alternate(gathers, kRounds);
    const auto stream_seconds = bench::alternate(streams, kRounds);
    const std::string size = fmt::format("{} MiB", bytes >> 20);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto model = [&](PageSize pages, Order order, std::size_t reads) {
        return predicted(machine, team, elements, pages, order, static_cast<double>(reads));
      };
      const double gain =
          model(sizes[i], Order::random, kGathers) / model(sizes.front(), Order::random, kGathers);
      suite.row(fmt::format("gather {} in {}", size, to_string(sizes[i])), "ns",
                gather_seconds[i].median * 1e9 / kGathers,
                fmt::format("4k; model says {:.2f}", gain),
                gather_seconds.front().median * 1e9 / kGathers, gather_seconds[i].spread);
      suite.row(fmt::format("stream {} in {}", size, to_string(sizes[i])), "ns",
                stream_seconds[i].median * 1e9 / static_cast<double>(elements),
                "4k; model says 1.00",
                stream_seconds.front().median * 1e9 / static_cast<double>(elements),
                stream_seconds[i].spread);
    }
  }
  suite.write(argc, argv);
}
