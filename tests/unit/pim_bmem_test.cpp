// The C interface: the paper's example in C, and misuse of every kind.
#include "atoll/pim/bmem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

extern "C" int bmem_calls_of_the_paper(bmem_block where[3]);

namespace {

struct Session {
  Session() { EXPECT_EQ(bmem_init(64, 512, 4, 2), BMEM_OK); }
  ~Session() { EXPECT_EQ(bmem_dtor(), BMEM_OK); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// Returns the number of single units that the default device can still allocate. Frees all of them
/// afterwards.
int free_units() {
  std::vector<void*> units;
  while (void* unit = bmem_malloc_raw(1, 1)) units.push_back(unit);
  EXPECT_EQ(bmem_errno(), BMEM_ENOFIT);
  for (void* unit : units) EXPECT_EQ(bmem_free(unit), BMEM_OK);
  return static_cast<int>(units.size());
}

TEST(PimBmem, ThePapersExample) {
  bmem_block where[3];
  ASSERT_EQ(bmem_calls_of_the_paper(where), 0);
  EXPECT_EQ(where[0].dim, HORI);
  EXPECT_EQ(where[0].bytes, 4096U);
  EXPECT_EQ(where[0].subarrays * where[0].rows, 1U);  // half a row of 65536 bits
  EXPECT_EQ(where[1].dim, VERT);
  EXPECT_EQ(where[1].bytes, 128U);
  EXPECT_EQ(where[1].subarrays, 1U);
  EXPECT_EQ(where[1].rows, 1024U);
  EXPECT_EQ(where[2].dim, RAW);
  EXPECT_EQ(where[2].bytes, 0U);
  EXPECT_EQ(where[2].subarrays, 2U);
  EXPECT_EQ(where[2].rows, 17U);
}

TEST(PimBmem, WithoutADevice) {
  bmem_block where;
  int mine = 0;
  const auto fails = [](int code) { return code == BMEM_ESTATE && bmem_errno() == BMEM_ESTATE; };
  const auto check = [&] {
    EXPECT_EQ(bmem_malloc(8, HORI), nullptr);
    EXPECT_EQ(bmem_errno(), BMEM_ESTATE);
    EXPECT_STREQ(bmem_strerror(), "bmem_malloc: there is no device; call bmem_init first");
    EXPECT_EQ(bmem_malloc_raw(1, 1), nullptr);
    EXPECT_TRUE(fails(bmem_free(&mine)));
    EXPECT_TRUE(fails(bmem_where(&mine, &where)));
    EXPECT_TRUE(fails(bmem_dtor()));
    EXPECT_EQ(bmem_free(nullptr), BMEM_OK);
  };
  check();
  void* stale = nullptr;
  {
    const Session session;
    stale = bmem_malloc(8, HORI);
    EXPECT_NE(stale, nullptr);
    EXPECT_TRUE(fails(bmem_init(64, 512, 4, 2))) << "there is one already";
    EXPECT_EQ(free_units(), 2 * 4 * 64 - 1) << "and it is as it was";
  }
  EXPECT_TRUE(fails(bmem_free(stale)));
  check();
}

TEST(PimBmem, ShapesThatCannotBe) {
  constexpr std::uint64_t kMax64 = UINT64_MAX, kWord = std::uint64_t{1} << 32;
  for (const auto& g :
       {std::array{std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{1}},
        {1, 0, 1, 1},
        {1, 1, 0, 1},
        {1, 1, 1, 0},
        {kWord + 1, 1, 1, 1},
        {1, kWord, 1, 1},
        {1, 1, kMax64, 1},
        {1, 1, 1, kMax64},
        {kWord - 1, 1, kWord - 1, kWord - 1}}) {
    EXPECT_EQ(bmem_init(g[0], g[1], g[2], g[3]), BMEM_EINVAL);
    EXPECT_EQ(bmem_malloc(1, HORI), nullptr);
    EXPECT_EQ(bmem_errno(), BMEM_ESTATE) << "no device came of it";
  }
  const Session session;
  const auto invalid = [](void* handle) {
    return handle == nullptr && bmem_errno() == BMEM_EINVAL && *bmem_strerror() != '\0';
  };
  for (const BMEM_DIM dim : {HORI, VERT})
    for (const std::uint64_t bytes :
         {std::uint64_t{0}, kMax64, kMax64 / 8 + 2, std::uint64_t{16385}})
      EXPECT_TRUE(invalid(bmem_malloc(bytes, dim))) << bytes;
  EXPECT_TRUE(invalid(bmem_malloc(8, RAW)));
  EXPECT_TRUE(invalid(bmem_malloc(8, static_cast<BMEM_DIM>(3))));
  for (const auto& [subarrays, rows] : {std::pair{std::uint64_t{0}, std::uint64_t{1}},
                                        {1, 0},
                                        {5, 1},
                                        {1, 65},
                                        {kWord + 1, 1},
                                        {1, kWord + 1},
                                        {kMax64, kMax64}})
    EXPECT_TRUE(invalid(bmem_malloc_raw(subarrays, rows))) << subarrays << " x " << rows;
  EXPECT_EQ(free_units(), 2 * 4 * 64);
}

TEST(PimBmem, FreeingTwiceAndForeignHandles) {
  const Session session;
  bmem_block where;
  void* first = bmem_malloc_raw(2, 3);
  void* second = bmem_malloc(8, VERT);
  EXPECT_EQ(bmem_free(first), BMEM_OK);
  int mine = 0;
  for (void* wrong :
       {first, static_cast<void*>(&mine), static_cast<void*>(static_cast<char*>(second) + 1),
        static_cast<void*>(static_cast<char*>(second) + 32), reinterpret_cast<void*>(UINTPTR_MAX),
        reinterpret_cast<void*>(1)}) {
    EXPECT_EQ(bmem_free(wrong), BMEM_EHANDLE);
    EXPECT_EQ(bmem_where(wrong, &where), BMEM_EHANDLE);
  }
  EXPECT_STREQ(bmem_strerror(),
               "bmem_where: not the handle of a block; it was freed already, or never one");
  EXPECT_EQ(bmem_where(second, &where), BMEM_OK);
  EXPECT_EQ(where.bytes, 8U);
  EXPECT_EQ(free_units(), 2 * 4 * 64 - 64);
  EXPECT_EQ(bmem_free(second), BMEM_OK);
  EXPECT_EQ(free_units(), 2 * 4 * 64);
}

TEST(PimBmem, TheErrorsTextStaysWhereItIs) {
  std::thread([] {  // a new thread, which has had no longer error text
    EXPECT_EQ(bmem_dtor(), BMEM_ESTATE);
    const char* const text = bmem_strerror();
    EXPECT_THAT(text, testing::HasSubstr("no device"));
    const Session session;
    EXPECT_EQ(bmem_free(reinterpret_cast<void*>(8)), BMEM_EHANDLE);
    EXPECT_EQ(bmem_strerror(), text);
    EXPECT_THAT(text, testing::HasSubstr("not the handle"));
  })
      .join();
}

TEST(PimBmem, EachThreadHasItsOwnErrors) {
  const Session session;
  EXPECT_EQ(bmem_malloc(0, HORI), nullptr);
  std::thread([] {
    EXPECT_EQ(bmem_errno(), BMEM_OK);
    EXPECT_STREQ(bmem_strerror(), "");
    EXPECT_EQ(bmem_free(reinterpret_cast<void*>(8)), BMEM_EHANDLE);
  }).join();
  EXPECT_EQ(bmem_errno(), BMEM_EINVAL);
  EXPECT_THAT(bmem_strerror(), testing::HasSubstr("no bytes"));
}

TEST(PimBmem, ThreadsShareTheDevice) {
  const Session session;
  std::vector<std::vector<void*>> taken(4);
  std::vector<std::thread> threads;
  for (auto& mine : taken)
    threads.emplace_back([&mine] {
      while (void* block = bmem_malloc(64, HORI)) mine.push_back(block);
    });
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  std::set<void*> all;
  for (const auto& mine : taken) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 2U * 4 * 64) << "every unit, once";
  for (std::size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (void* block : taken[(i + 1) % 4]) EXPECT_EQ(bmem_free(block), BMEM_OK);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(free_units(), 2 * 4 * 64);
}

}  // namespace
