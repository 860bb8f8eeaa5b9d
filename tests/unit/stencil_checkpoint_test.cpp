// Checkpoints: state is restored bit by bit, and at any time either the old or the new file exists.
// Other files are refused, and don't change the state.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/stencil/checkpoint.hpp"
#include "temporary_folder.hpp"

namespace Atoll::stencil {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// State of a program: fields of many kinds, in strided memory.
struct State {
  static constexpr std::int64_t kX = 13, kY = 7, kZ = 5;
  std::int64_t step = 0;
  double time = 0;
  std::vector<double> dense = std::vector<double>(kX * kY * kZ);
  /// Rows of 16 points, of which kX belong to the field, with two contiguous components.
  std::vector<float> padded = std::vector<float>(2 * 16 * kY);
  std::vector<std::int32_t> line = std::vector<std::int32_t>(kX);
  std::vector<std::uint8_t> empty;

  [[nodiscard]] Checkpoint checkpoint(std::string program = "test", double dt = 0.5) {
    Checkpoint all(std::move(program));
    all.setting("cells", kX);
    all.setting("dt", dt);
    all.setting("scheme", "central differences");
    all.scalar("step", step);
    all.scalar("time", time);
    all.field(dense_array("dense", dense.data(), 3, {kX, kY, kZ}));
    all.field({.name = "padded",
               .type = ElementType::float32,
               .dimensions = 2,
               .points = {kX, kY, 1},
               .components = 2,
               .strides = {4, 64, 0},
               .component_stride = 64 * kY,
               .first = reinterpret_cast<std::byte*>(padded.data())});
    all.field(dense_array("line", line.data(), 1, {kX, 1, 1}));
    all.field(dense_array("empty", empty.data(), 1, {0, 1, 1}));
    return all;
  }

  /// Fills the state with random bits, which include NaNs with a payload.
  void randomise(unsigned seed) {
    std::mt19937_64 random(seed);
    step = static_cast<std::int64_t>(random());
    const auto fill = [&]<typename T>(std::vector<T>& values) {
      for (T& value : values) {
        const std::uint64_t bits = random();
        std::memcpy(&value, &bits, sizeof value);
      }
    };
    fill(dense);
    fill(padded);
    fill(line);
    const std::uint64_t nan = 0x7ff8'1234'5678'9abc;
    std::memcpy(&time, &nan, sizeof time);
    std::memcpy(&dense[3], &nan, sizeof nan);
    dense[4] = -0.0;
    dense[5] = std::numeric_limits<double>::denorm_min();
  }

  /// Returns the bits of the whole state that a checkpoint contains.
  [[nodiscard]] std::string bits() const {
    std::string all;
    const auto add = [&](const void* from, std::size_t bytes) {
      all.append(static_cast<const char*>(from), bytes);
    };
    add(&step, sizeof step);
    add(&time, sizeof time);
    add(dense.data(), dense.size() * sizeof(double));
    for (std::int64_t row = 0; row < 2 * kY; ++row)
      add(padded.data() + row * 16, static_cast<std::size_t>(kX) * sizeof(float));
    add(line.data(), line.size() * sizeof(std::int32_t));
    return all;
  }
};

class CheckpointTest : public testing::Test {
 protected:
  /// Returns the error of loading the file. Checks that the state is unchanged.
  std::string refusal(Checkpoint checkpoint) {
    const std::string before = state_.bits();
    std::string said;
    try {
      checkpoint.load(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input) << error.what();
      said = error.what();
    }
    EXPECT_EQ(said.find(path_), 0U) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
    EXPECT_EQ(state_.bits(), before);
    return said;
  }

  TemporaryFolder folder_;
  std::string path_ = (folder_ / "state.h5").string();
  State state_;
};

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return AssertionSuccess();
  return AssertionFailure() << "'" << text << "' doesn't say '" << part << "'";
}

TEST_F(CheckpointTest, TheSameBitsComeBack) {
  state_.randomise(1);
  state_.checkpoint().save(path_);
  State other;
  other.padded.assign(other.padded.size(), 7);
  other.checkpoint().load(path_);
  EXPECT_EQ(other.bits(), state_.bits());
  EXPECT_EQ(other.padded[State::kX], 7) << "what lies between rows isn't the field's";
}

