// Writes the profiles of test_report_html*.py: make_profiles NAME FILE. Small ones are synthetic
// programs; `large` has 10^6 pages that 64 threads all use; `awkward` has names that would break a
// page that doesn't escape them. `make_profiles seal FILE` recomputes the checksums of a modified
// profile.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string_view>

#include "profile/pack.hpp"
#include "profile/seal.hpp"
#include "profile_support.hpp"

namespace {

using namespace Atoll;
using profile::Profile;

Profile awkward() {
  profile::SyntheticRun run = profile::random_run(3);
  const std::string name = "</script><script>document.title='broken'</script><!--<b>&amp;\"'\xff";
  run.recording.processes[0].command = {name, "<!--data-->", "<!--values-->"};
  run.recording.frontend_reason = name;
  run.recording.cant_see = {{.detail = name}};
  run.recording.losses = {{.count = 7, .detail = name}};
  for (recording::Thread& thread : run.recording.threads) thread.name = name;
  for (recording::Site& site : run.recording.sites)
    for (recording::Frame& frame : site.frames) {
      frame.function = name + frame.function;
      frame.file = "/" + name + "/" + frame.file;
    }
  return run.build();
}

/// Two processes, names with terminal control characters, and mostly well-placed data with a few
/// misplaced ones.
Profile several() {
  profile::SyntheticRun run(1);
  run.recording.processes[0].executable = "/bin/parent";
  run.recording.processes[0].command = {"parent", "./evil\x1b[31m\r\x7f\xc2\x9b"};
  run.recording.processes.push_back(
      {.id = 1, .pid = 4712, .parent = 0, .executable = "/bin/other", .command = {"child"}});
  const std::uint32_t filler = run.add_thread(1), other = run.add_thread(1);
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t remote = run.object(fmt::format("make_remote_{}", i), i, 4096);
    run.recording.objects[remote].process = 1;
    run.touch(filler, remote, 0, 0, 1);
    run.touch(other, remote, 0, 1, 9);
  }
  const std::uint32_t local = run.object("make_local", 90, 4096);
  run.recording.objects[local].process = 1;
  run.touch(other, local, 0, 50'000, 50'000);
  const std::uint32_t own = run.object("f", 91, 4096);
  run.recording.objects[own].name = "libatoll-record.so";
  run.touch(0, own, 0, 600, 0);
  const std::uint32_t its = run.object("f", 91, 4096);
  run.recording.objects[its].name = "Atoll::process::inside::root";
  run.touch(0, its, 0, 100, 0);
  const std::uint32_t evil = run.object("f", 92, 4096);
  run.recording.objects[evil].name = "evil\x1b]0;title\a";
  run.touch(0, evil, 0, 100, 0);
  const std::uint32_t stack = run.object("f", 93, 4096);
  run.recording.objects[stack] = {.id = stack,
                                  .kind = recording::ObjectKind::stack,
                                  .process = 1,
                                  .name = "stack of thread 1",
                                  .thread = other,
                                  .address = run.recording.objects[stack].address,
                                  .bytes = 4096};
  run.touch(other, stack, 0, 30, 30);
  return run.build();
}

/// A shell that runs `true` thirty times, and then the program.
Profile scripted() {
  profile::SyntheticRun run = profile::private_blocks(4, 30);
  run.recording.processes[0].command = {"./app"};
  for (std::uint32_t i = 1; i <= 31; ++i) {
    run.recording.processes.push_back({.id = i,
                                       .pid = static_cast<int>(4800 + i),
                                       .parent = 0,
                                       .executable = i == 1 ? "/bin/sh" : "/bin/true",
                                       .command = {i == 1 ? "sh" : "true"}});
    run.recording.threads[run.add_thread(i)].name = "true";
  }
  return run.build();
}

Profile single() {
  profile::SyntheticRun run(1);
  run.touch(0, run.object("f", 1, 4096), 0, 1, 0);
  return run.build();
}

/// Pages that four threads use, without lines, with equal numbers of reads and writes.
Profile sampled() {
  profile::SyntheticRun run(4);
  run.recording.frontend = recording::FrontendName::sample;
  const std::uint32_t table = run.object("load_table", 5, 16 * kPageBytes);
  for (std::uint64_t page = 0; page < 16; ++page)
    for (std::uint32_t thread = 0; thread < 4; ++thread)
      run.touch_page(thread, table, page, 100, 0);
  Profile profile = run.build();
  for (std::uint64_t page = 0; page < 16; ++page)
    for (std::uint32_t thread = 0; thread < 4; ++thread)
      for (std::uint32_t epoch = 0; epoch < 20; ++epoch)
        profile.samples.push_back({table, run.first_page(table) + page, thread, epoch, 5});
  return profile;
}

