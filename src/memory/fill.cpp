// Fills nodes in a given order (the ladder). Linux has no policy for this, and MPOL_BIND invokes
// the OOM killer when the node is full, although other nodes have memory. So each thread maps a
// window of pages with a policy that prefers one node but allows others, and then queries their
// nodes. From the first page on another node, it frees the pages: the preferred node is full, and
// the next one is tried.
#include "memory/fill.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"
#include "atoll/base/units.hpp"
#include "memory/stripes.hpp"

namespace Atoll::memory {
namespace {

constexpr int kMoveAttempts = 4;

class Filler {
 public:
  Filler(const Context& context, Headroom& headroom, Range range, PageSize pages,
         WhenFull when_full, Populate populate)
      : context_(context),
        headroom_(headroom),
        base_(range.data),
        bytes_(range.bytes),
        pages_(pages),
        window_(window_bytes(pages)),
        when_full_(when_full),
        populate_(populate) {}

  /// Places each stripe on its node, or if the node is full on the nearest node with room.
  void fill_each(std::vector<Stripe> work) {
    // Each round but the last finds a full node, so there is at most one round more than nodes.
    while (!work.empty()) {
      Work by_target;
      for (const Stripe& stripe : work) {
        const NodeId target = first_open(with_others_after(stripe.node));
        if (target == kNowhere) return fill_anywhere(std::move(work));
        by_target[target].push_back(stripe);
      }
      work = run(by_target, Mode::all_threads);
    }
  }

  /// Fills from the first byte to the last, one node after the other.
  void fill_in_order(std::vector<NodeId> order) {
    if (when_full_ == WhenFull::spill) append_new(order, with_others_after(order.back()));
    std::uint64_t at = 0;
    for (const NodeId node : order) {
      at = fill_apparent_room(node, at);
      at = fill_serially(node, at);
      if (at == bytes_) return;
    }
    fill_anywhere({{at, bytes_ - at, 0, 1, order.back()}});
  }

 private:
  using Work = std::map<NodeId, std::vector<Stripe>>;  ///< by the node to try
  enum class Mode { all_threads, one_thread, anywhere };

  /// Returns the node and, if pages may spill, all others, nearest first.
  std::vector<NodeId> with_others_after(NodeId node) const {
    std::vector<NodeId> order{node};
    const Machine& machine = context_.machine;
    if (when_full_ == WhenFull::spill)
      append_new(order, machine.order(machine.nearest_initiator(node), Ordering::latency));
    return order;
  }

  static void append_new(std::vector<NodeId>& order, const std::vector<NodeId>& more) {
    for (const NodeId node : more)
      if (std::find(order.begin(), order.end(), node) == order.end()) order.push_back(node);
  }

  NodeId first_open(const std::vector<NodeId>& order) const {
    for (const NodeId node : order)
      if (!full_.contains(node)) return node;
    return kNowhere;
  }

  /// Fills in parallel slightly less than the node's apparent room, so that only the last part must
  /// be filled serially. Returns the offset to continue from.
  std::uint64_t fill_apparent_room(NodeId node, std::uint64_t at) {
    const std::uint64_t room = headroom_.room(node);
    const std::uint64_t brim = std::max(room / 16, 8 * window_);
    if (room <= brim) return at;
    const std::uint64_t bytes = std::min(bytes_ - at, (room - brim) / window_ * window_);
    if (bytes == 0) return at;
    const std::vector<Stripe> left = run({{node, {{at, bytes, 0, 1, node}}}}, Mode::all_threads);
    if (left.empty()) return at + bytes;
    // The node had less room: other processes took memory meanwhile. Everything after the first gap
    // is freed and filled again in order.
    std::uint64_t gap = at + bytes;
    for (const Stripe& stripe : left) gap = std::min(gap, stripe.offset);
    context_.backend.discard(std::vector<Range>{{base_ + gap, at + bytes - gap}});
    headroom_.give_back(at + bytes - gap - total_bytes(left));
    full_.erase(node);
    return gap;
  }

