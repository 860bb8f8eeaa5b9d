// Random programs whose fields are in slow memory: the same bits as in memory, whatever the sizes
// of slots, and however late transfers are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <set>

#include "atoll/base/error.hpp"
#include "stencil/state.hpp"
#include "stencil_stream_programs.hpp"

namespace Atoll::stencil {
namespace {

/// Slow memory whose transfers happen at the latest permitted time. Until then, targets hold no
/// numbers. A slot loses its content when its data have been written back.
class LateMemory : public SlowMemory, public memory::CopyEngine {
 public:
  Home allocate(std::uint64_t bytes) override {
    memory_.resize(bytes + 4096);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return {.address = memory_.data() + (4096 - address % 4096) % 4096};
  }
  memory::CopyEngine& engine() override { return *this; }
  std::byte* map(const Home& home, std::uint64_t offset, std::uint64_t bytes, bool edits) override {
    std::byte* const begin = home.address + offset;
    for (const Late* late : open_)
      for (const memory::CopyPiece& piece : late->job.pieces) {
        EXPECT_FALSE(overlap(piece.to, begin, piece.bytes, bytes)) << "views what is written";
        EXPECT_FALSE(edits && overlap(piece.from, begin, piece.bytes, bytes)) << "edits, and reads";
      }
    return begin;
  }
  void release(std::byte*, std::uint64_t) override {}
  void unmap() override {}

  /// Lets a transfer fail, after as many others.
  void fail_after(int transfers) { until_failure_ = transfers; }
  void set_slots(const StreamRunner::Slots& slots, std::uint64_t bytes) {
    slots_ = slots;
    slot_bytes_ = bytes;
  }

  std::string_view name() const override { return "late"; }
  bool blocks() const override { return false; }
  bool can(const memory::CopyJob&) const override { return true; }
  std::unique_ptr<memory::CopyOperation> start(memory::CopyJob job) override {
    EXPECT_FALSE(job.pieces.empty());
    check_order(job);
    for (const memory::CopyPiece& piece : job.pieces) {
      if (is_home(piece.from)) spoil(piece.to, piece.bytes);
    }
    return std::make_unique<Late>(*this, std::move(job));
  }

 private:
  struct Late : memory::CopyOperation {
    Late(LateMemory& owner, memory::CopyJob given) : memory(owner), job(std::move(given)) {
      memory.open_.insert(this);
    }
    ~Late() override { EXPECT_TRUE(done) << "neither waited for nor cancelled"; }
    memory::TransferProgress poll() override { return {0, done}; }
    void wait() override {
      if (!done && memory.until_failure_ >= 0 && memory.until_failure_-- == 0) {
        end();
        throw Error::failed("file in /home", "writing at 4096: Input/output error");
      }
      if (!done)
        for (const memory::CopyPiece& piece : job.pieces)
          std::memcpy(piece.to, piece.from, piece.bytes);
      if (const auto slot = memory.slot_of(job.pieces.front().from); !done && slot)
        spoil(memory.slots_[*slot], memory.slot_bytes_);
      end();
    }
    void cancel() noexcept override { end(); }
    void end() {
      done = true;
      memory.open_.erase(this);
    }
    LateMemory& memory;
    memory::CopyJob job;
    bool done = false;
  };

  [[nodiscard]] bool is_home(const std::byte* at) const {
    return at >= memory_.data() && at < memory_.data() + memory_.size();
  }
  /// Copies for the program aren't in slots.
  [[nodiscard]] std::optional<std::size_t> slot_of(const std::byte* at) const {
    for (std::size_t s = 0; s < slots_.size(); ++s)
      if (at >= slots_[s] && at < slots_[s] + slot_bytes_) return s;
    return {};
  }
  static bool overlap(const std::byte* a, const std::byte* b, std::size_t m, std::size_t n) {
    return a < b + n && b < a + m;
  }
  static void spoil(std::byte* at, std::size_t bytes) { std::memset(at, 0xff, bytes); }  // NaN

  /// A job may not use bytes that a job in progress writes, nor write bytes that one reads.
  void check_order(const memory::CopyJob& job) const {
    for (const Late* late : open_)
      for (const memory::CopyPiece& other : late->job.pieces)
        for (const memory::CopyPiece& piece : job.pieces) {
          EXPECT_FALSE(overlap(piece.to, other.to, piece.bytes, other.bytes)) << "two writers";
          EXPECT_FALSE(overlap(piece.to, other.from, piece.bytes, other.bytes))
              << "overwritten before it is read";
          EXPECT_FALSE(overlap(piece.from, other.to, piece.bytes, other.bytes))
              << "read before it is written";
        }
  }

