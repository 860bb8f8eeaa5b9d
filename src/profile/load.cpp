// Reads the profile file, which may come from an untrusted source. The result is a profile that
// needs no further checks by its users, or an Error.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "atoll/base/error.hpp"
#include "profile/database.hpp"
#include "profile/pack.hpp"
#include "profile/schema.hpp"
#include "profile/seal.hpp"

namespace Atoll::profile {
namespace {

using recording::kNone;

constexpr std::uint64_t kPages = std::uint64_t{1} << 52;  ///< in a 64-bit address space

int pragma(const Database& from, const char* name) {
  Statement statement(from, fmt::format("PRAGMA {}", name));
  return statement.next() ? statement.integer(0) : 0;
}

/// Throws an Error, which names the file's actual kind or version, unless the file is a profile of
/// this version.
void check_kind(const Database& from, const std::string& path) {
  if (pragma(from, "application_id") != kApplicationId)
    throw Error::input(path, "is no profile of Atoll", "'atoll profile -o FILE' writes one");
  const int version = pragma(from, "user_version");
  if (version != kVersion)
    throw Error::input(
        path,
        fmt::format("is a profile of version {}, this Atoll reads version {}", version, kVersion),
        version < kVersion ? "record it again" : "use the Atoll that wrote it");
  check_seal(path);
  Statement items(from, "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL");
  std::size_t known = 0;
  while (items.next()) {
    const std::string name = items.text(0);
    const auto* const item = std::ranges::find(kSchema, name, &SchemaItem::name);
    if (item == kSchema.end() || items.text(1) != item->definition)
      throw Error::input(path, "is no whole profile: its table " + name + " isn't as it should be",
                         "record it again with 'atoll profile'");
    ++known;
  }
  if (known != kSchema.size())
    throw Error::input(path, "is no whole profile: tables are missing",
                       "record it again with 'atoll profile'");
}

class Loader {
 public:
  Loader(const Database& from, std::string path) : from_(from), path_(std::move(path)) {}

  Profile load() {
    read_run();
    read_processes();
    read_sites();
    read_threads();
    read_objects();
    read_homes();
    read_counts();
    read_communication();
    read_samples();
    return std::move(profile_);
  }

 private:
  [[noreturn]] void incomplete(std::string_view what) const {
    throw Error::input(path_, fmt::format("is no whole profile: {}", what),
                       "record it again with 'atoll profile'");
  }
  /// Checks that rows are numbered from 0.
  void check_id(const Statement& rows, std::size_t expected) const {
    if (rows.u64(0) != expected) incomplete("a row is missing");
  }
  [[nodiscard]] static std::uint32_t id(const Statement& rows, int column, std::size_t limit) {
    return static_cast<std::uint32_t>(rows.below(column, limit));
  }
  [[nodiscard]] static std::uint32_t id_or_none(const Statement& rows, int column,
                                                std::size_t limit) {
    return static_cast<std::uint32_t>(rows.below_or_null(column, limit).value_or(kNone));
  }

  void read_run() {
    Statement rows(from_, "SELECT * FROM run");
    if (!rows.next()) incomplete("it has no run");
    recording::Recording& run = profile_.recording;
    const auto frontend = recording::frontend_from_string(rows.text(0));
    if (!frontend) incomplete("its front end is unknown");
    run.frontend = *frontend;
    run.frontend_reason = rows.text(1);
    run.elapsed_seconds = rows.real(2);
    if (!rows.is_null(3)) run.native_seconds = rows.real(3);
    run.epoch_ns = rows.u64(4);
    run.epochs = static_cast<int>(rows.below(5, 65));
    profile_.machine = rows.text(6);
    run.split_accesses = rows.u64(7);
    chunk_count_ = rows.u64(8);
    touch_count_ = rows.u64(9);
    pair_count_ = rows.u64(10);
    sample_count_ = rows.u64(11);
    Statement cant_see(from_, "SELECT id, kind, count, detail FROM cant_see ORDER BY id");
    while (cant_see.next()) {
      const auto kind = recording::unseen_kind_from(cant_see.text(1));
      if (!kind) incomplete("what can't be seen has an unknown kind");
      run.cant_see.push_back({*kind, cant_see.text(3), cant_see.u64(2)});
    }
    Statement losses(from_, "SELECT id, kind, count, detail FROM losses ORDER BY id");
    while (losses.next()) {
      const auto kind = recording::loss_kind_from(losses.text(1));
      if (!kind) incomplete("a loss has an unknown kind");
      run.losses.push_back({*kind, losses.u64(2), losses.text(3)});
    }
  }

