// The backends of this system on its real nodes: pages are mapped, located and freed; the page size
// is as requested.
#include "atoll/memory/backend.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/memory/block.hpp"
#include "fake_backend.hpp"
#if ATOLL_NUMA
#include <numaif.h>

#include "memory/linux_backend.hpp"
#include "sanitized.hpp"
#endif

namespace Atoll::memory {
namespace {

constexpr std::size_t kPage = kPageBytes;
constexpr std::size_t kHuge = page_bytes(PageSize::huge);

/// Returns the value `name` (bytes) in /proc/self/smaps for the mapping that contains `data`.
std::uint64_t smaps(const std::byte* data, const std::string& name) {
  std::ifstream file("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      const auto at = reinterpret_cast<std::uintptr_t>(data);
      inside = begin <= at && at < end;
    } else if (inside && line.starts_with(name + ":")) {
      return std::stoull(line.substr(name.size() + 1)) * kKiB;
    }
  }
  return 0;
}

std::size_t mappings() {
  std::ifstream file("/proc/self/maps");
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
}

bool huge_pages_are_on() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return !text.empty() && text.find("[never]") == std::string::npos;
}

std::vector<std::string> backends() {
#if ATOLL_NUMA
  if (refusal_of_numa_calls() == 0) return {"linux", "portable"};
#endif
  return {"portable"};
}

class MemoryBackend : public testing::TestWithParam<std::string> {
 protected:
  Backend& backend_ = backend_by_name(GetParam());

  /// Returns a node that this process may use.
  [[nodiscard]] NodeId node() const {
    return backend_.available(PageSize::small).bytes_by_node.begin()->first;
  }

  [[nodiscard]] std::vector<NodeId> locate(Range range) const {
    std::vector<NodeId> nodes(range.bytes / kPage, NodeId{77});
    backend_.locate({&range, 1}, nodes);
    return nodes;
  }
};
INSTANTIATE_TEST_SUITE_P(Of, MemoryBackend, testing::ValuesIn(backends()),
                         [](const auto& one) { return one.param; });

TEST_P(MemoryBackend, MapsFindsAndGivesBack) {
  const Range all{backend_.reserve(64 * kPage, PageSize::small), 64 * kPage};
  EXPECT_EQ(backend_.name(), GetParam());
  const std::vector<NodeId> nowhere(64, kNowhere);
  EXPECT_EQ(locate(all), nowhere);
  EXPECT_EQ(locate(all), nowhere) << "asking mapped the pages";
  const std::vector<Range> some{{all.data + 3 * kPage, kPage}, {all.data + 10 * kPage, 5 * kPage}};
  backend_.populate(some, node());
  std::vector<NodeId> expected = nowhere;
  expected[3] = node();
  std::fill_n(expected.begin() + 10, 5, node());
  EXPECT_EQ(locate(all), expected);
  std::vector<NodeId> of_some(6);
  backend_.locate(some, of_some);
  EXPECT_EQ(of_some, std::vector<NodeId>(6, node()));
  std::memset(all.data + 10 * kPage, 1, kPage);
  backend_.populate({&all, 1}, node());  // pages that are already mapped keep their content
  EXPECT_EQ(locate(all), std::vector<NodeId>(64, node()));
  EXPECT_EQ(all.data[10 * kPage], std::byte{1});
  EXPECT_EQ(all.data[11 * kPage], std::byte{0});
  backend_.prevent_migration(all, std::vector<NodeId>{node()});
  backend_.migrate({&all, 1}, node());
  EXPECT_EQ(locate(all), std::vector<NodeId>(64, node()));
  backend_.discard(some);
  EXPECT_EQ(locate(all)[3], kNowhere);
  EXPECT_EQ(locate(all)[4], node());
  backend_.populate(some, kNowhere);  // on any node
  EXPECT_EQ(locate(all)[3], node());
  EXPECT_EQ(all.data[10 * kPage], std::byte{0});
  backend_.release(all.data, all.bytes);
  unsigned char resident = 0;
  EXPECT_NE(mincore(all.data, kPage, &resident), 0) << "still reserved";
}

/// Returns the number of bytes in huge pages if `bytes` bytes are requested from the kernel. It is
/// small if memory is fragmented or short.
std::uint64_t huge_bytes_of_kernel(std::size_t bytes) {
  const std::size_t reserved = bytes + kHuge;
  void* const mapping =
      mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(mapping, MAP_FAILED);
  auto* const begin = static_cast<std::byte*>(mapping);
  std::byte* const data = begin + -reinterpret_cast<std::uintptr_t>(begin) % kHuge;
  EXPECT_EQ(madvise(data, bytes, MADV_HUGEPAGE), 0);
  std::memset(data, 1, bytes);
  const std::uint64_t huge = smaps(data, "AnonHugePages");
  munmap(mapping, reserved);
  return huge;
}

// The number of huge pages depends on the kernel's free memory. The test repeats until the backend
// and a direct request agree.
TEST_P(MemoryBackend, HugePagesAreHugeAndSmallOnesStaySmall) {
  if (!huge_pages_are_on()) GTEST_SKIP() << "transparent huge pages are off on this machine";
  const std::size_t bytes = 3 * kHuge + 7 * kPage;
  const auto huge_bytes = [&](PageSize pages) {
    const Range all{backend_.reserve(bytes, pages), bytes};
    backend_.populate({&all, 1}, node());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.data) % page_bytes(pages), 0U);
    EXPECT_EQ(locate(all), std::vector<NodeId>(bytes / kPage, node()));
    const std::uint64_t huge = smaps(all.data, "AnonHugePages");
    backend_.release(all.data, all.bytes);
    return huge;
  };
  EXPECT_EQ(huge_bytes(PageSize::small), 0U);
  std::uint64_t given = 1, kernels = 0;
  for (int tries = 0; tries < 100 && given != kernels; ++tries) {
    given = huge_bytes(PageSize::huge);
    kernels = huge_bytes_of_kernel(bytes);
  }
  EXPECT_EQ(given, kernels);
}

