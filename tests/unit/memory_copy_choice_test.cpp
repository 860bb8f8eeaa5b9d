// "auto" chooses the engine that was measured as the fastest for the transfer's size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "atoll/base/error.hpp"
#include "memory_copy_support.hpp"

namespace Atoll::memory {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::size_t kSmall = 10'000, kMiddle = 500'000, kLarge = 20'000'000;

/// Returns throughputs set by the test, and counts the measurements.
struct FakeMeasure {
  std::map<std::pair<std::string, std::size_t>, double> bytes_per_second;
  std::map<std::string, int> asked;

  MeasureCopy function() {
    return [this](CopyEngine& engine, std::size_t bytes) {
      const std::string name(engine.name());
      ++asked[name];
      return static_cast<double>(bytes) / bytes_per_second.at({name, bytes});
    };
  }
  void all(const std::string& name, double small, double middle, double large) {
    bytes_per_second[{name, CopyEngines::kClassBytes[0]}] = small;
    bytes_per_second[{name, CopyEngines::kClassBytes[1]}] = middle;
    bytes_per_second[{name, CopyEngines::kClassBytes[2]}] = large;
  }
};

CopyJob job_of(std::size_t bytes) {
  CopyJob job;
  job.pieces.push_back({nullptr, nullptr, bytes});
  return job;
}

class CopyChoice : public testing::Test {
 protected:
  void add(const std::string& name, double small, double middle, double large, bool blocks = false,
           bool fills = true) {
    measure_.all(name, small, middle, large);
    engines_.add(std::make_unique<PlainEngine>(name, blocks, fills));
  }
  std::string chosen(std::size_t bytes, bool may_block = true) {
    return std::string(engines_.choose(job_of(bytes), may_block).name());
  }

