// The numbers by which reports judge and advice decides, each with its reason. There is one table
// so that both agree.
#pragma once

#include <array>
#include <string_view>

namespace Atoll::profile {

/// From this score of communication on, threads are worth placing (profile/communication.hpp). It
/// means that, of 64 threads on four nodes, those that belong together communicate over twice as
/// much with each other as with others. A ring of four threads has 0.25; chains, grids and longer
/// rings have more.
inline constexpr double kStructured = 0.2;
/// Two threads with this share of all communication are reported as the only ones that communicate:
/// what others do, such as filling and reading results, is then little.
inline constexpr double kPair = 0.9;
/// From this exclusivity on, pages belong to nodes: "most scientific applications have
/// exclusivities well above 80 %" [hashsieve §V.C.4].
inline constexpr double kExclusive = 0.8;
/// The busiest memory may serve this many times its equal share. The paper calls 41 % of accesses
/// on one node of four, 1.64 times, still significantly imbalanced; up to 1.3, other costs
/// dominate.
inline constexpr double kImbalanced = 1.3;
/// Nothing is changed for a smaller gain in local share or in the busiest memory's share: sampled
/// and modelled figures are no better than some percent.
inline constexpr double kWorthwhile = 0.05;
/// An object with this share of all accesses gets a line of its own in a plan. What all smaller
/// ones do together changes no prediction.
inline constexpr double kObjectMatters = 0.005;
/// An object whose falsely shared lines have this share of all accesses is worth padding: an access
/// that fetches the line from another core costs as much as some hundred that hit the cache.
inline constexpr double kPadding = 0.01;

/// A sampled share is printed if its 90 % interval is at most this wide.
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
    Threshold{"worthwhile", kWorthwhile, "less gain than this is within what models err"},
    Threshold{"padding", kPadding, "a line fetched from another core costs 100 hits"},
    Threshold{"interval", kWidest, "a sampled share that is less sure isn't shown"},
    Threshold{"object", kObjectMatters, "smaller shares change nothing"}};

}  // namespace Atoll::profile
