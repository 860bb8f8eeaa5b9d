// A profile: the use of memory by a run's threads, by page and object. It also has results that
// need counts by line (communication, sharing), which are computed while recording. A profile is a
// value: it is built from a recording or read from a file, and passed to analyses, reports and
// advice.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "atoll/recording/recording.hpp"

namespace Atoll::profile {

inline constexpr std::uint64_t kChunkPages = 512;

/// One thread's accesses to up to 512 consecutive pages of one object. Pages without accesses are
/// not listed. The counts of a page of several objects are divided among them by lines.
struct Chunk {
  std::uint32_t object = 0, thread = 0;
  std::uint64_t first_page = 0;      ///< a multiple of kChunkPages
  std::vector<std::uint32_t> pages;  ///< offsets from first_page, ascending
  // By position in `pages`.
  std::vector<std::uint64_t> reads, writes;
  std::vector<std::uint64_t> traffic;  ///< lines, as in recording::ThreadOnPage
  std::vector<std::uint64_t> lines;    ///< distinct lines, 1 to 64; 0: recorded without lines
  std::vector<std::uint64_t> epochs;   ///< bit i: the thread used the page in epoch i
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

/// A Chunk in the file's encoding: some bytes a page instead of 20 (docs/profile-file.md), so that
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
/// made it. It allocates memory; code inside Atoll that reads very many chunks uses an Unpacker
/// instead (profile/pack.hpp).
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

/// An object's lines by their kind of sharing, and the communication of threads through the object.
struct Sharing {
  std::uint64_t private_lines = 0;       ///< one thread
  std::uint64_t read_shared_lines = 0;   ///< several threads, none writes
  std::uint64_t write_shared_lines = 0;  ///< several threads, at least one writes; no other kind
  /// Several threads use the line, at least one writes, and at least 90 % of its accesses are by
  /// threads of which no two access a common word (docs/analyses.md).
  std::uint64_t falsely_shared_lines = 0;
  /// Several threads use the line, at least one writes, but the line is read far more often than it
  /// changes: a flag that threads poll (docs/analyses.md).
  std::uint64_t spinning_lines = 0;
  std::uint64_t unknown_pages = 0;        ///< recorded without lines
  std::uint64_t communication = 0;        ///< its part of the sum of Profile::communication
  std::uint64_t write_communication = 0;  ///< its part of the sum of Profile::write_communication
  // Traffic of the lines of each kind.
  std::uint64_t private_traffic = 0, read_shared_traffic = 0;
  std::uint64_t write_shared_traffic = 0, falsely_shared_traffic = 0, spinning_traffic = 0;
  std::uint64_t spinning_accesses = 0;
  friend bool operator==(const Sharing&, const Sharing&) = default;
};

/// Number of samples in which a thread used a page in one epoch, without first touches. A sampled
/// profile's confidence intervals are computed from it. If there are very many samples, only a part
/// of the pages is kept.
struct SampledUse {
  std::uint32_t object = 0;
  std::uint64_t page = 0;
  std::uint32_t thread = 0, epoch = 0;
  std::uint64_t uses = 0;
  friend auto operator<=>(const SampledUse&, const SampledUse&) = default;
};

/// C(i, j) for pairs of threads i < j that communicate; all others are zero.
using Communication = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

/// Communication is kept for pairs of the first kCommunicatingThreads threads. Communication of
/// other threads is reported as a Loss.
inline constexpr std::uint32_t kCommunicatingThreads = 2048;

/// A run's use of memory: the contents of a profile file.
struct Profile {
  recording::Recording recording;
  std::string machine;  ///< the machine file of the computer it was recorded on; "" if unknown
  std::vector<PackedChunk> chunks;      ///< ascending by object, first_page, thread
  std::vector<FirstTouch> first_touch;  ///< ascending by process, first_page
  /// By pair, the sum over lines of min(traffic of i, traffic of j), in epochs in which both
  /// threads used the page, or which are next to such an epoch. A page recorded without lines
  /// counts as one line.
  Communication communication;
  Communication write_communication;  ///< the same, for lines that one of the two threads writes
  std::vector<Sharing> sharing;       ///< by object
  std::vector<SampledUse> samples;    ///< ascending; empty if the profile isn't sampled
};

/// Builds a profile from any source of counts. It needs some bytes of memory for each (page,
/// thread) pair.
class ProfileBuilder : public recording::Consumer {
 public:
  ProfileBuilder();
  ~ProfileBuilder() override;
  void begin(const recording::Recording& recording) override;
  void page(const recording::PageAccesses& accesses) override;
  void end(const recording::Recording& recording) override;
  /// Returns the profile. Call it after end().
  [[nodiscard]] Profile take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes the profile file (an SQLite database, docs/profile-file.md) under a temporary name and
/// renames it. Throws Error (failed), e.g. if the disk is full, and leaves the old file intact; the
/// error names another folder in which the profile was saved. Throws Error (input) if `path` can't
/// be written to. SIGINT, SIGTERM and SIGHUP are blocked until the call returns.
void save(const Profile& profile, const std::string& path);
/// Reads a profile file. Throws Error (input) if it is no profile, of another version, or
/// truncated.
[[nodiscard]] Profile load(const std::string& path);
/// Checks a file's invariants. Returns the violations, one line each, or an empty list. Throws
/// Error (input) for a file that load() rejects.
[[nodiscard]] std::vector<std::string> check(const std::string& path);

}  // namespace Atoll::profile