TEST_P(MemoryBackend, WithoutHugePagesItSaysSoAndTakesSmallOnes) {
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
  testing::internal::CaptureStderr();
  const Range all{backend_.reserve(2 * kHuge, PageSize::huge), 2 * kHuge};
  backend_.populate({&all, 1}, node());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
  EXPECT_EQ(smaps(all.data, "AnonHugePages"), 0U);
  EXPECT_EQ(locate(all), std::vector<NodeId>(1024, node()));
  backend_.release(all.data, all.bytes);
  // note() prints each text once per process, so only the first tested backend prints it
  static bool seen = false;
  if (!seen) {
    EXPECT_TRUE(said.starts_with("atoll: note: 4 KiB pages instead of 2 MiB ones")) << said;
  }
  seen = true;
}

TEST_P(MemoryBackend, TellsWhatItCannotReserve) {
  for (const PageSize pages : {PageSize::small, PageSize::huge})
    for (const std::size_t bytes : {std::size_t{1} << 62, SIZE_MAX / kPage * kPage}) try {
        static_cast<void>(backend_.reserve(bytes, pages));
        ADD_FAILURE() << "reserved " << bytes;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::memory);
      }
}

TEST_P(MemoryBackend, PlacesBlocksFromSeveralThreadsAtOnce) {
  const Machine machine = four_node_machine();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      const Team team({{0, NodeId{0}}, {0, NodeId{1}}}, Team::Runtime::std_threads, false);
      const Context context{machine, team, backend_};
      for (const std::uint64_t granule : {kPage, 3 * kPage}) {
        const Block block(context, 8 * kHuge + 5, Interleaved{{NodeId{0}, NodeId{1}}, granule},
                          PageSize::small);
        const auto where = block.where();
        EXPECT_EQ(where.size(), 8 * 512 + 1U);
        EXPECT_EQ(std::count(where.begin(), where.end(), kNowhere), 0);
        EXPECT_TRUE(std::all_of(block.data(), block.data() + block.bytes(),
                                [](std::byte b) { return b == std::byte{0}; }));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(MemoryBackend, TheFinestInterleavingIsOneMapping) {
  const Machine machine = four_node_machine();
  const Team team({{0, NodeId{0}}, {0, NodeId{1}}}, Team::Runtime::std_threads, false);
  const std::size_t before = mappings();
  const Block block(Context{machine, team, backend_}, 64 * kMiB,
                    Interleaved{{NodeId{0}, NodeId{1}}, kPage}, PageSize::small);
  // 16,384 granules need few mappings. A sanitizer's allocator may add some.
  EXPECT_LE(mappings(), before + 64);
}

TEST_P(MemoryBackend, RefusesMoreThanThereIsBeforeItMapsAPage) {
  const Machine machine = four_node_machine();
  const Team team({{0, NodeId{0}}}, Team::Runtime::std_threads, false);
  const Context context{machine, team, backend_};
  const std::uint64_t all = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * kPage;
  const std::size_t before = mappings();
  for (const std::uint64_t bytes : {2 * all, std::uint64_t{UINT64_MAX}}) try {
      const Block block(context, bytes, OnNode{NodeId{0}}, PageSize::huge);
      ADD_FAILURE() << "placed " << bytes;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("has only"), std::string::npos) << error.what();
    }
  EXPECT_LE(mappings(), before + (kSanitized ? 32 : 1));  // a sanitizer maps memory for errors
}

TEST(MemoryBackends, ByName) {
  EXPECT_THROW(static_cast<void>(backend_by_name("fake")), Error);
  EXPECT_EQ(backend_by_name("portable").name(), "portable");
  EXPECT_EQ(system_backend().name(), backends().front());
}

#if ATOLL_NUMA
TEST(MemoryBackends, LinuxGivesTheThreadItsPolicyBack) {
  if (refusal_of_numa_calls() != 0) GTEST_SKIP() << "NUMA calls are refused here";
  Backend& backend = linux_backend();
  const NodeId node = backend.available(PageSize::small).bytes_by_node.begin()->first;
  ASSERT_LT(node.value, 64U);
  const unsigned long mask = 1UL << node.value;
  ASSERT_EQ(set_mempolicy(MPOL_BIND, &mask, 65), 0);
  const Range range{backend.reserve(4 * kPage, PageSize::small), 4 * kPage};
  backend.populate({&range, 1}, node);
  std::vector<NodeId> nodes(4);
  backend.locate({&range, 1}, nodes);
  backend.release(range.data, range.bytes);
  int mode = -1;
  unsigned long nodes_after[16] = {};
  EXPECT_EQ(get_mempolicy(&mode, nodes_after, 1025, nullptr, 0), 0);
  EXPECT_EQ(mode, MPOL_BIND);
  EXPECT_EQ(nodes_after[0], mask);
  ASSERT_EQ(set_mempolicy(MPOL_DEFAULT, nullptr, 0), 0);
}
#endif

}  // namespace
}  // namespace Atoll::memory