  /// Fills with one thread until a page is placed on another node.
  std::uint64_t fill_serially(NodeId node, std::uint64_t at) {
    if (at == bytes_) return at;
    const auto left = run({{node, {{at, bytes_ - at, 0, 1, node}}}}, Mode::one_thread);
    return left.empty() ? bytes_ : left.front().offset;
  }

  /// No single node has much room left, but the reserves and remainders of all nodes together
  /// suffice.
  void fill_anywhere(std::vector<Stripe> work) {
    const NodeId node = work.front().node;
    if (when_full_ == WhenFull::refuse)
      throw Error::memory("memory",
                          "node " + std::to_string(node.value) + " is full with " +
                              format_bytes(total_bytes(work)) + " still to place",
                          "ask for less, or let it spill to other nodes");
    run({{node, std::move(work)}}, Mode::anywhere);
  }

  /// Returns the stripes that didn't fit, and adds their nodes to full_.
  std::vector<Stripe> run(const Work& work, Mode mode) {
    std::vector<std::vector<std::pair<NodeId, std::vector<Stripe>>>> shares(
        static_cast<std::size_t>(context_.team.size()));
    for (const auto& [target, stripes] : work) {
      std::vector<std::size_t> threads = threads_near(target);
      if (mode == Mode::one_thread) threads.resize(1);
      auto parts = split(stripes, threads.size(), window_);
      for (std::size_t i = 0; i < threads.size(); ++i)
        if (!parts[i].empty()) shares[threads[i]].emplace_back(target, std::move(parts[i]));
    }
    left_.clear();
    std::atomic<bool> failed = false;
    const auto place_share = [&](int thread) {
      try {
        for (auto& [target, stripes] : shares[static_cast<std::size_t>(thread)])
          place(target, std::move(stripes), mode, failed);
      } catch (...) {
        failed = true;
        throw;
      }
    };
    if (populate_ == Populate::by_team)
      context_.team.run(place_share);
    else  // the node of a page doesn't depend on the thread that maps it
      for (int thread = 0; thread < context_.team.size(); ++thread) place_share(thread);
    return std::exchange(left_, {});
  }

  /// Returns the team's threads on the node, or on the nearest node that has any.
  std::vector<std::size_t> threads_near(NodeId target) const {
    const ThreadPlaces& places = context_.team.places();
    const Machine& machine = context_.machine;
    const std::vector<NodeId> initiators = machine.initiators();
    const NodeId home = machine.nearest_initiator(target);
    const auto farness = [&](NodeId node) {
      const bool known = std::find(initiators.begin(), initiators.end(), node) != initiators.end();
      return node == home ? 0.0
             : known      ? machine.link(node, target).latency_ns.value
                          : std::numeric_limits<double>::infinity();
    };
    NodeId nearest = places.front().node;
    for (const ThreadPlace& place : places)
      if (farness(place.node) < farness(nearest)) nearest = place.node;
    std::vector<std::size_t> threads;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i].node == nearest) threads.push_back(i);
    return threads;
  }

  /// Runs one thread's part: places window after window until all are placed or the node is full.
  void place(NodeId target, std::vector<Stripe> stripes, Mode mode,
             const std::atomic<bool>& failed) {
    StripeReader reader(std::move(stripes));
    while (!failed) {
      const std::vector<Extent> window = reader.take(window_);
      if (window.empty()) return;
      std::vector<Range> ranges;
      ranges.reserve(window.size());
      for (const Extent& extent : window) ranges.push_back({base_ + extent.offset, extent.bytes});
      if (mode == Mode::anywhere) {
        headroom_.take_anywhere(total_bytes(ranges));
        context_.backend.populate(ranges, kNowhere);
      } else if (const std::uint64_t done = is_full(target) ? 0 : place_window(target, ranges);
                 done < total_bytes(ranges)) {
        return leave(target, window, done, reader);
      }
    }
  }