  std::vector<std::byte> memory_;
  StreamRunner::Slots slots_{};
  std::uint64_t slot_bytes_ = 0;
  std::set<Late*> open_;
  int until_failure_ = -1;
};

using Values = std::vector<std::vector<double>>;

struct Outcome {
  Values values;
  std::vector<double> results;
  StreamCounters counters;
  std::uint64_t field_bytes = 0;  ///< of all fields
};

/// A random program; with a budget, in slow memory.
class Scenario {
 public:
  Scenario(unsigned seed, const Options& options) : program(options), seed_(seed) {
    LateMemory* late = nullptr;
    if (options.budget > 0) {
      auto memory = std::make_unique<LateMemory>();
      late = memory.get();
      Program::State& state = program.state();
      state.streaming.emplace(*state.context, *state.runner, options.budget, std::move(memory),
                              options.without);
    }
    random_.emplace(program, seed);
    if (late != nullptr) {
      Streaming& streaming = *program.state().streaming;
      streaming.place();
      if (streaming.is_active()) late->set_slots(streaming.slots(), streaming.slot_bytes());
    }
    random_->start();
  }

  /// Runs several chains, with changes of fields in between.
  Outcome run() {
    Outcome outcome;
    for (unsigned round = 0; round < 2; ++round)
      for (unsigned chain = 0; chain < 3; ++chain) {
        for (int repeated = 0; repeated < 2; ++repeated) {
          random_->chain(seed_ * 31 + chain);
          random_->run(outcome.results);
        }
        if (chain == 1) random_->edit(static_cast<int>(round + chain));
      }
    return end(std::move(outcome));
  }

  /// Repeats one chain on meshes that are cyclic.
  Outcome run_cyclic() {
    Outcome outcome;
    for (const auto& mesh : program.meshes()) mesh->cyclic();
    for (int repeated = 0; repeated < 4; ++repeated) {
      random_->chain(seed_);
      random_->run(outcome.results);
    }
    random_->chain(seed_);
    std::vector<FieldStorage*> fields;
    for (const auto& mesh : program.meshes())
      for (const auto& field : mesh->fields()) fields.push_back(field.get());
    detail::run_for(fields);
    return end(std::move(outcome));
  }

  Program program;

 private:
  Outcome end(Outcome outcome) {
    outcome.values = random_->values();
    for (const auto& mesh : program.meshes())
      for (const auto& field : mesh->fields()) outcome.field_bytes += field->memory_bytes();
    outcome.counters = program.counters().streamed;
    return outcome;
  }

  const unsigned seed_;
  std::optional<RandomProgram> random_;
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

/// Compares random programs with runs in memory. Returns the total of their counters, with the
/// number of programs that were streamed as slot_bytes.
StreamCounters compare(Outcome (Scenario::*run)(), Options options, unsigned seeds) {
  StreamCounters sum;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const Outcome expected = (Scenario(seed, {.threads = 1, .mode = Mode::untiled}).*run)();
    std::mt19937 random(seed);
    for (const int threads : {1, 3}) {
      options.threads = threads;
      options.budget = expected.field_bytes * (15 + random() % 85) / 100;
      Outcome outcome;
      try {
        outcome = (Scenario(seed, options).*run)();
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("budget"));
        continue;
      }
      sum.outer_tiles += outcome.counters.outer_tiles;
      sum.slot_bytes += outcome.counters.outer_tiles > 0;
      sum.bytes_in += outcome.counters.bytes_in;
      sum.bytes_out += outcome.counters.bytes_out;
      EXPECT_EQ(outcome.counters.bytes_out, outcome.counters.planned_bytes_out);
      EXPECT_TRUE(same_bits(outcome.results, expected.results)) << "reductions";
      EXPECT_EQ(outcome.values.size(), expected.values.size());
      for (std::size_t f = 0; f < outcome.values.size(); ++f)
        EXPECT_TRUE(same_bits(outcome.values[f], expected.values[f])) << "field " << f;
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << "seed " << seed << ", budget " << options.budget << ", " << threads;
        return sum;
      }
    }
  }
  return sum;
}