  void read_processes() {
    std::vector<recording::Process>& processes = profile_.recording.processes;
    Statement rows(from_, "SELECT * FROM processes ORDER BY id");
    while (rows.next()) {
      check_id(rows, processes.size());
      recording::Process process{.id = id(rows, 0, kNone),
                                 .pid = rows.integer(1),
                                 .parent = id_or_none(rows, 2, kNone),
                                 .executable = rows.text(3),
                                 .started_ns = rows.u64(4),
                                 .ended_ns = rows.u64(5)};
      if (!rows.is_null(6)) process.exit_code = rows.integer(6);
      if (!rows.is_null(7)) process.signal = rows.integer(7);
      processes.push_back(std::move(process));
    }
    for (const recording::Process& process : processes)
      if (process.parent != kNone && process.parent >= processes.size())
        incomplete("a process has no parent");
    Statement words(from_,
                    "SELECT process, position, word FROM arguments ORDER BY process, position");
    while (words.next()) {
      std::vector<std::string>& command = processes[id(words, 0, processes.size())].command;
      if (words.u64(1) != command.size()) incomplete("a command lacks words");
      command.push_back(words.text(2));
    }
  }

  void read_sites() {
    std::vector<recording::Site>& sites = profile_.recording.sites;
    std::vector<std::uint64_t> levels;
    Statement rows(from_, "SELECT id, levels FROM sites ORDER BY id");
    while (rows.next()) {
      check_id(rows, sites.size());
      sites.emplace_back();
      levels.push_back(rows.u64(1));
    }
    Statement frames(from_, "SELECT * FROM frames ORDER BY site, level");
    while (frames.next()) {
      std::vector<recording::Frame>& stack = sites[id(frames, 0, sites.size())].frames;
      if (frames.u64(1) != stack.size()) incomplete("a stack lacks levels");
      stack.push_back({.function = frames.text(2),
                       .file = frames.text(3),
                       .line = frames.integer(4),
                       .module = frames.text(5),
                       .build_id = frames.text(6),
                       .offset = frames.u64(7),
                       .inlined = frames.below(8, 2) == 1});
    }
    for (std::size_t i = 0; i < sites.size(); ++i)
      if (sites[i].frames.size() != levels[i]) incomplete("a stack lacks levels");
  }

  void read_threads() {
    const recording::Recording& run = profile_.recording;
    std::vector<recording::Thread>& threads = profile_.recording.threads;
    Statement rows(from_, "SELECT * FROM threads ORDER BY id");
    while (rows.next()) {
      check_id(rows, threads.size());
      threads.push_back({.id = id(rows, 0, kNone),
                         .process = id(rows, 1, run.processes.size()),
                         .tid = rows.integer(2),
                         .creator = id_or_none(rows, 3, kNone),
                         .creation_site = id_or_none(rows, 4, run.sites.size()),
                         .order = id(rows, 5, kNone),
                         .name = rows.text(6),
                         .pu = rows.integer(7),
                         .started_ns = rows.u64(8),
                         .ended_ns = rows.u64(9),
                         .joined_ns = rows.u64(10)});
    }
    for (const recording::Thread& thread : threads)
      if (thread.creator != kNone && thread.creator >= threads.size())
        incomplete("a thread has no creator");
  }

