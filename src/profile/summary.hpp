// All contents of a report, as one value. The terminal's report, --json and the HTML page are made
// from it.
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
#include "recording/counted_as.hpp"

namespace Atoll::profile {

struct ObjectSummary {
  std::uint32_t id = 0;
  std::string kind;   ///< as in the profile file: heap, pool, …
  std::string name;   ///< of the variable, or of the allocating function
  std::string place;  ///< "file:line" of the allocation; "" if unknown
  std::uint64_t bytes = 0, allocations = 1;
  std::uint64_t pages = 0;
  std::uint64_t reads = 0, writes = 0;
  std::uint32_t threads = 0;  ///< number of threads that access it
  std::uint64_t traffic = 0;  ///< lines, as in recording::ThreadOnPage
  double share = 0;           ///< of all traffic
  double exclusivity = 0;
  Balance balance;
  std::vector<Outcome> outcomes;  ///< by kMappings
  Sharing sharing;
  std::vector<std::uint64_t> footprint;     ///< pages by epoch
  std::string use;                          ///< a short phrase on how threads use it
  std::optional<ShareIntervals> intervals;  ///< of a sampled profile

  [[nodiscard]] double local_share() const;  ///< of its traffic, by first touch
};

struct ProcessSummary {
  std::string name;  ///< of its program
  std::size_t threads = 0;
  std::uint64_t accesses = 0, traffic = 0;
  std::optional<Interval> interval;  ///< of its share, for a sampled profile
};

struct Summary {
  // The run.
  std::string command;
  std::string frontend, frontend_reason;
  double elapsed_seconds = 0;
  std::optional<double> native_seconds;
  std::vector<recording::Loss> losses;
  std::vector<recording::Unseen> cant_see;
  std::vector<ProcessSummary> processes;
  std::size_t threads = 0;
  std::uint64_t pages = 0, accesses = 0, traffic = 0;
  recording::CountedAs counted_as = recording::kAccesses;  ///< unit of the counts
  /// Unit of verdicts, shares and what-ifs; its noun is used in their texts.
  recording::CountedAs weighed_as = recording::kTraffic;
  bool tells_writes = true;  ///< if false, all accesses count as reads
  std::uint64_t epoch_ns = 0;
  // The machine to analyse for.
  std::string machine;
  std::string recorded_machine, recorded_about;  ///< "" if unknown
  bool other_machine = false;  ///< the profile was recorded on another machine than `machine`
  Places places;
  // The analyses.
  PagesByNode by_node;   ///< input of the following analyses
  MemoryTraffic memory;  ///< of the same rows
  double structure = 0;
  /// The two threads that have nearly all of the communication, if that is a considerable part of
  /// the traffic.
  std::optional<std::pair<std::size_t, std::size_t>> pair;
  CommunicationMatrix communication{0};        ///< of blocks of threads, kMatrixCells at most
  CommunicationMatrix write_communication{0};  ///< likewise
  Sharing sharing;                             ///< with the sums of communication
  double exclusivity = 0;
  ExclusivityGrid grid;
  Balance balance;
  std::vector<Outcome> outcomes;  ///< by kMappings
  double os_seconds = 0;          ///< time that Outcome::time is relative to; 0 without accesses
  std::vector<std::uint64_t> footprint;
  std::optional<Intervals> intervals;  ///< confidence intervals of a sampled profile's shares
  std::vector<ObjectSummary> objects;  ///< those accessed, by remote accesses, then by accesses
  std::vector<std::string> to_do;  ///< lines of recommendation_lines.hpp; empty after summarise()

  static constexpr std::size_t kMatrixCells = 64;

  // Verdicts; std::nullopt if a sampled profile doesn't determine them.
  [[nodiscard]] std::optional<bool> has_structure() const;
  [[nodiscard]] std::optional<bool> has_exclusive_pages() const;
  [[nodiscard]] std::optional<bool> has_balanced_memories() const;
  [[nodiscard]] bool structured() const { return has_structure().value_or(false); }
  /// True if only two threads communicate, and they are on different nodes.
  [[nodiscard]] bool pair_is_apart() const;
  /// True if pair_is_apart() and exclusivity is low: only moving the two threads to one node can
  /// help.
  [[nodiscard]] bool pair_belongs_together() const;
  /// Returns the mapping with the highest local share (the first of equals), among those whose
  /// interval is narrow enough.
  [[nodiscard]] Mapping best() const;
  [[nodiscard]] bool exclusive() const { return has_exclusive_pages().value_or(false); }
  [[nodiscard]] bool balanced() const { return has_balanced_memories().value_or(false); }
  [[nodiscard]] const Outcome& outcome(Mapping mapping) const;
  /// Returns the recommendations, if advise() has added them, followed by their reasons:
  /// communication, exclusivity, balance.
  [[nodiscard]] std::vector<std::string> verdict() const;
  /// For a sampled profile with too few samples, returns the results that aren't reported, and the
  /// way to get more samples. Returns "" otherwise.
  [[nodiscard]] std::string why_too_few() const;
  /// Returns the reason why a profile has no accesses, as far as it is known.
  [[nodiscard]] std::string why_nothing() const;
  [[nodiscard]] std::optional<double> slowdown() const;
};

[[nodiscard]] Summary summarise(const Profile& profile, const Machine& machine);

/// Returns the summary as JSON (docs/report.md).
[[nodiscard]] std::string to_json(const Summary& summary);

}  // namespace Atoll::profile
