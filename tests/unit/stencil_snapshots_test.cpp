// Series of snapshots: they grow, and are continued after a restart.
// tests/e2e/test_stencil_output.py reads the files with other readers.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/stencil/snapshots.hpp"
#include "temporary_folder.hpp"

namespace Atoll::stencil {
namespace {

namespace fs = std::filesystem;

class SnapshotsTest : public testing::Test {
 protected:
  [[nodiscard]] Snapshots series() const { return {path_, {.cells = {4, 2, 1}}}; }
  [[nodiscard]] std::vector<ConstStridedArray> fields() const {
    return {dense_array("density", density_.data(), 2, {4, 2, 1})};
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Returns the steps of all files that the index lists.
  [[nodiscard]] std::vector<std::string> steps() const {
    const std::string text = content(path_ + ".xmf");
    EXPECT_TRUE(text.ends_with("</Xdmf>\n")) << text;
    const std::regex name(R"(series_0*(\d+)\.h5:/density)");
    std::vector<std::string> all;
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it)
      all.push_back((*it)[1]);
    return all;
  }

  TemporaryFolder folder_;
  std::string path_ = (folder_ / "series").string();
  std::vector<double> density_ = std::vector<double>(8, 1.5);
};

using Steps = std::vector<std::string>;

TEST_F(SnapshotsTest, TheIndexGrows) {
  Snapshots all = series();
  for (const int step : {10, 20, 30}) all.write(step, step, fields());
  EXPECT_EQ(steps(), (Steps{"10", "20", "30"}));
  all.write(30, 31, fields());
  EXPECT_EQ(steps(), (Steps{"10", "20", "30"}));
}

TEST_F(SnapshotsTest, ARestartGoesOnWithItsSeries) {
  Snapshots whole = series();
  for (const int step : {10, 20, 30, 40}) whole.write(step, step, fields());
  const std::string index = content(path_ + ".xmf");

  Snapshots again = series();  // restarted from the checkpoint of step 25
  again.continue_from(25);
  again.write(30, 30, fields());
  EXPECT_EQ(steps(), (Steps{"10", "20", "30"}));
  again.write(40, 40, fields());
  EXPECT_EQ(content(path_ + ".xmf"), index);

  Snapshots fresh = series();
  fresh.write(10, 10, fields());
  EXPECT_EQ(steps(), Steps{"10"});
  fs::remove(path_ + ".xmf");
  Snapshots none = series();
  none.continue_from(25);
  none.write(30, 30, fields());
  EXPECT_EQ(steps(), Steps{"30"});
}

TEST_F(SnapshotsTest, OnlyItsOwnIndexIsContinued) {
  series().write(10, 10, fields());
  const std::string own = content(path_ + ".xmf");
  std::string other = own;
  other.replace(other.find("step 10"), 7, "case 10");
  for (const std::string& text :
       {std::string("<Xdmf/>"), own.substr(0, own.size() - 1), other, std::string()}) {
    std::ofstream(path_ + ".xmf") << text;
    Snapshots again = series();
    try {
      again.continue_from(10);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      EXPECT_EQ(std::string(error.what()).find(path_ + ".xmf"), 0U);
    }
  }
}

TEST_F(SnapshotsTest, FieldsThatDontFitAreRefusedAndNothingIsWritten) {
  Snapshots all = series();
  std::vector<ConstStridedArray> two = fields();
  two.push_back(two.front());
  auto wide = fields(), tall = fields(), named = fields(), solid = fields();
  wide[0].points[0] = 5;
  tall[0].staggered[1] = true;
  named[0].name = "a/b";
  solid[0].dimensions = 3;
  for (const auto& wrong : {two, wide, tall, named, solid})
    EXPECT_THROW(all.write(0, 0, wrong), Error);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  EXPECT_THROW(Snapshots(path_, {.dimensions = 4}), Error);
  EXPECT_THROW(Snapshots(path_, {.cells = {4, 0, 1}}), Error);
  EXPECT_THROW(Snapshots(path_, {.cells = {4, 2, 3}}), Error);
  EXPECT_THROW(Snapshots(path_, {.cells = {4, 2, 1}, .nodes = {{{0, 1, 2}, {}, {}}}}), Error);
}

// The program is killed at random times. The index must be complete, and all files that it lists
// must exist and be complete.
TEST_F(SnapshotsTest, KilledAtAnyMomentTheIndexNamesWholeFiles) {
  std::mt19937 random(1);
  for (int round = 0; round < 25; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      Snapshots all = series();
      for (int step = 1;; ++step) all.write(step, step, fields());
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!fs::exists(path_ + ".xmf") && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 10'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Steps named = steps();
    ASSERT_FALSE(named.empty());
    for (const std::string& step : named) {
      const auto file = series().step_file(std::stoi(step));
      ASSERT_TRUE(fs::exists(file)) << file;
      ASSERT_TRUE(content(file).starts_with("\x89HDF")) << file;
    }
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
  }
}

}  // namespace
}  // namespace Atoll::stencil