  void read_objects() {
    static constexpr std::array kKinds{
        recording::ObjectKind::heap,  recording::ObjectKind::pool,    recording::ObjectKind::global,
        recording::ObjectKind::stack, recording::ObjectKind::mapping, recording::ObjectKind::other};
    recording::Recording& run = profile_.recording;
    Statement rows(from_, "SELECT * FROM objects ORDER BY id");
    while (rows.next()) {
      check_id(rows, run.objects.size());
      const std::string word = rows.text(1);
      const auto* const kind = std::ranges::find_if(
          kKinds, [&](recording::ObjectKind known) { return to_string(known) == word; });
      if (kind == kKinds.end()) incomplete("a kind of object is unknown");
      run.objects.push_back({.id = id(rows, 0, kNone),
                             .kind = *kind,
                             .process = id(rows, 2, run.processes.size()),
                             .name = rows.text(3),
                             .site = id_or_none(rows, 4, run.sites.size()),
                             .fill_site = id_or_none(rows, 31, run.sites.size()),
                             .thread = id_or_none(rows, 5, run.threads.size()),
                             .order = id(rows, 6, kNone),
                             .address = rows.u64(7),
                             .bytes = rows.below(8, std::uint64_t{1} << 63),
                             .allocations = rows.u64(9),
                             .module = rows.text(10),
                             .build_id = rows.text(11),
                             .offset = rows.u64(12),
                             .created_ns = rows.u64(13),
                             .freed_ns = rows.u64(14)});
      profile_.sharing.push_back({.private_lines = rows.u64(17),
                                  .read_shared_lines = rows.u64(18),
                                  .write_shared_lines = rows.u64(19),
                                  .falsely_shared_lines = rows.u64(20),
                                  .spinning_lines = rows.u64(21),
                                  .unknown_pages = rows.u64(22),
                                  .communication = rows.u64(23),
                                  .write_communication = rows.u64(24),
                                  .private_traffic = rows.u64(25),
                                  .read_shared_traffic = rows.u64(26),
                                  .write_shared_traffic = rows.u64(27),
                                  .falsely_shared_traffic = rows.u64(28),
                                  .spinning_traffic = rows.u64(29),
                                  .spinning_accesses = rows.u64(30)});
    }
  }

