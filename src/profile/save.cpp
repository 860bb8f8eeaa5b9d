// Writes the profile file. The recording may have taken hours, so it must not be lost. If the
// folder has no room, the profile is saved in another one, which the error names. Ctrl-C ends the
// process only after the file is complete.
#include <fmt/format.h>
#include <signal.h>

#include <filesystem>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "base/temporary_file.hpp"
#include "profile/database.hpp"
#include "profile/pack.hpp"
#include "profile/schema.hpp"
#include "profile/seal.hpp"

namespace Atoll::profile {
namespace {

namespace fs = std::filesystem;
using recording::kNone;

std::optional<std::uint32_t> id(std::uint32_t value) {
  if (value == kNone) return std::nullopt;
  return value;
}

void write_run(const Database& to, const Profile& profile) {
  const recording::Recording& run = profile.recording;
  Communication pairs = profile.communication;
  pairs.insert(profile.write_communication.begin(), profile.write_communication.end());
  Statement(to, "INSERT INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
      .run(to_string(run.frontend), run.frontend_reason, run.elapsed_seconds, run.native_seconds,
           run.epoch_ns, run.epochs, profile.machine, run.split_accesses,
           std::uint64_t{profile.chunks.size()}, std::uint64_t{profile.first_touch.size()},
           std::uint64_t{pairs.size()}, std::uint64_t{profile.samples.size()});
  Statement cant_see(to, "INSERT INTO cant_see VALUES (?,?,?,?)");
  std::uint32_t next = 0;
  for (const recording::Unseen& one : run.cant_see)
    cant_see.run(next++, to_string(one.kind), one.count, one.detail);
  Statement losses(to, "INSERT INTO losses VALUES (?,?,?,?)");
  next = 0;
  for (const recording::Loss& loss : run.losses)
    losses.run(next++, to_string(loss.kind), loss.count, loss.detail);
}

void write_processes(const Database& to, const recording::Recording& run) {
  Statement processes(to, "INSERT INTO processes VALUES (?,?,?,?,?,?,?,?)");
  Statement arguments(to, "INSERT INTO arguments VALUES (?,?,?)");
  for (const recording::Process& process : run.processes) {
    processes.run(process.id, process.pid, id(process.parent), process.executable,
                  process.started_ns, process.ended_ns, process.exit_code, process.signal);
    std::uint32_t position = 0;
    for (const std::string& word : process.command) arguments.run(process.id, position++, word);
  }
  Statement threads(to, "INSERT INTO threads VALUES (?,?,?,?,?,?,?,?,?,?,?)");
  for (const recording::Thread& thread : run.threads)
    threads.run(thread.id, thread.process, thread.tid, id(thread.creator), id(thread.creation_site),
                thread.order, thread.name, thread.pu, thread.started_ns, thread.ended_ns,
                thread.joined_ns);
}

void write_sites(const Database& to, const recording::Recording& run) {
  Statement sites(to, "INSERT INTO sites VALUES (?,?)");
  Statement frames(to, "INSERT INTO frames VALUES (?,?,?,?,?,?,?,?,?)");
  for (std::uint32_t site = 0; site < run.sites.size(); ++site) {
    const std::vector<recording::Frame>& stack = run.sites[site].frames;
    sites.run(site, std::uint64_t{stack.size()});
    for (std::uint32_t level = 0; level < stack.size(); ++level) {
      const recording::Frame& frame = stack[level];
      frames.run(site, level, frame.function, frame.file, frame.line, frame.module, frame.build_id,
                 frame.offset, frame.inlined ? 1 : 0);
    }
  }
}

void write_objects(const Database& to, const Profile& profile) {
  const std::vector<recording::Object>& objects = profile.recording.objects;
  std::vector<std::uint64_t> reads(objects.size()), writes(objects.size());
  for (const PackedChunk& chunk : profile.chunks) {
    reads[chunk.object] += chunk.reads;
    writes[chunk.object] += chunk.writes;
  }
  Statement rows(to,
                 "INSERT INTO objects VALUES "
                 "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const recording::Object& object : objects) {
    const Sharing& lines = profile.sharing[object.id];
    rows.run(object.id, to_string(object.kind), object.process, object.name, id(object.site),
             id(object.thread), object.order, object.address, object.bytes, object.allocations,
             object.module, object.build_id, object.offset, object.created_ns, object.freed_ns,
             reads[object.id], writes[object.id], lines.private_lines, lines.read_shared_lines,
             lines.write_shared_lines, lines.falsely_shared_lines, lines.spinning_lines,
             lines.unknown_pages, lines.communication, lines.write_communication,
             lines.private_traffic, lines.read_shared_traffic, lines.write_shared_traffic,
             lines.falsely_shared_traffic, lines.spinning_traffic, lines.spinning_accesses,
             id(object.fill_site));
  }
}

/// Returns the mask as bytes: one bit for each node, from the lowest bit of the first byte on.
std::string bytes_of_mask(const std::vector<std::uint64_t>& mask) {
  std::string bytes;
  for (const std::uint64_t word : mask)
    for (int shift = 0; shift < 64; shift += 8)
      bytes.push_back(static_cast<char>(word >> shift & 0xffU));
  return bytes;
}

void write_counts(const Database& to, const Profile& profile) {
  Statement chunks(to, "INSERT INTO chunks VALUES (?,?,?,?,?,?,?,CAST(? AS BLOB))");
  for (const PackedChunk& chunk : profile.chunks)
    chunks.run(chunk.object, chunk.first_page, chunk.thread, chunk.page_count, chunk.reads,
               chunk.writes, chunk.traffic, chunk.counts);
  Packer packer;
  Statement touches(to, "INSERT INTO touches VALUES (?,?,?,CAST(? AS BLOB))");
  for (const FirstTouch& touch : profile.first_touch)
    touches.run(touch.process, touch.first_page, std::uint64_t{touch.pages.size()},
                packer.pack(touch));
  Statement policies(to, "INSERT INTO policies VALUES (?,?,CAST(? AS BLOB))");
  std::uint32_t next = 0;
  for (const recording::MemoryPolicy& policy : profile.recording.policies)
    policies.run(next++, policy.mode, bytes_of_mask(policy.nodes));
  Statement homes(to, "INSERT INTO homes VALUES (?,?,?)");
  for (const recording::PageHome& home : profile.recording.homes)
    homes.run(static_cast<std::uint32_t>(profile.recording.threads.size()) +
                  static_cast<std::uint32_t>(&home - profile.recording.homes.data()),
              id(home.thread), id(home.policy));
  Statement pairs(to,
                  "INSERT INTO communication VALUES (?1,?2,?3,0) "
                  "ON CONFLICT DO UPDATE SET lines = ?3");
  for (const auto& [pair, lines] : profile.communication) pairs.run(pair.first, pair.second, lines);
  Statement written(to,
                    "INSERT INTO communication VALUES (?1,?2,0,?3) "
                    "ON CONFLICT DO UPDATE SET written_lines = ?3");
  for (const auto& [pair, lines] : profile.write_communication)
    written.run(pair.first, pair.second, lines);
  Statement samples(to, "INSERT INTO samples VALUES (?,?,?,?,?)");
  for (const SampledUse& one : profile.samples)
    samples.run(one.object, one.page, one.thread, one.epoch, one.uses);
}

void write(const Profile& profile, const std::string& path) {
  Database database(path, Database::OpenMode::create);
  // The file is renamed once it is complete, so a journal isn't needed.
  database.execute(fmt::format("PRAGMA page_size = {}; PRAGMA journal_mode = OFF;"
                               "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN",
                               kPageSize)
                       .c_str());
  database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kVersion)
          .c_str());
  for (const SchemaItem& item : kSchema) database.execute(item.definition);
  write_run(database, profile);
  write_processes(database, profile.recording);
  write_sites(database, profile.recording);
  write_objects(database, profile);
  write_counts(database, profile);
  database.execute("COMMIT");
  database.close();
  seal(path);
}

void write(const Profile& profile, AtomicFile& file) {
  write(profile, file.by_name());
  file.commit();
}

/// Saves the profile in another folder that has room. Returns its path, or "" if no folder has
/// room.
std::string save_in_fallback_folder(const Profile& profile) {
  std::error_code error;
  for (const fs::path& folder : {fs::temp_directory_path(error), fs::path("/dev/shm")}) {
    try {
      std::string path = folder / fmt::format("atoll-{}.profile", random_word());
      AtomicFile file(path);
      write(profile, file);
      return path;
    } catch (const std::exception&) {  // no room there either
    }
  }
  return "";
}

/// Blocks signals that would end the process while an instance exists: they would lose the
/// recording and leave a temporary file. (SIGQUIT and SIGKILL still end it at once.)
class SignalBlocker {
 public:
  SignalBlocker() {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&held, signal);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalBlocker() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlocker(const SignalBlocker&) = delete;
  SignalBlocker& operator=(const SignalBlocker&) = delete;

 private:
  sigset_t before_ = {};
};

}  // namespace

void save(const Profile& profile, const std::string& path) {
  const SignalBlocker hold;
  AtomicFile file(path);
  try {
    write(profile, file);
  } catch (const Error& error) {
    const std::string kept = save_in_fallback_folder(profile);
    throw Error::failed(path, fmt::format("is as it was: {}", error.what()),
                        kept.empty()
                            ? "there was no room for the profile in other folders, too; make room"
                            : "the profile was kept in " + kept);
  }
}

}  // namespace Atoll::profile
