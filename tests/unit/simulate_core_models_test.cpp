// The interface of core models: another kind of core is a class and a row.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include "simulate/core_model_row.hpp"
#include "simulate/invariants.hpp"
#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

/// A core that needs the same time for each access, and for each instruction.
class FixedCore final : public CoreModel {
 public:
  static constexpr Ticks kAccess = 7'000, kInstruction = 10;

  FixedCore(const Timing&, Network& network, std::uint32_t node, std::size_t objects)
      : CoreModel(network.parts(), node, objects) {}
  void share(const CoreSharers& sharers) override { on_core_ = sharers.on_core; }
  void begin(const TimedAccess& access) override {
    work({.instructions = access.style.work.instructions});
  }
  void quick(const TimedAccess& access, std::uint64_t) override { pass(access); }
  void hit(const TimedAccess& access, std::uint64_t) override { pass(access); }
  void access(const TimedAccess& access, const Outcome&, const std::vector<SideTraffic>&) override {
    pass(access);
  }
  void work(const record::Work& work) override {
    wait_until(now_ + static_cast<Ticks>(work.instructions) * kInstruction * on_core_, kCompute);
  }
  void drain() override {}
  void finalize_meters() override {}
  void finish() override {}
  [[nodiscard]] const CamatSums& camat(int) const override { return camat_; }

 private:
  void pass(const TimedAccess& access) {
    objects_[access.object] += kAccess;
    wait_until(now_ + kAccess, kL1);
  }
  Ticks on_core_ = 1;
  CamatSums camat_;
};

constexpr CoreModelRow kFixed = core_model_row<FixedCore>("fixed");

EngineResult run_fixed(SyntheticProgram& program, const std::vector<std::uint32_t>& places,
                       Windows* windows = nullptr) {
  const SmallMachine machine(2);
  Pages pages({0, 1}, machine.shape.line_bits);
  Engine::Options options;
  options.hw_threads = machine.hw_threads;
  options.core_model = &kFixed;
  options.windows = windows;
  for (const std::uint32_t place : places) options.threads.push_back({0, place, true});
  Engine engine(machine.shape, machine.timing, pages, program, options);
  return engine.run();
}

constexpr std::uint64_t kAccesses = 10'000;

SyntheticProgram::Next far_apart(std::uint32_t thread) {
  return accesses(kAccesses, [=](std::uint64_t i) {
    return (std::uint64_t{thread} << 32) + random_line(i, 1 << 16, thread);
  });
}

TEST(SimulateCoreModels, ARunUsesTheModelOfItsRow) {
  SyntheticProgram program;
  program.threads = {far_apart(0)};
  const EngineResult result = run_fixed(program, {0});
  EXPECT_EQ(result.elapsed, static_cast<Ticks>(kAccesses) * FixedCore::kAccess);
  EXPECT_EQ(result.stack[kL1], result.elapsed);
  EXPECT_EQ(result.objects[0].time, result.elapsed);
  EXPECT_GT(result.objects[0].l3_misses, 0U);
}

TEST(SimulateCoreModels, ThreadsOfACoreAreToldThatTheyShareIt) {
  const auto elapsed = [](std::uint32_t second) {
    SyntheticProgram program;
    StyledAccess like;
    like.style.work.instructions = 100;
    for (std::uint32_t thread = 0; thread < 2; ++thread)
      program.threads.push_back(accesses(
          kAccesses, [=](std::uint64_t) { return std::uint64_t{thread} << 32; }, like));
    return run_fixed(program, {0, second}).elapsed;
  };
  constexpr auto kAll = static_cast<Ticks>(kAccesses);
  EXPECT_EQ(elapsed(1), kAll * (FixedCore::kAccess + 100 * FixedCore::kInstruction));
  EXPECT_EQ(elapsed(0), kAll * (FixedCore::kAccess + 200 * FixedCore::kInstruction));
}

/// The model has no short cut for repeated accesses of loops, so they go through its other
/// functions.
TEST(SimulateCoreModels, LoopsNeedNoFunctionOfTheirOwn) {
  SyntheticProgram program;
  program.threads.push_back([done = false](Batch& batch) mutable {
    if (std::exchange(done, true)) return false;
    batch.define(1, {.work = {.instructions = 3}});
    batch.add_loop(std::vector<recording::AccessRange>{
        {.address = 1 << 20, .step = 8, .n = kAccesses, .bytes = 8},
        {.address = 1 << 22, .step = 8, .n = kAccesses, .bytes = 8, .style = 1}});
    return true;
  });
  const EngineResult result = run_fixed(program, {0});
  EXPECT_EQ(result.accesses, 2 * kAccesses);
  EXPECT_EQ(result.elapsed,
            static_cast<Ticks>(kAccesses) * (2 * FixedCore::kAccess + 3 * FixedCore::kInstruction));
}

TEST(SimulateCoreModels, WindowsAreTimedWithTheSameModel) {
  SyntheticProgram program;
  program.threads = {far_apart(0)};
  Windows windows(1, 1);
  (void)run_fixed(program, {0}, &windows);
  const SmallMachine machine(2);
  const double time = windows.time(machine.timing, machine.hw_threads);
  EXPECT_GT(time, 0);
  EXPECT_EQ(std::fmod(time, FixedCore::kAccess), 0);
}

TEST(SimulateCoreModels, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const CoreModelRow& row : core_models()) EXPECT_TRUE(names.insert(row.name).second);
}

}  // namespace
}  // namespace Atoll::simulate