TEST_F(CheckpointTest, FieldsOfManySlabsComeBack) {
  // A plane of 24 MiB, thin planes of 9 MiB in total, and a row that is longer than a slab.
  std::vector<double> plane(3000 * 1000), thin(3 * 2 * 200'000), row(1'200'000);
  std::mt19937_64 random(2);
  for (auto* values : {&plane, &thin, &row})
    for (double& value : *values) value = static_cast<double>(random());
  const auto all = [&](std::vector<double>& a, std::vector<double>& b, std::vector<double>& c) {
    Checkpoint checkpoint("slabs");
    checkpoint.field(dense_array("plane", a.data(), 2, {3000, 1000, 1}));
    checkpoint.field(dense_array("thin", b.data(), 3, {3, 2, 200'000}));
    checkpoint.field(dense_array("row", c.data(), 1, {1'200'000, 1, 1}));
    return checkpoint;
  };
  all(plane, thin, row).save(path_);
  std::vector<double> a(plane.size()), b(thin.size()), c(row.size());
  all(a, b, c).load(path_);
  EXPECT_EQ(a, plane);
  EXPECT_EQ(b, thin);
  EXPECT_EQ(c, row);
}

TEST_F(CheckpointTest, EqualStatesGiveEqualFiles) {
  state_.randomise(3);
  state_.checkpoint().save(path_);
  const std::string first = content(path_);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // beyond 1 s resolution
  state_.checkpoint().save(path_);
  EXPECT_EQ(content(path_), first);
}

TEST_F(CheckpointTest, OtherStatesAreRefused) {
  state_.checkpoint().save(path_);
  EXPECT_TRUE(contains(refusal(state_.checkpoint("other")),
                       "is a checkpoint of 'test', and this is 'other'"));
  EXPECT_TRUE(contains(refusal(state_.checkpoint("test", 0.25)), "has dt 0.5, and this run 0.25"));
  EXPECT_TRUE(contains(refusal(state_.checkpoint("test", std::nextafter(0.5, 1))), "has dt 0.5"));

  Checkpoint more = state_.checkpoint();
  double further = 1;
  more.scalar("further", further);
  EXPECT_TRUE(contains(refusal(std::move(more)), "it has 2 scalars, and this program 3"));

  const auto with_fields = [&](std::vector<StridedArray> fields) {
    Checkpoint all("test");
    all.setting("cells", State::kX);
    all.setting("dt", 0.5);
    all.setting("scheme", "central differences");
    all.scalar("step", state_.step);
    all.scalar("time", state_.time);
    for (StridedArray& field : fields) all.field(std::move(field));
    return all;
  };
  std::vector<std::int16_t> shorts(State::kX);
  const auto dense = [&](std::array<std::int64_t, 3> points) {
    return dense_array("dense", state_.dense.data(), 3, points);
  };
  const auto padded = dense_array("padded", state_.padded.data(), 2, {State::kX, State::kY, 1});
  const auto line = dense_array("line", state_.line.data(), 1, {State::kX, 1, 1});
  const auto empty = dense_array("empty", state_.empty.data(), 1, {0, 1, 1});
  EXPECT_TRUE(contains(refusal(with_fields({dense({13, 7, 5}), padded, line})), "4 fields"));
  EXPECT_TRUE(contains(refusal(with_fields({dense({13, 7, 4}), padded, line, empty})),
                       "'dense' is of another size there: 5x7x13 points, and 4x7x13 here"));
  EXPECT_TRUE(contains(refusal(with_fields({dense({13, 7, 5}), padded, line, empty})),
                       "'padded' is of another size there: 7x13x2 points, and 7x13 here"));
  Checkpoint types = with_fields({dense({13, 7, 5})});
  types.field({.name = "padded",
               .type = ElementType::float32,
               .points = {13, 7, 1},
               .components = 2,
               .strides = {4, 64, 0},
               .component_stride = 64 * State::kY,
               .first = reinterpret_cast<std::byte*>(state_.padded.data())});
  types.field(dense_array("line", shorts.data(), 1, {State::kX, 1, 1}));
  types.field(empty);
  EXPECT_TRUE(contains(refusal(std::move(types)), "'line' isn't int16 there"));
}

TEST_F(CheckpointTest, OtherFilesAreRefused) {
  EXPECT_TRUE(contains(refusal(state_.checkpoint()), "can't be opened: No such file"));
  write(path_, "");
  EXPECT_TRUE(contains(refusal(state_.checkpoint()), "isn't a checkpoint"));
  write(path_, "\x89HDF\r\n\x1a\n and more");
  EXPECT_TRUE(contains(refusal(state_.checkpoint()), "isn't a checkpoint"));
  write(path_, "Atoll checkpoint 2\n");
  EXPECT_TRUE(contains(refusal(state_.checkpoint()), "another version"));
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_TRUE(contains(refusal(state_.checkpoint()), "is no regular file"));
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal(state_.checkpoint()), "is no regular file"));
}

TEST_F(CheckpointTest, FilesThatAreCutShortAreRefused) {
  state_.randomise(4);
  state_.checkpoint().save(path_);
  const std::string whole = content(path_);
  std::mt19937 random(5);
  std::vector<std::size_t> lengths{0, 1, 17, 19, 30, 511, 512, 513, whole.size() - 1};
  for (int i = 0; i < 50; ++i) lengths.push_back(random() % whole.size());
  for (const std::size_t length : lengths) {
    write(path_, whole.substr(0, length));
    const std::string said = refusal(state_.checkpoint());
    EXPECT_TRUE(contains(said, length < 17 ? "isn't a checkpoint" : "cut short")) << length;
  }
  write(path_, whole + "x");
  EXPECT_TRUE(contains(refusal(state_.checkpoint()), "damaged"));
}

TEST_F(CheckpointTest, EveryDamagedByteIsFound) {
  state_.checkpoint().save(path_);
  const std::string whole = content(path_);
  std::mt19937 random(6);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < 300; ++i) places.push_back(i);  // includes the seal and HDF5's header
  for (int i = 0; i < 200; ++i) places.push_back(random() % whole.size());
  for (const std::size_t place : places) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << random() % 8));
    write(path_, damaged);
    ASSERT_NE(refusal(state_.checkpoint()), "") << place;
  }
  write(path_, whole);
  state_.checkpoint().load(path_);
}