TEST(StencilStream, RandomProgramsHaveTheSameBitsAsInMemory) {
  const StreamCounters all = compare(&Scenario::run, {}, 100);
  EXPECT_GT(all.slot_bytes, 100U);
  EXPECT_GT(all.outer_tiles, 5'000U);
  ASSERT_FALSE(HasFailure());
  for (const Without& without :
       {Without{.read_only = true}, Without{.write_first = true}, Without{.prefetch = true}}) {
    Options options;
    options.without = without;
    const StreamCounters some = compare(&Scenario::run, options, 100);
    if (without.read_only) {
      EXPECT_GT(some.bytes_out, all.bytes_out);
    }
    if (without.write_first) {
      EXPECT_GT(some.bytes_in, all.bytes_in);
    }
  }
}

TEST(StencilStream, CyclicProgramsHaveTheSameBitsAndWriteLess) {
  const StreamCounters cyclic = compare(&Scenario::run_cyclic, {}, 150);
  Options options;
  options.without.cyclic = true;
  const StreamCounters others = compare(&Scenario::run_cyclic, options, 150);
  EXPECT_GT(cyclic.slot_bytes, 100U);
  EXPECT_LT(cyclic.bytes_out, others.bytes_out);
}

/// A plate whose second field is written first in each step.
class Plate {
 public:
  Plate() : program_(options()), mesh_(program_.mesh("plate", {64, 200})) {
    auto memory = std::make_unique<LateMemory>();
    late_ = memory.get();
    Program::State& state = program_.state();
    state.streaming.emplace(*state.context, *state.runner, options().budget, std::move(memory),
                            Without{});
    u_ = mesh_.field<double>("u", {.halo = 1});
    flux_ = mesh_.field<double>("flux", {.halo = 1});
    state.streaming->place();
    late_->set_slots(state.streaming->slots(), state.streaming->slot_bytes());
    mesh_.loop(
        "start", u_.storage().whole(), [](const Index& at, auto u) { u() = at.x * at.y; }, index(),
        write(u_));
    mesh_.cyclic();
  }
  void step() {
    mesh_.loop(
        "flux", u_.storage().whole(), [](auto u, auto flux) { flux() = 0.5 * u(); }, read(u_),
        write(flux_));
    mesh_.loop(
        "update", mesh_.interior(), [](auto flux, auto u) { u() -= flux(0, -1) - flux(0, 1); },
        read(flux_, star(1)), increment(u_));
  }
  static Options options() {
    Options options;
    options.threads = 2;
    options.budget = 150'000;
    return options;
  }
  std::string refusal(const std::function<void()>& access) {
    try {
      access();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      return error.what();
    }
    return "";
  }

  Program program_;
  Mesh& mesh_;
  LateMemory* late_ = nullptr;
  Field<double> u_, flux_;
};

TEST(StencilStream, ATransferThatFailsEndsTheProgram) {
  using testing::HasSubstr;
  for (int transfers = 0; transfers < 12; ++transfers) {
    Plate plate;
    plate.late_->fail_after(transfers);
    const auto failure = [&](const std::function<void()>& work) -> std::string {
      try {
        work();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::failed);
        return error.what();
      }
      return "";
    };
    EXPECT_THAT(failure([&] {
                  for (int step = 0; step < 6; ++step) plate.step(), plate.program_.run();
                }),
                HasSubstr("writing at 4096: Input/output error"));
    EXPECT_THAT(failure([&] { (void)plate.u_.view(); }), HasSubstr("a transfer"));
  }
}

TEST(StencilStream, DroppedDataAreRefused) {
  using testing::AllOf, testing::HasSubstr;
  Plate plate;
  plate.step();
  plate.program_.run();
  const auto names = AllOf(HasSubstr("'flux'"), HasSubstr("the chain from 'flux' to 'update'"));
  EXPECT_THAT(plate.refusal([&] { (void)plate.flux_.view(); }), names);
  EXPECT_THAT(plate.refusal([&] { (void)plate.flux_.copy(); }), names);
  EXPECT_NO_THROW((void)plate.u_.view());
  plate.mesh_.loop(
      "later", plate.mesh_.interior(), [](auto flux, auto u) { u() = flux(); }, read(plate.flux_),
      write(plate.u_));
  EXPECT_THAT(plate.refusal([&] { plate.program_.run(); }),
              AllOf(names, HasSubstr("loop 'later'"), HasSubstr("field 'flux'")));
  // A chain that runs because of an access keeps the field, and the program goes on.
  plate.step();
  EXPECT_NO_THROW((void)plate.flux_.view());
  plate.step();
  EXPECT_NO_THROW((void)plate.u_.view());
  EXPECT_THAT(plate.refusal([&] { (void)plate.flux_.view(); }), names);
}

}  // namespace
}  // namespace Atoll::stencil
