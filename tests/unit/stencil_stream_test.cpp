// Random programs whose fields are in slow memory: the same bits as in memory, whatever the sizes
// of slots, and however late transfers are.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "atoll/base/error.hpp"
#include "stencil/state.hpp"
#include "stencil_stream_programs.hpp"

namespace Atoll::stencil {
namespace {

/// Slow memory whose transfers happen at the latest permitted time. Until then, targets hold no
/// numbers. A slot loses its content when data for its next tile are requested.
class LateMemory : public SlowMemory, public memory::CopyEngine {
 public:
  Home allocate(std::uint64_t bytes) override {
    memory_.resize(bytes + 4096);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return {.address = memory_.data() + (4096 - address % 4096) % 4096};
  }
  memory::CopyEngine& engine() override { return *this; }
  std::byte* map(const Home& home, std::uint64_t offset, std::uint64_t, bool edits) override {
    for (const Late* late : open_)
      for (const memory::CopyPiece& piece : late->job.pieces) {
        EXPECT_TRUE(is_home(piece.from)) << "the program views what a transfer writes";
        EXPECT_FALSE(edits) << "the program edits what a transfer reads";
      }
    return home.address + offset;
  }
  void unmap() override {}

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
      if (!is_home(piece.from)) continue;
      const std::size_t slot = slot_of(piece.to);
      if (slot != last_slot_) spoil(slots_[slot], slot_bytes_);
      last_slot_ = slot;
      spoil(piece.to, piece.bytes);
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
      if (!done)
        for (const memory::CopyPiece& piece : job.pieces)
          std::memcpy(piece.to, piece.from, piece.bytes);
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
  [[nodiscard]] std::size_t slot_of(const std::byte* at) const {
    for (std::size_t s = 0; s < slots_.size(); ++s)
      if (at >= slots_[s] && at < slots_[s] + slot_bytes_) return s;
    ADD_FAILURE() << "a transfer leaves the slots";
    return 0;
  }
  static void spoil(std::byte* at, std::size_t bytes) { std::memset(at, 0xff, bytes); }  // NaN

  /// A job may not use bytes that a job in progress writes, nor write bytes that one reads.
  void check_order(const memory::CopyJob& job) const {
    const auto overlap = [](const std::byte* a, const std::byte* b, std::size_t m, std::size_t n) {
      return a < b + n && b < a + m;
    };
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
  std::size_t last_slot_ = SIZE_MAX;
  std::set<Late*> open_;
};

using Values = std::vector<std::vector<double>>;

struct Outcome {
  Values values;
  std::vector<double> results;
  StreamCounters counters;
  std::uint64_t field_bytes = 0;  ///< of all fields
};

/// Runs a random program; with a budget, in slow memory.
Outcome run(unsigned seed, const Options& options) {
  Program program(options);
  LateMemory* late = nullptr;
  if (options.budget > 0) {
    auto memory = std::make_unique<LateMemory>();
    late = memory.get();
    Program::State& state = program.state();
    state.streaming.emplace(*state.context, *state.runner, options.budget, std::move(memory));
  }
  RandomProgram random(program, seed);
  if (late != nullptr) {
    Streaming& streaming = *program.state().streaming;
    streaming.place();
    if (streaming.is_active()) late->set_slots(streaming.slots(), streaming.slot_bytes());
  }
  Outcome outcome;
  random.start();
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned chain = 0; chain < 3; ++chain) {
      for (int repeated = 0; repeated < 2; ++repeated) {
        random.chain(seed * 31 + chain);
        random.run(outcome.results);
      }
      if (chain == 1) random.edit(static_cast<int>(round + chain));
    }
  }
  outcome.values = random.values();
  for (const auto& mesh : program.meshes())
    for (const auto& field : mesh->fields()) outcome.field_bytes += field->memory_bytes();
  if (late != nullptr) outcome.counters = program.state().streaming->counters();
  return outcome;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

TEST(StencilStream, RandomProgramsHaveTheSameBitsAsInMemory) {
  std::uint64_t tiles = 0, streamed = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    const Outcome expected = run(seed, {.threads = 1, .mode = Mode::untiled});
    std::mt19937 random(seed);
    for (const int threads : {1, 3}) {
      const std::uint64_t budget = expected.field_bytes * (15 + random() % 85) / 100;
      Outcome outcome;
      try {
        outcome = run(seed, {.threads = threads, .budget = budget});
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::input) << error.what();
        continue;
      }
      tiles += outcome.counters.outer_tiles;
      streamed += outcome.counters.outer_tiles > 0;
      EXPECT_EQ(outcome.counters.bytes_out, outcome.counters.planned_bytes_out);
      EXPECT_TRUE(same_bits(outcome.results, expected.results)) << "reductions";
      ASSERT_EQ(outcome.values.size(), expected.values.size());
      for (std::size_t f = 0; f < expected.values.size(); ++f)
        EXPECT_TRUE(same_bits(outcome.values[f], expected.values[f])) << "field " << f;
      if (HasFailure()) FAIL() << "seed " << seed << ", budget " << budget << ", " << threads;
    }
  }
  EXPECT_GT(streamed, 100U);
  EXPECT_GT(tiles, 10'000U);
}

}  // namespace
}  // namespace Atoll::stencil
