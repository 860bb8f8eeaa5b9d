// Thresholds of the reports' verdicts and of the advice, each with its reason. Both use this table,
// so they agree.
#pragma once

#include <array>
#include <string_view>

namespace Atoll::profile {

/// Minimum structure score for placing threads by their communication (profile/communication.hpp).
/// For 64 threads on four nodes, it means that threads of one group communicate over twice as much
/// with each other as with others. A ring of four threads has 0.25; chains, grids and longer rings
/// have more.
inline constexpr double kStructured = 0.2;
/// Two threads with this share of all communication are reported as the only ones that communicate:
/// the rest, such as filling data and reading results, is small.
inline constexpr double kPair = 0.9;
/// Minimum exclusivity at which pages count as used by a single node: "most scientific applications
/// have exclusivities well above 80 %" [hashsieve §V.C.4].
inline constexpr double kExclusive = 0.8;
/// Maximum load of the busiest memory, as a multiple of its equal share. The paper calls 41 % of
/// accesses on one node of four, a factor of 1.64, still significantly imbalanced. Up to 1.3, other
/// costs dominate.
inline constexpr double kImbalanced = 1.3;
/// Minimum gain, in local share or in the busiest memory's share, for a change: sampled and
/// modelled figures have errors of some percent.
inline constexpr double kMinGain = 0.05;
/// Minimum share of all accesses for an object to have its own line in a plan. All smaller objects
/// together change no prediction.
inline constexpr double kMinObjectShare = 0.005;
/// Minimum share of all accesses, on an object's falsely shared lines, to recommend padding. An
/// access that fetches a line from another core costs as much as some hundred cache hits.
inline constexpr double kPadding = 0.01;

/// Maximum width of the 90 % interval of a sampled share that is printed.
inline constexpr double kWidest = 0.2;

struct Threshold {
  std::string_view name;
  double value;
  std::string_view reason;
};
inline constexpr std::array kThresholds{
    Threshold{"structured", kStructured, "groups communicate over twice as much inside"},
    Threshold{"pair", kPair, "of communication: others only fill and read results"},
    Threshold{"exclusive", kExclusive, "most scientific applications are above it"},
    Threshold{"imbalanced", kImbalanced, "times its equal share that a memory may serve"},
    Threshold{"worthwhile", kMinGain, "less gain than this is within what models err"},
    Threshold{"padding", kPadding, "a line fetched from another core costs 100 hits"},
    Threshold{"interval", kWidest, "a sampled share that is less sure isn't shown"},
    Threshold{"object", kMinObjectShare, "smaller shares change nothing"}};

}  // namespace Atoll::profile
