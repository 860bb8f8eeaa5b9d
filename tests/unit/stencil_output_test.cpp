// Output of programs with deferred loops. The requested files are written, results don't change,
// and a restarted run gives the same bits.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "atoll/base/error.hpp"
#include "atoll/stencil/output.hpp"
#include "atoll/stencil/stencil.hpp"
#include "temporary_folder.hpp"

namespace Atoll::stencil {
namespace {

namespace fs = std::filesystem;

/// A heat equation with output.
class Heat {
 public:
  explicit Heat(const OutputOptions& options = {}, int threads = 2, int width = 60)
      : program_({.threads = threads}),
        mesh_(program_.mesh("plate", {width, 40})),
        u_(mesh_.field<double>("u", {.halo = 1})),
        v_(mesh_.field<double>("v")),
        state_("heat"),
        output_("heat", options, {.cells = {width, 40, 1}}, state_) {
    mesh_.loop(
        "start", u_.storage().whole(),
        [](auto u, const Index& at) { u(0, 0) = at.x % 7 + 0.1 * (at.y % 5); }, stencil::write(u_),
        index());
    state_.setting("width", std::int64_t{width});
    state_.scalar("step", step_);
    state_.scalar("time", time_);
    state_.field(u_);
    output_.field(u_, "Temperature");
    output_.field(v_);
    goes_on_ = output_.begin(step_);
    if (!goes_on_) output_.write(step_, time_);
  }

  /// Runs until step `end`.
  Heat& run(std::int64_t end) {
    while (step_ < end) {
      mesh_.loop(
          "heat", mesh_.interior(),
          [](auto u, auto v) {
            v(0, 0) = u(0, 0) + 0.2 * (u(1, 0) + u(-1, 0) + u(0, 1) + u(0, -1) - 4 * u(0, 0));
          },
          read(u_, star(1)), stencil::write(v_));
      mesh_.loop(
          "copy", mesh_.interior(), [](auto v, auto u) { u(0, 0) = v(0, 0); }, read(v_),
          stencil::write(u_));
      time_ += 0.1;
      ++step_;
      output_.write(step_, time_);
    }
    return *this;
  }

  void finish() { output_.finish(step_, time_); }
  [[nodiscard]] std::vector<double> values() const { return u_.copy(u_.storage().whole()); }
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] bool goes_on() const { return goes_on_; }
  [[nodiscard]] std::uint64_t chains() const { return program_.counters().chains; }