  /// Places a window. Returns the length of the prefix whose pages are on the node; the rest is
  /// left unmapped.
  std::uint64_t place_window(NodeId target, std::vector<Range> ranges) {
    const std::uint64_t wanted = total_bytes(ranges);
    const std::uint64_t granted = headroom_.take(target, wanted);
    std::uint64_t right = granted;
    if (granted > 0 && (granted == wanted || pages_ == PageSize::small)) {
      ranges = cut(ranges, 0, granted);
      context_.backend.populate(ranges, target);
      if (headroom_.several_nodes()) right = bytes_on(target, ranges);
      // The system may use another node although this one has room: in file cache, or in fragments
      // smaller than a huge page. Migration makes use of that room. Memory that was just freed may
      // need a moment to become available.
      for (int attempt = 0;
           attempt < kMoveAttempts && right < granted && headroom_.room(target) >= granted - right;
           ++attempt) {
        if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1 << attempt));
        context_.backend.migrate(ranges, target);
        right = bytes_on(target, ranges);
      }
      if (right == wanted) return right;
    }
    if (pages_ != PageSize::small) right = 0;  // a huge page is on one node as a whole
    context_.backend.discard(cut(ranges, right, granted));
    headroom_.give_back(granted - right);
    return right;
  }

  /// Returns the length of the prefix of the ranges that is on the node.
  std::uint64_t bytes_on(NodeId node, const std::vector<Range>& ranges) const {
    std::vector<NodeId> found(total_bytes(ranges) / kPageBytes);
    context_.backend.locate(ranges, found);
    const auto other =
        std::find_if(found.begin(), found.end(), [&](NodeId n) { return n != node; });
    return static_cast<std::uint64_t>(other - found.begin()) * kPageBytes;
  }

  /// Returns bytes [begin, end) of the concatenated ranges.
  static std::vector<Range> cut(const std::vector<Range>& ranges, std::uint64_t begin,
                                std::uint64_t end) {
    std::vector<Range> part;
    std::uint64_t at = 0;
    for (const Range& range : ranges) {
      const std::uint64_t from = std::clamp(begin, at, at + range.bytes);
      const std::uint64_t to = std::clamp(end, at, at + range.bytes);
      if (from < to) part.push_back({range.data + (from - at), to - from});
      at += range.bytes;
    }
    return part;
  }

  bool is_full(NodeId node) {
    const std::scoped_lock lock(mutex_);
    return full_.contains(node);
  }

  /// Hands the bytes of the window from `done` on, and everything after the window, over to another
  /// node.
  void leave(NodeId target, const std::vector<Extent>& window, std::uint64_t done,
             const StripeReader& reader) {
    const std::scoped_lock lock(mutex_);
    full_.insert(target);
    for (const Extent& extent : window) {
      const std::uint64_t skipped = std::min(done, extent.bytes);
      if (skipped < extent.bytes)
        left_.push_back({extent.offset + skipped, extent.bytes - skipped, 0, 1, reader.node()});
      done -= skipped;
    }
    const std::vector<Stripe> rest = reader.rest();
    left_.insert(left_.end(), rest.begin(), rest.end());
  }

  const Context& context_;
  Headroom& headroom_;
  std::byte* base_;
  std::uint64_t bytes_;
  PageSize pages_;
  std::uint64_t window_;  ///< in bytes
  WhenFull when_full_;
  Populate populate_;

  std::mutex mutex_;  ///< protects full_ and left_ while threads run
  std::set<NodeId> full_;
  std::vector<Stripe> left_;
};

}  // namespace

void fill(const Context& context, Headroom& headroom, Range range, const Placement& placement,
          PageSize pages, WhenFull when_full, Populate populate) {
  Filler filler(context, headroom, range, pages, when_full, populate);
  if (const auto* ordered = std::get_if<Ordered>(&placement))
    filler.fill_in_order(ordered->order);
  else
    filler.fill_each(stripes_of(placement, range.bytes, pages));
}

}  // namespace Atoll::memory