/// Millions of pairs are written directly as chunks, because line counts of pages would take
/// minutes. Three objects: used by all threads equally, mostly by one thread, and mostly by
/// alternating threads.
Profile large() {
  constexpr std::uint32_t kThreads = 64;
  constexpr std::uint64_t kPages[] = {500'000, 300'000, 200'000};
  constexpr const char* kNames[] = {"make_table", "make_blocks", "make_queues"};
  profile::SyntheticRun run(kThreads);
  for (int i = 0; i < 3; ++i) run.object(kNames[i], 10 * i + 3, kPages[i] * kPageBytes);
  Profile result{.recording = run.recording};
  result.sharing.resize(3);
  profile::Packer packer;
  std::minstd_rand random(7);
  for (std::uint32_t object = 0; object < 3; ++object) {
    const std::uint64_t start = run.recording.objects[object].address / kPageBytes;
    for (std::uint64_t at = 0; at < kPages[object]; at += profile::kChunkPages) {
      const std::uint64_t count = std::min(profile::kChunkPages, kPages[object] - at);
      profile::FirstTouch touch{.first_page = start + at};
      const auto owner = static_cast<std::uint32_t>(at * kThreads / kPages[object]);
      for (std::uint32_t page = 0; page < count; ++page) {
        touch.pages.push_back(page);
        touch.threads.push_back(object == 0 ? 0 : object == 1 ? owner : (owner + page) % kThreads);
        touch.epochs.push_back(~std::uint64_t{0});
      }
      for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
        profile::Chunk chunk{.object = object, .thread = thread, .first_page = start + at};
        chunk.pages = touch.pages;
        for (std::uint32_t page = 0; page < count; ++page) {
          const bool much = touch.threads[page] == thread || object == 0;
          const std::uint64_t reads = 1 + random() % 100 + (much ? random() % 10'000 : 0);
          chunk.reads.push_back(reads);
          chunk.writes.push_back(random() % 4 == 0 ? reads / 3 : 0);
          chunk.traffic.push_back(chunk.reads.back() + chunk.writes.back());
          chunk.lines.push_back(recording::kLinesOfPage);
          chunk.epochs.push_back(~std::uint64_t{0});
        }
        result.chunks.push_back(packer.pack(chunk));
      }
      result.first_touch.push_back(std::move(touch));
    }
  }
  for (std::uint32_t i = 0; i < kThreads; ++i)
    for (std::uint32_t j = i + 1; j < kThreads; ++j)
      result.communication[{i, j}] = 1000 + random() % 100'000 / (1 + j - i);
  for (const auto& [pair, amount] : result.communication) result.sharing[0].communication += amount;
  result.recording.losses = {
      {.kind = recording::LossKind::pages_without_lines, .count = 1'000'000}};
  for (profile::Sharing& sharing : result.sharing)
    sharing.unknown_pages = kPages[&sharing - result.sharing.data()];
  return result;
}

/// More threads than a screen has rows, in groups of eight with interleaved numbers.
Profile many_threads() {
  constexpr std::uint32_t kThreads = 1200, kGroups = 150;
  profile::SyntheticRun run(kThreads);
  const std::uint32_t queues = run.object("make_queues", 5, kGroups * kPageBytes);
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    for (std::uint64_t line = 0; line < 4; ++line)
      run.touch(thread, queues, thread % kGroups * kPageBytes + line * 64, 50, 10);
  for (int i = 0; i < 30; ++i)  // more calls than a level of the tree shows
    run.touch(0, run.object(fmt::format("make_small_{}", i), i, 64), 0, 100 - i, 0);
  run.recording.native_seconds.reset();
  return run.build();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<Profile()>> profiles{
      {"hashsieve", [] { return profile::hashsieve_like(20).build(); }},
      {"pipeline", [] { return profile::pipeline(64, 40).build(); }},
      {"master", [] { return profile::master_touched(64, 64).build(); }},
      {"random", [] { return profile::random_run(11).build(); }},
      {"one-thread", [] { return profile::private_blocks(1, 30).build(); }},
      {"nothing", [] { return profile::SyntheticRun(2).build(); }},
      {"many-threads", many_threads},
      {"awkward", awkward},
      {"sampled", sampled},
      {"several", several},
      {"scripted", scripted},
      {"single", single},
      {"large", large},
  };
  if (argc == 3 && argv[1] == std::string_view("seal")) {
    profile::seal(argv[2]);
    return 0;
  }
  if (argc != 3 || !profiles.contains(argv[1])) return 2;
  profile::save(profiles.at(argv[1])(), argv[2]);
}