 private:
  Program program_;
  Mesh& mesh_;
  Field<double> u_, v_;
  double time_ = 0;
  std::int64_t step_ = 0;
  bool goes_on_ = false;
  Checkpoint state_;
  Output output_;
};

class StencilOutputTest : public testing::Test {
 protected:
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      names.insert(entry.path().filename());
    return names;
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Returns the message of the input error for these options.
  [[nodiscard]] std::string refusal(const OutputOptions& options) const {
    try {
      Heat heat(options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      return error.what();
    }
    return "nothing";
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path().string();
};

using Files = std::set<std::string>;

TEST_F(StencilOutputTest, ChangesNoBitsAndARestartHasThemToo) {
  Heat plain;
  plain.run(20);
  EXPECT_TRUE(files().empty());

  Heat watched({.folder = path_, .snapshots = 5, .frames = 7, .frame_size = 64, .checkpoint = 8});
  EXPECT_FALSE(watched.goes_on());
  watched.run(20);
  EXPECT_EQ(watched.values(), plain.values());
  EXPECT_EQ(files(), (Files{"heat.xmf", "heat_000000.h5", "heat_000005.h5", "heat_000010.h5",
                            "heat_000015.h5", "heat_000020.h5", "heat_u_000000.png",
                            "heat_u_000007.png", "heat_u_000014.png", "heat.checkpoint.h5"}));

  for (const int threads : {1, 3}) {
    Heat again({.restart = path_ + "/heat.checkpoint.h5"}, threads);
    EXPECT_TRUE(again.goes_on());
    EXPECT_EQ(again.step(), 16);
    EXPECT_NE(again.values(), plain.values());
    again.run(20);
    EXPECT_EQ(again.values(), plain.values());
    EXPECT_EQ(again.time(), plain.time());
  }
}

TEST_F(StencilOutputTest, TheLastStepIsWrittenOnce) {
  Heat heat({.folder = path_, .snapshots = 4});
  heat.run(8).finish();  // finish() has no effect, because write() wrote step 8
  EXPECT_EQ(files(), (Files{"heat.xmf", "heat_000000.h5", "heat_000004.h5", "heat_000008.h5"}));
  const auto written = fs::last_write_time(folder_ / "heat_000008.h5");
  heat.finish();
  EXPECT_EQ(fs::last_write_time(folder_ / "heat_000008.h5"), written);
  heat.run(10).finish();
  EXPECT_TRUE(files().contains("heat_000010.h5"));
  EXPECT_NE(content("heat.xmf").find("heat_000010.h5"), std::string::npos);
}

TEST_F(StencilOutputTest, WithoutSnapshotsTheLastStepIsNotWritten) {
  Heat heat({.folder = path_, .frames = 4, .frame_size = 64});
  heat.run(5).finish();
  EXPECT_EQ(files(), (Files{"heat_u_000000.png", "heat_u_000004.png"}));
}

TEST_F(StencilOutputTest, CheckpointsByTheClock) {
  Heat({.folder = path_, .checkpoint_minutes = 600}).run(5);
  EXPECT_TRUE(files().empty());
  Heat({.folder = path_, .checkpoint_minutes = 1e-12}).run(5);
  EXPECT_EQ(files(), Files{"heat.checkpoint.h5"});
  Heat again({.restart = path_ + "/heat.checkpoint.h5"});
  EXPECT_EQ(again.step(), 5);  // a checkpoint after each step
  EXPECT_NE(refusal({.folder = path_, .checkpoint_minutes = -1}).find("--checkpoint-minutes"),
            std::string::npos);
}

TEST_F(StencilOutputTest, ASignalThatTheProgramHandlesItselfComesAfterTheCheckpoint) {
  static volatile std::sig_atomic_t handled = 0;
  static std::string saved;
  saved = path_ + "/heat.checkpoint.h5";
  struct sigaction mine {
  }, before{};
  mine.sa_handler = [](int) { handled = fs::exists(saved) ? 2 : 1; };
  ASSERT_EQ(::sigaction(SIGTERM, &mine, &before), 0);
  {
    Heat heat({.folder = path_, .checkpoint_on_sigterm = true});
    heat.run(3);
    EXPECT_TRUE(files().empty());
    ::raise(SIGTERM);
    EXPECT_EQ(handled, 0);
    heat.run(4);
    EXPECT_EQ(handled, 2);
    fs::remove(saved);
    heat.run(6);
    EXPECT_TRUE(files().empty());  // the signal is consumed
  }
  handled = 0;
  ::raise(SIGTERM);
  EXPECT_EQ(handled, 1);  // the program's own handler is restored
  ::sigaction(SIGTERM, &before, nullptr);
}

TEST_F(StencilOutputTest, ARestartGoesOnWithTheSameFiles) {
  const OutputOptions options{.folder = path_, .snapshots = 3, .checkpoint = 8};
  Heat(options).run(20);
  const std::string index = content("heat.xmf"), last = content("heat_000018.h5");
  const Files all = files();
  // Simulates a run that stopped after step 17, with the checkpoint of step 16, and continues it.
  OutputOptions later = options;
  Heat(options).run(17);
  fs::remove(folder_ / "heat_000018.h5");
  later.restart = path_ + "/heat.checkpoint.h5";
  Heat(later).run(20);
  EXPECT_EQ(content("heat.xmf"), index);
  EXPECT_EQ(content("heat_000018.h5"), last);
  EXPECT_EQ(files(), all);
}

TEST_F(StencilOutputTest, QueuedLoopsRunOnlyWhereSomethingIsDue) {
  Heat heat({.folder = path_, .checkpoint = 10});
  heat.run(19);
  EXPECT_EQ(heat.chains(), 1U);
}

TEST_F(StencilOutputTest, FieldsAndFramesAreChosen) {
  Heat({.folder = path_,
        .snapshots = 4,
        .fields = {"v"},
        .frames = 4,
        .frame_field = "v",
        .frame_range = {{0, 6}},
        .frame_size = 32})
      .run(4);
  EXPECT_EQ(files(), (Files{"heat.xmf", "heat_000000.h5", "heat_000004.h5", "heat_v_000000.png",
                            "heat_v_000004.png"}));
  EXPECT_NE(content("heat.xmf").find("Name=\"v\""), std::string::npos);
  EXPECT_EQ(content("heat.xmf").find("Name=\"u\""), std::string::npos);
}

TEST_F(StencilOutputTest, WrongOptionsAreRefusedBeforeTheRun) {
  EXPECT_EQ(refusal({.folder = path_, .snapshots = 1, .fields = {"u", "w"}}),
            "--fields: there is no field 'w'; the fields are u, v");
  EXPECT_EQ(refusal({.folder = path_, .frames = 1, .frame_field = "w"}),
            "--frame-field: there is no field 'w'; the fields are u, v");
  EXPECT_EQ(refusal({.folder = path_, .frames = 1, .frame_plane = 1}),
            "--frame-plane: there is no plane 1; the planes of 'u' are 0 to 0");
  EXPECT_NE(refusal({.folder = path_, .frames = 1, .frame_range = {{3, 3}}}).find("is no range"),
            std::string::npos);
  EXPECT_NE(refusal({.snapshots = -1}).find("--snapshots"), std::string::npos);
  EXPECT_TRUE(files().empty());
  for (const OutputOptions& options : {OutputOptions{.folder = path_ + "/none", .snapshots = 100},
                                       OutputOptions{.folder = path_ + "/none", .frames = 100},
                                       OutputOptions{.folder = path_ + "/none", .checkpoint = 100}})
    EXPECT_EQ(refusal(options).find(path_ + "/none/heat"), 0U);
  EXPECT_EQ(refusal({.folder = path_ + "/none"}), "nothing") << "nothing is written there";
}

TEST_F(StencilOutputTest, ACheckpointOfAnotherSizeIsRefused) {
  Heat({.folder = path_, .checkpoint = 1}, 1, 59).run(1);
  EXPECT_EQ(
      refusal({.restart = path_ + "/heat.checkpoint.h5"}),
      path_ + "/heat.checkpoint.h5: has width 59, and this run 60; restart with the same width");
}

}  // namespace
}  // namespace Atoll::stencil
