// The profile file: saved profiles can be loaded, other files are refused in one line.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "atoll/base/error.hpp"
#include "machine_support.hpp"
#include "profile/seal.hpp"
#include "profile_support.hpp"
#include "temporary_folder.hpp"

namespace Atoll::profile {
namespace {

namespace fs = std::filesystem;

class ProfileFileTest : public testing::Test {
 protected:
  /// Returns a profile with rows in every table.
  static Profile full() {
    SyntheticRun run = random_run(1);
    run.recording.processes.push_back({.id = 1, .pid = 9, .parent = 0, .signal = 9});
    const std::uint32_t thread = run.add_thread(1);
    run.recording.threads[thread].pu = 3;
    run.recording.threads[thread].name = "näme";
    run.recording.split_accesses = 17;
    run.recording.losses = {{recording::LossKind::pages_without_lines, 7},
                            {recording::LossKind::other, 1, "said"}};
    run.recording.objects.push_back({.id = static_cast<std::uint32_t>(run.recording.objects.size()),
                                     .kind = recording::ObjectKind::pool,
                                     .process = 1,
                                     .address = 0xffffffffff600000,
                                     .bytes = 1 << 20,
                                     .allocations = 1000});
    run.touch(thread, run.recording.objects.back().id, 0, 3, 4);
    Profile profile = run.build();
    profile.machine = Machine::open("xeon-x7550").to_json();
    // Nodes of the first pages: unknown, and by a policy whose mask has two words.
    profile.recording.policies = {{3, {0x8000'0000'0000'0003, 1}}, {1, {2}}};
    profile.recording.homes = {{}, {.thread = 0, .policy = 0}, {.thread = thread, .policy = 1}};
    const auto threads = static_cast<std::uint32_t>(profile.recording.threads.size());
    for (std::size_t i = 0;
         i < std::min<std::size_t>(3, profile.first_touch.front().threads.size()); ++i)
      profile.first_touch.front().threads[i] = threads + static_cast<std::uint32_t>(i);
    profile.samples = {{0, 7, 0, 1, 5}, {0, 7, 1, 0, 2}, {1, 9, 0, 1, std::uint64_t{1} << 40}};
    return profile;
  }
  /// Changes the file with SQL, as another program could.
  static void run_sql(const fs::path& path, const char* sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(database);
    seal(path);
  }
  static std::string load_error(const std::string& path) {
    return input_error([&] { static_cast<void>(load(path)); });
  }
  [[nodiscard]] long files() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "p.profile";
};

TEST_F(ProfileFileTest, ComesBackEqual) {
  const Profile saved = full();
  save(saved, path_);
  const Profile loaded = load(path_);
  EXPECT_EQ(loaded.chunks, saved.chunks);
  EXPECT_EQ(loaded.first_touch, saved.first_touch);
  EXPECT_EQ(loaded.samples, saved.samples);
  EXPECT_EQ(loaded.communication, saved.communication);
  EXPECT_EQ(loaded.write_communication, saved.write_communication);
  EXPECT_EQ(loaded.sharing, saved.sharing);
  EXPECT_EQ(loaded.machine, saved.machine);
  const recording::Recording &a = loaded.recording, &b = saved.recording;
  EXPECT_EQ(a.frontend, b.frontend);
  EXPECT_EQ(a.frontend_reason, b.frontend_reason);
  EXPECT_EQ(a.cant_see, b.cant_see);
  EXPECT_EQ(a.losses, b.losses);
  EXPECT_EQ(a.processes, b.processes);
  EXPECT_EQ(a.threads, b.threads);
  EXPECT_EQ(a.sites, b.sites);
  EXPECT_EQ(a.objects, b.objects);
  EXPECT_EQ(a.policies, b.policies);
  EXPECT_EQ(a.homes, b.homes);
  EXPECT_EQ(a.elapsed_seconds, b.elapsed_seconds);
  EXPECT_EQ(a.native_seconds, b.native_seconds);
  EXPECT_EQ(a.epoch_ns, b.epoch_ns);
  EXPECT_EQ(a.epochs, b.epochs);
  EXPECT_EQ(a.split_accesses, b.split_accesses);
  EXPECT_EQ(check(path_), std::vector<std::string>{});
  EXPECT_EQ(files(), 1);
}

TEST_F(ProfileFileTest, AnEmptyRunIsAProfile) {
  save(SyntheticRun(1).build(), path_);
  EXPECT_TRUE(load(path_).chunks.empty());
  EXPECT_EQ(check(path_), std::vector<std::string>{});
}

TEST_F(ProfileFileTest, ReplacesTheOldFile) {
  std::ofstream(path_) << "old";
  save(full(), path_);
  EXPECT_FALSE(load(path_).chunks.empty());
  EXPECT_EQ(files(), 1);
}

TEST_F(ProfileFileTest, ASignalWhileItIsWrittenEndsTheProcessWhenItIsComplete) {
  const Profile profile = full();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    if (child == 0) {
      save(profile, path_);
      for (;;) ::pause();
    }
    int status = 0;
    while (files() == 0)  // the first new file may be the temporary one
      ASSERT_EQ(::waitpid(child, &status, WNOHANG), 0);
    ::kill(child, signal);
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_EQ(files(), 1);
    EXPECT_EQ(load(path_).chunks, profile.chunks);
    fs::remove(path_);
  }
}

TEST_F(ProfileFileTest, WhatCannotBeWrittenIsRefused) {
  const Profile profile = full();
  EXPECT_NE(input_error([&] { save(profile, folder_.path().string()); }), "");
  EXPECT_NE(input_error([&] { save(profile, (folder_ / "none" / "p").string()); }), "");
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NE(input_error([&] { save(profile, path_); }), "");
  EXPECT_TRUE(fs::is_fifo(path_));
}

TEST_F(ProfileFileTest, RefusesWhatIsNoProfile) {
  EXPECT_NE(load_error(path_), "");
  EXPECT_NE(load_error(folder_.path().string()), "");
  std::ofstream(path_) << "not a database";
  EXPECT_NE(load_error(path_), "");
  fs::remove(path_);
  run_sql(path_, "CREATE TABLE run (a)");
  EXPECT_NE(load_error(path_).find("no profile"), std::string::npos);
}

TEST_F(ProfileFileTest, RefusesOtherVersions) {
  save(full(), path_);
  run_sql(path_, "PRAGMA user_version = 7");
  EXPECT_NE(load_error(path_).find("version 6"), std::string::npos);
  run_sql(path_, "PRAGMA user_version = 0");
  EXPECT_NE(load_error(path_).find("record it again"), std::string::npos);
}

TEST_F(ProfileFileTest, RefusesEveryTruncation) {
  save(full(), path_);
  const std::uint64_t bytes = fs::file_size(path_);
  for (std::uint64_t keep : {bytes - 1, bytes - 16384, bytes / 2, std::uint64_t{16384},
                             std::uint64_t{100}, std::uint64_t{15}, std::uint64_t{0}}) {
    const std::string cut = folder_ / "cut";
    fs::copy_file(path_, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, keep);
    EXPECT_NE(load_error(cut), "") << keep;
  }
}

/// Includes bytes of free pages, and bytes that SQLite ignores.
TEST_F(ProfileFileTest, RefusesWhateverWasChanged) {
  save(full(), path_);
  std::ifstream file(path_, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  std::mt19937_64 random(1);
  const std::string damaged = folder_ / "damaged";
  const auto refused = [&](const std::string& content) {
    std::ofstream(damaged, std::ios::binary) << content;
    return !load_error(damaged).empty();
  };
  static_cast<void>(load(path_));
  for (int i = 0; i < 1000; ++i) {
    std::string overwritten = good;
    const std::size_t at = random() % (good.size() - 32);
    for (std::size_t byte = at; byte < at + 32; ++byte)
      overwritten[byte] = static_cast<char>(random());
    ASSERT_TRUE(refused(overwritten)) << "32 bytes from " << at;
    std::string flipped = good;
    const std::size_t bit = random() % (8 * good.size());
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    ASSERT_TRUE(refused(flipped)) << "bit " << bit;
  }
  std::string exchanged = good;
  std::swap_ranges(exchanged.begin() + 16384, exchanged.begin() + 32768, exchanged.begin() + 32768);
  EXPECT_TRUE(refused(exchanged)) << "pages";
}

TEST_F(ProfileFileTest, RefusesRowsThatPointNowhere) {
  save(full(), path_);
  for (const char* sql :
       {"UPDATE chunks SET thread = 10000",
        "UPDATE objects SET site = 999",
        "UPDATE threads SET process = -1",
        "DELETE FROM objects WHERE id = 2",
        "DELETE FROM chunks WHERE rowid = 3",
        "UPDATE chunks SET counts = zeroblob(30)",
        "UPDATE chunks SET reads = reads + 1",
        "UPDATE chunks SET pages = 600",
        "UPDATE objects SET kind = 'none'",
        "UPDATE run SET frontend = 'x'",
        "DELETE FROM frames WHERE level = 0",
        "UPDATE touches SET first_page = 7",
        "DELETE FROM run",
        "UPDATE communication SET thread = 8, other = 0 WHERE thread = 0 AND other = 1",
        "DROP TABLE losses",
        "CREATE TABLE more (a)",
        "CREATE VIEW v AS SELECT 1",
        "UPDATE processes SET pid = 'a'",
        "UPDATE run SET epochs = 65",
        "UPDATE samples SET epoch = 63",
        "UPDATE samples SET page = 6 WHERE rowid = 2",
        "DELETE FROM samples WHERE rowid = 3",
        "UPDATE run SET elapsed_seconds = -1",
        "UPDATE processes SET parent = 77",
        "UPDATE arguments SET position = position + 9"}) {
    const std::string broken = folder_ / "broken";
    fs::copy_file(path_, broken, fs::copy_options::overwrite_existing);
    run_sql(broken, sql);
    EXPECT_NE(load_error(broken), "") << sql;
  }
}

TEST_F(ProfileFileTest, CheckFindsWhatIsInconsistent) {
  save(full(), path_);
  for (const auto& [sql, finding] : std::vector<std::pair<const char*, const char*>>{
           {"UPDATE objects SET reads = reads + 1 WHERE id = 1", "sum of its chunks"},
           {"UPDATE objects SET communication = communication + 1 WHERE id = 0", "objects' sum"},
           {"UPDATE communication SET written_lines = lines + 1", "written lines"},
           {"UPDATE objects SET bytes = 64", "outside of itself"},
           {"UPDATE objects SET private_lines = 1000000", "more lines"},
           {"UPDATE processes SET started_ns = 9000000000", "ended before"},
           {"UPDATE threads SET started_ns = 5, ended_ns = 0, joined_ns = 3",
            "joined before it began"},
           {"UPDATE threads SET pu = -77", "a negative number"},
           {"UPDATE processes SET exit_code = -1 WHERE exit_code IS NOT NULL", "no process has"},
           {"UPDATE processes SET signal = 1000 WHERE signal IS NOT NULL", "a signal that there"},
           {"UPDATE processes SET parent = NULL; UPDATE threads SET process = 1",
            "another process"},
           {"UPDATE run SET machine = '{}'", "no machine"},
           {"UPDATE run SET epochs = 3", "after the last"},
           {"UPDATE run SET touch_count = touch_count - 1; DELETE FROM touches WHERE rowid = 1",
            "first touch"}}) {
    const std::string broken = folder_ / "broken";
    fs::copy_file(path_, broken, fs::copy_options::overwrite_existing);
    run_sql(broken, sql);
    std::string found;
    for (const std::string& line : check(broken)) found += line + "\n";
    EXPECT_NE(found.find(finding), std::string::npos) << sql << ": " << found;
  }
}

}  // namespace
}  // namespace Atoll::profile
