// All that a report shows, as one value. The terminal's report, --json and the page are made from
// it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/balance.hpp"
#include "profile/communication.hpp"
#include "profile/exclusivity.hpp"
#include "profile/footprint.hpp"
#include "profile/intervals.hpp"
#include "profile/what_if.hpp"
#include "trace/counted_as.hpp"

namespace Atoll::profile {

struct ObjectSummary {
  std::uint32_t id = 0;
  std::string kind;   ///< as the file has it: heap, pool, …
  std::string name;   ///< the variable's, or the function that allocates it
  std::string place;  ///< "file:line" of the allocation; "" if unknown
  std::uint64_t bytes = 0, allocations = 1;
  std::uint64_t pages = 0;
  std::uint64_t reads = 0, writes = 0;
  std::uint32_t threads = 0;  ///< those that access it
  std::uint64_t traffic = 0;  ///< lines, as trace::ThreadOnPage has it
  double share = 0;           ///< of all traffic
  double exclusivity = 0;
  Balance balance;
  std::vector<Outcome> outcomes;  ///< by kMappings
  Sharing sharing;
  std::vector<std::uint64_t> footprint;     ///< pages by epoch
  std::string use;                          ///< in some words
  std::optional<ShareIntervals> intervals;  ///< of a sampled profile

  [[nodiscard]] double local_share() const;  ///< of its traffic, by first touch
};

struct ProcessSummary {
  std::string name;  ///< of its program
  std::size_t threads = 0;
  std::uint64_t accesses = 0, traffic = 0;
  std::optional<Interval> interval;  ///< of its share, of a sampled profile
};

struct Summary {
  // The run.
  std::string command;
  std::string frontend, frontend_reason;
  double elapsed_seconds = 0;
  std::optional<double> native_seconds;
  std::vector<trace::Loss> losses;
  std::vector<trace::Unseen> cant_see;
  std::vector<ProcessSummary> processes;
  std::size_t threads = 0;
  std::uint64_t pages = 0, accesses = 0, traffic = 0;
  trace::CountedAs counted_as = trace::kAccesses;  ///< what the counts are of
  /// Verdicts, shares and what-ifs are in this unit; its noun is in their texts.
  trace::CountedAs weighed_as = trace::kTraffic;
  bool tells_writes = true;  ///< if false, all accesses count as reads
  std::uint64_t epoch_ns = 0;
  // What it is analysed for.
  std::string machine;
  std::string recorded_machine, recorded_about;  ///< "" if unknown
  bool other_machine = false;  ///< the profile was recorded on another machine than `machine`
  Places places;
  // The analyses.
  PagesByNode by_node;   ///< what the following are computed from
  MemoryTraffic memory;  ///< of the same rows
  double structure = 0;
  /// The two threads that have nearly all of the communication, if it is a considerable part of the
  /// traffic.
  std::optional<std::pair<std::size_t, std::size_t>> pair;
  CommunicationMatrix communication{0};        ///< of blocks of threads, kMatrixCells at most
  CommunicationMatrix write_communication{0};  ///< the same
  Sharing sharing;                             ///< with the sums of communication
  double exclusivity = 0;
  ExclusivityGrid grid;
  Balance balance;
  std::vector<Outcome> outcomes;  ///< by kMappings
  double os_seconds = 0;          ///< the time that the outcomes' 1 stands for; 0 without accesses
  std::vector<std::uint64_t> footprint;
  std::optional<Intervals> intervals;  ///< of a sampled profile: how sure shares are
  std::vector<ObjectSummary> objects;  ///< those accessed, by remote accesses, then by accesses
  std::vector<std::string> to_do;      ///< what_to_do.hpp's lines; summarise() leaves it empty

  static constexpr std::size_t kMatrixCells = 64;

  // Verdicts; nothing if a sampled profile doesn't tell.
  [[nodiscard]] std::optional<bool> tells_structured() const;
  [[nodiscard]] std::optional<bool> tells_exclusive() const;
  [[nodiscard]] std::optional<bool> tells_balanced() const;
  [[nodiscard]] bool structured() const { return tells_structured().value_or(false); }
  /// True if only two threads communicate, on different nodes.
  [[nodiscard]] bool pair_is_apart() const;
  /// True if, besides, pages don't belong to nodes: joining the two does what no mapping of pages
  /// does.
  [[nodiscard]] bool pair_belongs_together() const;
  /// Returns the mapping with the highest local share (the first of equals), among those whose
  /// share is sure enough.
  [[nodiscard]] Mapping best() const;
  [[nodiscard]] bool exclusive() const { return tells_exclusive().value_or(false); }
  [[nodiscard]] bool balanced() const { return tells_balanced().value_or(false); }
  [[nodiscard]] const Outcome& outcome(Mapping mapping) const;
  /// Returns what to do, if advise() has filled that in; then why: communication, exclusivity,
  /// balance.
  [[nodiscard]] std::vector<std::string> verdict() const;
  /// For a sampled profile, returns what isn't reported for lack of samples, and how to get more;
  /// else "".
  [[nodiscard]] std::string why_too_few() const;
  /// For a profile without accesses, returns why it has none, as far as that is known.
  [[nodiscard]] std::string why_nothing() const;
  [[nodiscard]] std::optional<double> slowdown() const;
};

[[nodiscard]] Summary summarise(const Profile& profile, const Machine& machine);

/// Returns the summary as JSON (docs/report.md).
[[nodiscard]] std::string to_json(const Summary& summary);

}  // namespace Atoll::profile