  void read_homes() {
    constexpr std::size_t kMaxBytes = 8192;  // of a node mask
    recording::Recording& run = profile_.recording;
    Statement policies(from_, "SELECT id, mode, nodes FROM policies ORDER BY id");
    while (policies.next()) {
      check_id(policies, run.policies.size());
      const std::string_view bytes = policies.bytes(2);
      if (bytes.size() % 8 != 0 || bytes.size() > kMaxBytes) incomplete("a policy is damaged");
      recording::MemoryPolicy policy{.mode = policies.u64(1), .nodes = {}};
      policy.nodes.resize(bytes.size() / 8);
      for (std::size_t i = 0; i < bytes.size(); ++i)
        policy.nodes[i / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << i % 8 * 8;
      run.policies.push_back(std::move(policy));
    }
    Statement homes(from_, "SELECT id, thread, policy FROM homes ORDER BY id");
    while (homes.next()) {
      check_id(homes, run.threads.size() + run.homes.size());
      run.homes.push_back({.thread = id_or_none(homes, 1, run.threads.size()),
                           .policy = id_or_none(homes, 2, run.policies.size())});
    }
  }

  void read_counts() {
    const recording::Recording& run = profile_.recording;
    Unpacker unpacker;
    Statement rows(from_,
                   "SELECT object, first_page, thread, pages, reads, writes, traffic, counts "
                   "FROM chunks "
                   "ORDER BY rowid");
    const auto key = [](const PackedChunk& chunk) {
      return std::tuple(chunk.object, chunk.first_page, chunk.thread);
    };
    while (rows.next()) {
      PackedChunk chunk{.object = id(rows, 0, run.objects.size()),
                        .thread = id(rows, 2, run.threads.size()),
                        .first_page = rows.below(1, kPages),
                        .page_count = id(rows, 3, kChunkPages + 1),
                        .reads = rows.u64(4),
                        .writes = rows.u64(5),
                        .traffic = rows.u64(6),
                        .counts = std::string(rows.bytes(7))};
      if (chunk.first_page % kChunkPages != 0) incomplete("a chunk begins anywhere");
      if (!profile_.chunks.empty() && key(profile_.chunks.back()) >= key(chunk))
        incomplete("chunks are not in order");
      unpack([&] { static_cast<void>(unpacker.unpack(chunk)); });
      profile_.chunks.push_back(std::move(chunk));
    }
    if (profile_.chunks.size() != chunk_count_) incomplete("chunks are missing");
    Statement touches(from_,
                      "SELECT process, first_page, pages, touches FROM touches ORDER BY rowid");
    while (touches.next()) {
      const std::uint32_t process = id(touches, 0, run.processes.size());
      const std::uint64_t first_page = touches.below(1, kPages);
      if (first_page % kChunkPages != 0) incomplete("a chunk begins anywhere");
      if (!profile_.first_touch.empty()) {
        const FirstTouch& last = profile_.first_touch.back();
        if (std::pair(last.process, last.first_page) >= std::pair(process, first_page))
          incomplete("chunks are not in order");
      }
      unpack([&] {
        profile_.first_touch.push_back(unpacker.unpack_touch(touches.bytes(3), process, first_page,
                                                             id(touches, 2, kChunkPages + 1)));
      });
      for (const std::uint32_t thread : profile_.first_touch.back().threads)
        if (thread >= run.threads.size() + run.homes.size())
          incomplete("a page's first thread is unknown");
    }
    if (profile_.first_touch.size() != touch_count_) incomplete("first touches are missing");
  }

  /// Runs `action`, and replaces its Error by one that names the file.
  template <class Action>
  void unpack(Action&& action) const {
    try {
      action();
    } catch (const Error&) {
      incomplete("a chunk of counts is damaged");
    }
  }

  void read_communication() {
    const std::size_t threads = profile_.recording.threads.size();
    Statement rows(from_, "SELECT thread, other, lines, written_lines FROM communication");
    std::uint64_t count = 0;
    for (; rows.next(); ++count) {
      const std::pair pair(id(rows, 0, threads), id(rows, 1, threads));
      if (pair.first >= pair.second) incomplete("communication is not between two");
      if (const std::uint64_t lines = rows.u64(2); lines > 0) profile_.communication[pair] = lines;
      if (const std::uint64_t lines = rows.u64(3); lines > 0)
        profile_.write_communication[pair] = lines;
    }
    if (count != pair_count_) incomplete("communication is missing");
  }

  void read_samples() {
    const recording::Recording& run = profile_.recording;
    Statement rows(from_, "SELECT object, page, thread, epoch, uses FROM samples ORDER BY rowid");
    while (rows.next()) {
      const SampledUse one{.object = id(rows, 0, run.objects.size()),
                           .page = rows.below(1, kPages),
                           .thread = id(rows, 2, run.threads.size()),
                           .epoch = id(rows, 3, static_cast<std::size_t>(std::max(run.epochs, 1))),
                           .uses = rows.below(4, std::uint64_t{1} << 63)};
      if (!profile_.samples.empty() && profile_.samples.back() >= one)
        incomplete("samples are not in order");
      profile_.samples.push_back(one);
    }
    if (profile_.samples.size() != sample_count_) incomplete("samples are missing");
  }

  const Database& from_;
  std::string path_;
  Profile profile_;
  std::uint64_t chunk_count_ = 0, touch_count_ = 0, pair_count_ = 0, sample_count_ = 0;
};

/// Compares the file's size with the one in SQLite's header: SQLite reads missing bytes at the end
/// as zeros.
void check_whole(const std::string& path) {
  std::array<unsigned char, 32> head{};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error::input(path, "isn't there, or can't be read", "name a profile");
  if (!file.read(reinterpret_cast<char*>(head.data()), head.size()) ||
      std::string_view(reinterpret_cast<const char*>(head.data()), 15) != "SQLite format 3")
    throw Error::input(path, "is no profile of Atoll", "'atoll profile -o FILE' writes one");
  const std::uint64_t page = head[16] * 256U + head[17];
  std::uint64_t pages = 0;
  for (int i = 28; i < 32; ++i) pages = pages * 256 + head[i];
  if (std::filesystem::file_size(path) != page * pages)
    throw Error::input(path, "is no whole profile: it is truncated",
                       "record it again with 'atoll profile'");
}

}  // namespace

Profile load(const std::string& path) {
  check_whole(path);
  const Database database(path, Database::OpenMode::read);
  check_kind(database, path);
  return Loader(database, path).load();
}

}  // namespace Atoll::profile
