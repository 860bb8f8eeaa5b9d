// A profile: how the threads of a run used memory, by page and object. It also has what only lines
// can tell (communication, sharing), which is computed while recording. A profile is a value: it is
// built from a recording or read from a file, and handed to analyses, reports and advice.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::profile {

inline constexpr std::uint64_t kChunkPages = 512;

/// What one thread did to up to 512 neighbouring pages of one object. Pages that it left alone are
/// not listed. The counts of a page of several objects are split among them by lines.
struct Chunk {
  std::uint32_t object = 0, thread = 0;
  std::uint64_t first_page = 0;      ///< a multiple of kChunkPages
  std::vector<std::uint32_t> pages;  ///< offsets from first_page, ascending
  // By position in `pages`.
  std::vector<std::uint64_t> reads, writes;
  std::vector<std::uint64_t> traffic;  ///< lines, as trace::ThreadOnPage has it
  std::vector<std::uint64_t> lines;    ///< different lines, 1 to 64; 0: recorded without lines
  std::vector<std::uint64_t> epochs;   ///< bit i: the thread used the page in epoch i
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

/// A Chunk as the file has it: some bytes a page instead of 20 (docs/profile-file.md), so that
/// profiles of 10^6 pages and 64 threads fit into memory.
struct PackedChunk {
  std::uint32_t object = 0, thread = 0;
  std::uint64_t first_page = 0;
  std::uint32_t page_count = 0;
  std::uint64_t reads = 0, writes = 0, traffic = 0;  ///< of all its pages
  std::string counts;                                ///< compressed
  friend bool operator==(const PackedChunk&, const PackedChunk&) = default;
};

/// Returns the counts of each page. Throws Error (input) if `packed` isn't as a recorder or load()
/// made it. It allocates memory; whoever reads very many chunks in Atoll keeps an Unpacker
/// (profile/pack.hpp).
[[nodiscard]] Chunk unpack(const PackedChunk& packed);

/// The thread that first touched each page, by chunk of 512 pages.
struct FirstTouch {
  std::uint32_t process = 0;
  std::uint64_t first_page = 0;
  std::vector<std::uint32_t> pages;    ///< offsets, ascending
  std::vector<std::uint32_t> threads;  ///< by position in `pages`
  std::vector<std::uint64_t> epochs;   ///< bit i: accessed in epoch i, by position in `pages`
  friend bool operator==(const FirstTouch&, const FirstTouch&) = default;
};

/// The lines of an object by how threads use them, and how much threads communicate through it.
struct Sharing {
  std::uint64_t private_lines = 0;       ///< one thread alone
  std::uint64_t read_shared_lines = 0;   ///< several threads, none writes
  std::uint64_t write_shared_lines = 0;  ///< several threads, one writes, the rest
  /// Several threads use the line, one writes, and at least 90 % of its accesses are of threads of
  /// which no two access a common word (docs/analyses.md).
  std::uint64_t falsely_shared_lines = 0;
  /// Several threads use the line, one writes, but the line is read far more often than it changes:
  /// a flag that threads wait for (docs/analyses.md).
  std::uint64_t spinning_lines = 0;
  std::uint64_t unknown_pages = 0;        ///< recorded without lines
  std::uint64_t communication = 0;        ///< its part of the sum of Profile::communication
  std::uint64_t write_communication = 0;  ///< its part of the sum of Profile::write_communication
  // Traffic of the lines of each use.
  std::uint64_t private_traffic = 0, read_shared_traffic = 0;
  std::uint64_t write_shared_traffic = 0, falsely_shared_traffic = 0, spinning_traffic = 0;
  std::uint64_t spinning_accesses = 0;
  friend bool operator==(const Sharing&, const Sharing&) = default;
};

/// How often a thread was sampled using a page in one epoch. A sampled profile's intervals of
/// shares are computed from it. First touches aren't counted here. Where there are very many
/// samples, only a part of the pages is kept.
struct SampledUse {
  std::uint32_t object = 0;
  std::uint64_t page = 0;
  std::uint32_t thread = 0, epoch = 0;
  std::uint64_t uses = 0;
  friend auto operator<=>(const SampledUse&, const SampledUse&) = default;
};

/// C(i, j) for pairs of threads i < j that communicate; all others are zero.
using Communication = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

/// Communication is kept for pairs of the first kCommunicatingThreads threads. What other threads
/// share is reported as a Loss.
inline constexpr std::uint32_t kCommunicatingThreads = 2048;

/// A run's use of memory: the contents of a profile file.
struct Profile {
  trace::Recording recording;
  std::string machine;  ///< the machine file of the computer it was recorded on; "" if unknown
  std::vector<PackedChunk> chunks;      ///< ascending by object, first_page, thread
  std::vector<FirstTouch> first_touch;  ///< ascending by process, first_page
  /// By pair, the sum over lines of min(traffic of i, traffic of j), in epochs in which both used
  /// the page or that follow each other. A page recorded without lines counts as one line.
  Communication communication;
  Communication write_communication;  ///< the same for lines that one of the two writes
  std::vector<Sharing> sharing;       ///< by object
  std::vector<SampledUse> samples;    ///< ascending; empty if the profile isn't sampled
};

/// Collects a profile from any source of counts. It needs some bytes of memory for each (page,
/// thread) pair.
class ProfileBuilder : public trace::Consumer {
 public:
  ProfileBuilder();
  ~ProfileBuilder() override;
  void begin(const trace::Recording& recording) override;
  void page(const trace::PageAccesses& accesses) override;
  void end(const trace::Recording& recording) override;
  /// Returns the profile. Call it after end().
  [[nodiscard]] Profile take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes the profile file (an SQLite database, docs/profile-file.md) under a temporary name and
/// renames it. Throws Error (failed) with the old file intact, e.g. when the disk is full: the
/// error then says in which other folder the profile was kept. Throws Error (input) for a place
/// that can't be written to. SIGINT, SIGTERM and SIGHUP that arrive meanwhile act afterwards.
void save(const Profile& profile, const std::string& path);
/// Reads a profile file. Throws Error (input) if it is no profile, of another version, or
/// truncated.
[[nodiscard]] Profile load(const std::string& path);
/// Checks a file's invariants. Returns what is wrong, a line each, or nothing if all is well.
/// Throws Error (input) for what load() refuses.
[[nodiscard]] std::vector<std::string> check(const std::string& path);

}  // namespace Atoll::profile
