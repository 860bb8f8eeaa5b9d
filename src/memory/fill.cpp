// The ladder. Linux has no policy that fills nodes in an order of one's own, and binding to a node
// kills when it is full (the OOM killer comes although other nodes have memory). So each thread
// asks for a window of pages on one node, with a policy that may give others, and looks where they
// are. From the first page that is elsewhere on it gives them back: that node is full, and the next
// one is tried.
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

  /// Puts each stripe on its node, and what finds no room there on the nearest node that has some.
  void fill_each(std::vector<Stripe> work) {
    // Each round but the last finds a node full, so there is at most one round more than nodes.
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
      at = fill_what_should_fit(node, at);
      at = fill_to_the_brim(node, at);
      if (at == bytes_) return;
    }
    fill_anywhere({{at, bytes_ - at, 0, 1, order.back()}});
  }

 private:
  using Work = std::map<NodeId, std::vector<Stripe>>;  ///< by the node to try
  enum class Mode { all_threads, one_thread, anywhere };

  /// Returns the node, then, if pages may spill, the others: the nearest first.
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

  /// Fills, in parallel, a little less than the node seems to have room for, so that only the last
  /// part has to be filled page by page. Returns where to go on.
  std::uint64_t fill_what_should_fit(NodeId node, std::uint64_t at) {
    const std::uint64_t room = headroom_.room(node);
    const std::uint64_t brim = std::max(room / 16, 8 * window_);
    if (room <= brim) return at;
    const std::uint64_t bytes = std::min(bytes_ - at, (room - brim) / window_ * window_);
    if (bytes == 0) return at;
    const std::vector<Stripe> left = run({{node, {{at, bytes, 0, 1, node}}}}, Mode::all_threads);
    if (left.empty()) return at + bytes;
    // The node hadn't that room: others were faster. What lies behind the first gap is done again,
    // in order.
    std::uint64_t gap = at + bytes;
    for (const Stripe& stripe : left) gap = std::min(gap, stripe.offset);
    context_.backend.discard(std::vector<Range>{{base_ + gap, at + bytes - gap}});
    headroom_.give_back(at + bytes - gap - total_bytes(left));
    full_.erase(node);
    return gap;
  }

  /// Fills with one thread, until a page is elsewhere.
  std::uint64_t fill_to_the_brim(NodeId node, std::uint64_t at) {
    if (at == bytes_) return at;
    const auto left = run({{node, {{at, bytes_ - at, 0, 1, node}}}}, Mode::one_thread);
    return left.empty() ? bytes_ : left.front().offset;
  }

  /// No node has much room, but in reserves and remainders the machine has what is needed.
  void fill_anywhere(std::vector<Stripe> work) {
    const NodeId node = work.front().node;
    if (when_full_ == WhenFull::refuse)
      throw Error::memory("memory",
                          "node " + std::to_string(node.value) + " is full with " +
                              format_bytes(total_bytes(work)) + " still to place",
                          "ask for less, or let it spill to other nodes");
    run({{node, std::move(work)}}, Mode::anywhere);
  }

  /// Returns what didn't fit where it was tried. Those nodes are in full_ then.
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
    else  // where a page is put doesn't depend on the thread that asks for it
      for (int thread = 0; thread < context_.team.size(); ++thread) place_share(thread);
    return std::exchange(left_, {});
  }

  /// The team's threads on the node, or on the nearest node to it that has any.
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

  /// Does one thread's part: window after window, until it is done or the node is full.
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

  /// Returns how much of the ranges, from their start, has its pages on the node now. The rest
  /// isn't mapped.
  std::uint64_t place_window(NodeId target, std::vector<Range> ranges) {
    const std::uint64_t wanted = total_bytes(ranges);
    const std::uint64_t granted = headroom_.take(target, wanted);
    std::uint64_t right = granted;
    if (granted > 0 && (granted == wanted || pages_ == PageSize::small)) {
      ranges = cut(ranges, 0, granted);
      context_.backend.populate(ranges, target);
      if (headroom_.several_nodes()) right = bytes_on(target, ranges);
      // The system goes elsewhere although there is room: in file cache, or in pieces that are too
      // small for a huge page. Moving the pages there makes use of it. Memory freed just now may
      // take a moment to become available.
      for (int attempt = 0;
           attempt < kMoveAttempts && right < granted && headroom_.room(target) >= granted - right;
           ++attempt) {
        if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1 << attempt));
        context_.backend.migrate(ranges, target);
        right = bytes_on(target, ranges);
      }
      if (right == wanted) return right;
    }
    if (pages_ != PageSize::small) right = 0;  // a huge page is all here or all there
    context_.backend.discard(cut(ranges, right, granted));
    headroom_.give_back(granted - right);
    return right;
  }

  /// Returns how much of the ranges, from their start, is on the node.
  std::uint64_t bytes_on(NodeId node, const std::vector<Range>& ranges) const {
    std::vector<NodeId> found(total_bytes(ranges) / kBasePageBytes);
    context_.backend.locate(ranges, found);
    const auto other =
        std::find_if(found.begin(), found.end(), [&](NodeId n) { return n != node; });
    return static_cast<std::uint64_t>(other - found.begin()) * kBasePageBytes;
  }

  /// Returns the bytes [begin, end) of the ranges taken as one.
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

  /// Leaves the bytes of the window from `done` on, and all that comes after it, to another node.
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

  std::mutex mutex_;  ///< protects the two below while threads run
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
