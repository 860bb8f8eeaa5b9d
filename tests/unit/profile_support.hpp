// Synthetic runs: accesses that a test defines are passed to the builder, as a recorder does. Also
// the programs for tests of reports and advice.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

/// Returns a preset without its level 3 caches, so that all traffic of a synthetic run goes to
/// memory.
inline Machine without_level_3(const std::string& name) {
  Machine::Data data = Machine::open(name).data();
  data.root = hide(data.root, {PlaceKind::l3});
  data.caches.l3_bytes = 0;
  return Machine(std::move(data), name);
}

/// A run that consists of explicitly given accesses.
class SyntheticRun {
 public:
  explicit SyntheticRun(std::uint32_t threads) {
    recording.processes.push_back({.id = 0,
                                   .pid = 4711,
                                   .executable = "/usr/bin/synthetic",
                                   .command = {"./synthetic", "--threads"},
                                   .ended_ns = 2'000'000'000,
                                   .exit_code = 0});
    recording.frontend_reason = "made up";
    recording.cant_see = {{recording::UnseenKind::parts, "", 4},
                          {recording::UnseenKind::other, "the system's own accesses"}};
    recording.elapsed_seconds = 2;
    recording.native_seconds = 0.5;
    recording.epoch_ns = 100'000'000;
    recording.epochs = 20;
    recording.sites.push_back({{{.function = "start_workers",
                                 .file = "main.cpp",
                                 .line = 12,
                                 .module = "/usr/bin/synthetic",
                                 .build_id = "ab12",
                                 .offset = 0x1200}}});
    for (std::uint32_t i = 0; i < threads; ++i) add_thread(0);
  }