  FakeMeasure measure_;
  CopyEngines engines_{measure_.function()};
};

TEST_F(CopyChoice, AnAddedEngineIsChosenOnlyWhereItMeasuresFaster) {
  add("old", 5e9, 6e9, 7e9);
  add("other", 4e9, 5e9, 6e9);
  EXPECT_EQ(chosen(kSmall), "old");
  EXPECT_EQ(chosen(kLarge), "old");
  add("slower", 4.9e9, 5.9e9, 6.9e9);
  EXPECT_EQ(chosen(kSmall), "old");
  EXPECT_EQ(chosen(kMiddle), "old");
  EXPECT_EQ(chosen(kLarge), "old");
  add("faster when large", 1e9, 6e9, 7.1e9);
  EXPECT_EQ(chosen(kSmall), "old");
  EXPECT_EQ(chosen(kMiddle), "old") << "no faster: the first in the table";
  EXPECT_EQ(chosen(kLarge), "faster when large");

  Bytes source = random_bytes(kLarge, 1), target(kLarge);
  engines_.start_copy(target.data(), source.data(), kLarge).wait();
  EXPECT_TRUE(target == source);
  EXPECT_EQ(dynamic_cast<PlainEngine&>(engines_.find("faster when large")).starts, 1);
  EXPECT_EQ(dynamic_cast<PlainEngine&>(engines_.find("old")).starts, 0);
}

TEST_F(CopyChoice, MeasuresEachClassOnceAndOnlyWhenAsked) {
  add("one", 1e9, 1e9, 1e9);
  EXPECT_EQ(chosen(kSmall), "one");
  EXPECT_TRUE(measure_.asked.empty()) << "nothing to compare it with";
  add("two", 2e9, 2e9, 2e9);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(chosen(kSmall), "two");
  EXPECT_THAT(measure_.asked,
              testing::ElementsAre(testing::Pair("one", 1), testing::Pair("two", 1)));
  EXPECT_EQ(chosen(kLarge), "two");
  EXPECT_EQ(chosen(CopyEngines::kClassBytes[2]), "two");
  EXPECT_EQ(measure_.asked["one"], 2);
  EXPECT_EQ(engines_.measured().size(), 4u);
  EXPECT_EQ(engines_.measured().front().engine, "one");
  EXPECT_DOUBLE_EQ(engines_.measured().front().bytes_per_second, 1e9);
}

TEST_F(CopyChoice, GivenThroughputsTakeThePlaceOfMeasurements) {
  add("one", 1e9, 1e9, 1e9);
  add("two", 2e9, 2e9, 2e9);
  engines_.set_measured("one", kLarge, 3e9);
  EXPECT_EQ(chosen(kLarge), "one");
  EXPECT_EQ(chosen(kSmall), "two");
  EXPECT_THROW(engines_.set_measured("one", kLarge, 0), Error);
  EXPECT_THAT([&] { engines_.set_measured("three", kLarge, 1); },
              ThrowsMessage<Error>(HasSubstr("none is named 'three'; there are: one, two")));
}

TEST_F(CopyChoice, BlockingEnginesOnlyWhereTheyMay) {
  add("blocking", 9e9, 9e9, 9e9, true);
  add("free", 1e9, 1e9, 1e9);
  EXPECT_EQ(chosen(kLarge), "blocking");
  EXPECT_EQ(chosen(kLarge, false), "free");
  const Team team(two_places(), Team::Runtime::std_threads, false);
  std::string inside;
  team.run([&](int thread) {
    if (thread == 1) inside = chosen(kLarge);
  });
  EXPECT_EQ(inside, "free") << "a team's run() can't be nested";
}

TEST_F(CopyChoice, OnlyEnginesThatCan) {
  add("copies", 9e9, 9e9, 9e9, false, false);
  Bytes target(1000);
  EXPECT_THAT([&] { engines_.start_fill(target.data(), Bytes(1), 1000).wait(); },
              ThrowsMessage<Error>(HasSubstr("no engine in the table can")));
  EXPECT_THAT(
      [&] { engines_.start_fill(target.data(), Bytes(4), 1000, {.engine = "copies"}).wait(); },
      ThrowsMessage<Error>(HasSubstr("copies can't fill elements of 4 bytes")));
  add("fills", 1e9, 1e9, 1e9);
  engines_.start_fill(target.data(), Bytes(1, std::byte{7}), 1000).wait();
  EXPECT_EQ(target, Bytes(1000, std::byte{7}));
}

TEST_F(CopyChoice, AnEngineThatFailsIsLeftOut) {
  engines_.add(std::make_unique<PlainEngine>("unknown to the measure"));
  CopyEngines engines([](CopyEngine& engine, std::size_t bytes) {
    if (engine.name() == "broken") throw Error::failed("broken", "no device");
    return static_cast<double>(bytes) / 1e6;
  });
  engines.add(std::make_unique<PlainEngine>("broken"));
  engines.add(std::make_unique<PlainEngine>("sound"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(engines.choose(job_of(kSmall)).name(), "sound");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("broken is left out"));
}

TEST_F(CopyChoice, NamesAreChecked) {
  add("one", 1e9, 1e9, 1e9);
  EXPECT_THAT([&] { engines_.add(std::make_unique<PlainEngine>("one")); },
              ThrowsMessage<Error>(HasSubstr("two are named one")));
  Bytes source(100), target(100);
  for (const std::size_t bytes : {0, 100})
    EXPECT_THAT(
        [&] {
          engines_.start_copy(target.data(), source.data(), bytes, {.engine = "none"}).wait();
        },
        ThrowsMessage<Error>(HasSubstr("there are: one")));
  EXPECT_THAT(
      [&] { engines_.start_copy(target.data(), source.data(), 100, {.share = 0.5}).wait(); },
      ThrowsMessage<Error>(HasSubstr("no engine named")));
}

TEST(CopyEngines, MeasureThisMachineAndCopyAsMeasured) {
  const Team team(two_places(), Team::Runtime::std_threads, false);
  CopyEngines engines;
  engines.add(parallel_engine(team));
  engines.add(unpinned_background());
  const Bytes source = random_bytes(3'000'000, 3);
  Bytes target(source.size());
  engines.start_copy(target.data(), source.data(), source.size()).wait();
  EXPECT_TRUE(target == source);
  ASSERT_EQ(engines.measured().size(), 2u);
  const auto table = engines.measured();
  const bool first = table[0].bytes_per_second >= table[1].bytes_per_second;
  EXPECT_EQ(engines.choose(job_of(source.size())).name(), table[first ? 0 : 1].engine);
}

}  // namespace
}  // namespace Atoll::memory