TEST_F(CheckpointTest, NamesAreGivenOnce) {
  Checkpoint checkpoint("test");
  double value = 0;
  checkpoint.scalar("value", value);
  EXPECT_THROW(checkpoint.setting("value", 1.0), Error);
  EXPECT_THROW(checkpoint.scalar("", value), Error);
  EXPECT_THROW(checkpoint.scalar("a/b", value), Error);
}

TEST_F(CheckpointTest, FoldersThatCantBeWrittenAreInputErrors) {
  for (const std::string& path : {folder_.path().string() + "/none/state.h5",
                                  std::string("/proc/state.h5"), folder_.path().string()}) {
    try {
      state_.checkpoint().save(path);
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      EXPECT_EQ(std::string(error.what()).find(path), 0U) << error.what();
    }
  }
}

/// Runs `work` in a child process. Returns the exit status.
template <typename F>
int in_child(F&& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(CheckpointTest, AFullDiskLeavesTheOldFile) {
  state_.randomise(7);
  state_.checkpoint().save(path_);
  const std::string old = content(path_);
  for (const rlim_t bytes : {100, 600, 3000, static_cast<int>(old.size()) - 1}) {
    const int status = in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{bytes, bytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      state_.randomise(8);
      for (int twice = 0; twice < 2; ++twice) try {
          state_.checkpoint().save(path_);
          return 1;
        } catch (const Error& error) {
          if (error.kind() != Error::Kind::failed ||
              std::string_view(error.what()).find("File too large") == std::string_view::npos)
            return 2;
        }
      return 0;
    });
    EXPECT_EQ(status, 0) << bytes;
    EXPECT_EQ(content(path_), old);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

/// Waits until the file's checksum has changed.
void wait_for_another(const std::string& path, const std::string& before) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (content(path).substr(0, 100) == before && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
}

// The child saves consistent states: all values of a field equal the step.
TEST_F(CheckpointTest, KilledAtAnyMomentTheOldOrTheNewOneIsThere) {
  const auto set = [](State& state, std::int64_t step) {
    state.step = step;
    state.time = static_cast<double>(step);
    state.dense.assign(state.dense.size(), static_cast<double>(step));
    state.padded.assign(state.padded.size(), static_cast<float>(step));
    state.line.assign(state.line.size(), static_cast<std::int32_t>(step));
  };
  set(state_, 0);
  state_.checkpoint().save(path_);
  std::mt19937 random(9);
  std::int64_t last = 0;
  for (int round = 0; round < 40; ++round) {
    const std::string before = content(path_).substr(0, 100);
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::int64_t step = last + 1;; ++step) {
        set(state_, step);
        state_.checkpoint().save(path_);
      }
    }
    wait_for_another(path_, before);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 10'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
    State found;
    found.checkpoint().load(path_);
    ASSERT_GT(found.step, last);
    last = found.step;
    State wanted;
    set(wanted, last);
    ASSERT_EQ(found.bits(), wanted.bits());
  }
}

}  // namespace
}  // namespace Atoll::stencil