  std::uint32_t add_thread(std::uint32_t process) {
    const auto id = static_cast<std::uint32_t>(recording.threads.size());
    recording.threads.push_back({.id = id,
                                 .process = process,
                                 .tid = 4711 + static_cast<int>(id),
                                 .creator = id == 0 ? recording::kNone : 0,
                                 .creation_site = id == 0 ? recording::kNone : 0,
                                 .order = id,
                                 .ended_ns = 2'000'000'000,
                                 .joined_ns = 2'000'000'000});
    return id;
  }

  /// Adds a heap object with a call site in the program. It begins in a new chunk, or directly
  /// after the previous object if `adjacent`.
  std::uint32_t object(const std::string& function, int line, std::uint64_t bytes,
                       bool adjacent = false) {
    const auto id = static_cast<std::uint32_t>(recording.objects.size());
    if (!adjacent) next_ = (next_ / kChunkBytes + 1) * kChunkBytes;
    if (scattered) next_ += id % 64 * kPageBytes;
    recording.sites.push_back({{{.function = function,
                                 .file = "src/" + function + ".cpp",
                                 .line = line,
                                 .module = "/usr/bin/synthetic",
                                 .build_id = "ab12",
                                 .offset = 0x1000 + 16 * id},
                                {.function = "main",
                                 .file = "src/main.cpp",
                                 .line = 40,
                                 .module = "/usr/bin/synthetic",
                                 .build_id = "ab12",
                                 .offset = 0x800}}});
    recording.objects.push_back({.id = id,
                                 .kind = recording::ObjectKind::heap,
                                 .process = 0,
                                 .site = static_cast<std::uint32_t>(recording.sites.size() - 1),
                                 .thread = 0,
                                 .address = next_,
                                 .bytes = bytes});
    next_ += bytes;
    return id;
  }

  [[nodiscard]] std::uint64_t first_page(std::uint32_t object) const {
    return recording.objects[object].address / kPageBytes;
  }

  /// Adds accesses of one thread to the 8-byte word at `offset` in the object.
  void touch(std::uint32_t thread, std::uint32_t object, std::uint64_t offset, std::uint64_t reads,
             std::uint64_t writes, std::uint64_t epochs = 1) {
    touch_cached(thread, object, offset, reads, writes, reads + writes, epochs);
  }
  /// As touch(), but only `traffic` of the accesses miss the cache.
  void touch_cached(std::uint32_t thread, std::uint32_t object, std::uint64_t offset,
                    std::uint64_t reads, std::uint64_t writes, std::uint64_t traffic,
                    std::uint64_t epochs = 1) {
    const std::uint64_t address = recording.objects[object].address + offset;
    recording::ThreadOnPage& on_page = entry(thread, address / kPageBytes);
    on_page.by_lines = true;
    on_page.epochs |= epochs;
    on_page.reads += reads;
    on_page.writes += writes;
    const std::uint64_t line = address % kPageBytes / recording::kLineBytes;
    on_page.lines[line].reads += reads;
    on_page.lines[line].writes += writes;
    on_page.lines[line].traffic += traffic;
    on_page.traffic += traffic;
    on_page.words[line] |= static_cast<std::uint8_t>(1U << (address / 8 % 8));
  }

  /// Adds accesses to a page of the object. They are recorded without lines.
  void touch_page(std::uint32_t thread, std::uint32_t object, std::uint64_t page,
                  std::uint64_t reads, std::uint64_t writes, std::uint64_t epochs = 1) {
    recording::ThreadOnPage& on_page = entry(thread, first_page(object) + page);
    on_page.reads += reads;
    on_page.writes += writes;
    on_page.traffic += reads + writes;
    on_page.epochs |= epochs;
  }

  using Pages = std::map<std::pair<std::uint32_t, std::uint64_t>,
                         std::map<std::uint32_t, recording::ThreadOnPage>>;
  [[nodiscard]] const Pages& pages() const { return pages_; }

  /// Returns the object of the process that contains the address; kNone if none does.
  [[nodiscard]] std::uint32_t object_at(std::uint32_t process, std::uint64_t address) const {
    const auto found =
        std::ranges::find_if(recording.objects, [&](const recording::Object& object) {
          return object.process == process && object.address <= address &&
                 address - object.address < object.bytes;
        });
    return found == recording.objects.end() ? recording::kNone : found->id;
  }

  /// Returns the lines of a page by object, in a recorder's format.
  [[nodiscard]] std::vector<recording::ObjectLines> objects_of(std::uint32_t process,
                                                               std::uint64_t page) const {
    std::vector<recording::ObjectLines> parts;
    bool sole = false;
    for (std::uint8_t line = 0; line < recording::kLinesOfPage; ++line) {
      std::map<std::uint32_t, std::uint8_t> words;
      for (unsigned word = 0; word < 8; ++word)
        words[object_at(process, page * kPageBytes + line * recording::kLineBytes + 8 * word)] |=
            static_cast<std::uint8_t>(1U << word);
      if (sole && words.size() == 1 && parts.back().object == words.begin()->first) {
        ++parts.back().end_line;
        continue;
      }
      sole = words.size() == 1;
      for (const auto& [object, own] : words)
        parts.push_back({object, line, static_cast<std::uint8_t>(line + 1), own});
    }
    return parts;
  }

  void feed(recording::Consumer& consumer) const {
    consumer.begin(recording);
    for (const auto& [key, threads] : pages_) {
      std::vector<recording::ThreadOnPage> rows;
      for (const auto& [thread, row] : threads) rows.push_back(row);
      const std::vector<recording::ObjectLines> parts = objects_of(key.first, key.second);
      consumer.page({.process = key.first, .page = key.second, .threads = rows, .objects = parts});
    }
    consumer.end(recording);
  }

  [[nodiscard]] Profile build() const {
    ProfileBuilder builder;
    feed(builder);
    return builder.take();
  }

  recording::Recording recording;
  bool scattered = false;  ///< objects begin at any page of their chunk, as in real programs

 private:
  static constexpr std::uint64_t kChunkBytes = kChunkPages * kPageBytes;

  recording::ThreadOnPage& entry(std::uint32_t thread, std::uint64_t page) {
    const auto [found, fresh] =
        pages_[{recording.threads[thread].process, page}].try_emplace(thread);
    if (fresh) {
      found->second.thread = thread;
      found->second.first_access = ++sequence_;
    }
    return found->second;
  }

  Pages pages_;
  std::uint64_t next_ = 0x7f0000000000;
  std::uint64_t sequence_ = 0;
};

/// Returns random accesses to objects that share pages and lines. Some pages are recorded without
/// lines.
inline SyntheticRun random_run(std::uint32_t seed, std::uint32_t threads = 9, int accesses = 3000) {
  std::mt19937 random(seed);
  SyntheticRun run(threads);
  std::vector<std::uint32_t> objects;
  for (int i = 0; i < 6; ++i)
    objects.push_back(
        run.object("make" + std::to_string(i), 10 + i, 8 * (1 + random() % 32000), i % 2 == 1));
  for (int i = 0; i < accesses; ++i) {
    const std::uint32_t object = objects[random() % objects.size()];
    const std::uint64_t bytes = run.recording.objects[object].bytes;
    const std::uint64_t epochs = std::uint64_t{1} << random() % 20;
    const auto thread = static_cast<std::uint32_t>(random() % threads);
    const std::uint64_t words = random() % 8 == 0 ? 1 + random() % 2 : bytes / 8;  // near its end
    const std::uint64_t offset =
        random() % 2 == 0 ? random() % words * 8 : bytes - 8 - random() % words * 8;
    const std::uint64_t page = (run.recording.objects[object].address + offset) / 4096;
    if (page % 17 == 3)
      run.touch_page(thread, object, page - run.first_page(object), random() % 50, 1, epochs);
    else
      run.touch(thread, object, offset, 1 + random() % 100, random() % 3 == 0 ? random() % 40 : 0,
                epochs);
  }
  return run;
}

/// Each thread initializes and uses only its own array.
inline SyntheticRun private_blocks(std::uint32_t threads = 64, std::uint64_t pages = 16) {
  SyntheticRun run(threads);
  run.scattered = true;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const std::uint32_t block = run.object("make_block", 21, pages * kPageBytes);
    for (std::uint64_t page = 0; page < pages; ++page)
      for (std::uint64_t line = 0; line < 64; line += 8)
        run.touch(thread, block, page * 4096 + line * 64, 400, 100, 0xfffff);
  }
  return run;
}

/// Thread i passes data to thread i + 1 through buffers that both access.
inline SyntheticRun pipeline(std::uint32_t threads = 64, std::uint64_t pages = 4) {
  SyntheticRun run(threads);
  const std::uint32_t buffers = run.object("make_queues", 77, threads * pages * 4096);
  for (std::uint32_t thread = 0; thread + 1 < threads; ++thread)
    for (std::uint64_t page = 0; page < pages; ++page)
      for (std::uint64_t line = 0; line < 64; line += 16) {
        const std::uint64_t offset = (thread * pages + page) * 4096 + line * 64;
        run.touch(thread, buffers, offset, 0, 200, 0xfffff);
        run.touch(thread + 1, buffers, offset, 200, 0, 0xfffff);
      }
  return run;
}

/// The first thread initializes an array, then each thread uses its own part of it [shoal §2].
inline SyntheticRun master_touched(std::uint32_t threads = 16, std::uint64_t pages_each = 64) {
  SyntheticRun run(threads);
  const std::uint32_t data = run.object("make_data", 33, threads * pages_each * 4096);
  for (std::uint64_t page = 0; page < threads * pages_each; ++page) {
    run.touch(0, data, page * 4096, 0, 64, 1);
    for (std::uint64_t line = 0; line < 64; line += 8)
      run.touch(static_cast<std::uint32_t>(page / pages_each), data, page * 4096 + line * 64, 500,
                100, 0xffffe);
  }
  return run;
}

/// A run with the figures of HashSieve [hashsieve §V.C] on four nodes of 16 threads. All threads
/// use the tables equally, and the first thread touches most of their pages first. Each thread has
/// its own pool.
inline SyntheticRun hashsieve_like(std::uint64_t scale = 1) {
  constexpr std::uint32_t kThreads = 64;
  std::mt19937 random(17);
  SyntheticRun run(kThreads);
  run.scattered = true;
  const std::uint64_t shared_pages = 92 * scale, pool_pages = scale;
  const std::uint32_t tables = run.object("allocate_tables", 58, shared_pages * 4096);
  const std::uint32_t vectors = run.object("allocate_vectors", 64, 3 * kThreads * scale * 64);
  for (std::uint64_t page = 0; page < shared_pages; ++page) {
    // Threads on the other nodes touch the tables' last pages first.
    const auto first =
        page < shared_pages * 68 / 100 ? 0U : static_cast<std::uint32_t>(16 * (1 + page % 3));
    run.touch(first, tables, page * 4096, 0, 1, 1);
    for (std::uint32_t i = 0; i < kThreads; ++i)
      run.touch((first + i) % kThreads, tables, page * 4096 + 64 * (random() % 64),
                70 + random() % 40, 8 + random() % 5, 0xfffff);
    for (std::uint32_t i = 0; i < kThreads; ++i)
      run.touch((first + i) % kThreads, tables, page * 4096 + 64 * (page % 64), 20 + random() % 6,
                1, 0xfffff);
  }
  for (std::uint32_t i = 0; i < kThreads; ++i)
    for (std::uint64_t vector = 0; vector < 3 * scale; ++vector)
      run.touch(i, vectors, (i * 3 * scale + vector) * 64, 10, 2, 0xfffff);
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    const std::uint32_t pool = run.object("make_pool", 90, pool_pages * 4096);
    for (std::uint64_t page = 0; page < pool_pages; ++page)
      run.touch(thread, pool, page * 4096 + 64, 9300, 1200, 0xfffff);
  }
  return run;
}

}  // namespace Atoll::profile
