#include "apply/thread_mapper.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "plan/group_threads.hpp"

namespace Atoll::apply {

ThreadMapper::ThreadMapper(const std::map<int, std::size_t>& units,
                           const ThreadMapperOptions& options)
    : options_(options) {
  for (const auto& [node, count] : units) {
    nodes_.push_back(node);
    units_.push_back(count);
  }
}

void ThreadMapper::sampled(std::int32_t tid, std::uint64_t page, int node) {
  ++seen_on_[{tid, node}];
  Use& last = last_use_[page];
  // Ignores old uses: the page may belong to another object by now.
  if (last.tid != 0 && last.tid != tid && last.interval + 1 >= interval_)
    handovers_.push_back({last.tid, tid, last.node == node});
  last = {tid, node, interval_};
}

void ThreadMapper::end_interval() {
  ++interval_;
  waited_ = 0;
  handovers_.clear();
  seen_on_.clear();
  std::erase_if(last_use_, [&](const auto& use) { return use.second.interval + 1 < interval_; });
}

void ThreadMapper::forget() {
  past_ = detail::AffinityMatrix(threads_.size());
  candidate_.clear();
  confirmed_ = 0;
}

std::vector<int> ThreadMapper::decide(const std::vector<std::int32_t>& threads) {
  if (threads != threads_) {
    threads_ = threads;
    forget();
  }
  detail::AffinityMatrix fresh(threads.size());
  double all = 0, inside = 0;
  const auto position = [&](std::int32_t tid) {
    const auto found = std::ranges::lower_bound(threads, tid);
    return found == threads.end() || *found != tid
               ? threads.size()
               : static_cast<std::size_t>(found - threads.begin());
  };
  for (const Handover& handover : handovers_) {
    const std::size_t from = position(handover.from), to = position(handover.to);
    if (from == threads.size() || to == threads.size()) continue;
    fresh.add(from, to, 1);
    ++all;
    inside += handover.inside ? 1 : 0;
  }
  if (all == 0 || all < options_.handovers * static_cast<double>(threads.size())) {
    if (++waited_ < options_.patience) return {};
    forget();
    end_interval();
    return {};
  }
  std::vector<int> decided;
  if (!candidate_.empty()) {
    if (detail::inside_share(fresh, candidate_) >= inside / all + options_.gain) {
      if (++confirmed_ >= options_.intervals << std::min(mapped_, 16U))
        decided = nodes_of(candidate_);
    } else {
      candidate_.clear();
    }
  }
  for (std::size_t i = 0; i < threads.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) past_.set(i, j, past_.at(i, j) / 2 + fresh.at(i, j));
  end_interval();
  if (!decided.empty()) {
    ++mapped_;
    forget();
    last_use_.clear();  // they refer to the threads' former nodes
  } else if (candidate_.empty()) {
    candidate_ = grouped();
    confirmed_ = 0;
  }
  return decided;
}

std::vector<std::uint32_t> ThreadMapper::grouped() const {
  const std::size_t nodes = nodes_.size(), threads = threads_.size();
  std::vector<std::size_t> sizes(nodes);
  std::vector<std::uint32_t> blocks;
  detail::DistanceMatrix distances(nodes);
  const std::size_t all = std::accumulate(units_.begin(), units_.end(), std::size_t{0});
  for (std::size_t node = 0, before = 0; node < nodes; ++node) {
    sizes[node] = (before + units_[node]) * threads / all - before * threads / all;
    before += units_[node];
    blocks.insert(blocks.end(), sizes[node], static_cast<std::uint32_t>(node));
    for (std::size_t other = 0; other < node; ++other) distances.set(node, other, 1);
  }
  return detail::group_threads(past_, sizes, blocks, distances, true);
}

/// Returns a node for each group, among nodes with the same number of units: the node with the most
/// samples of the group's threads, so that few threads move.
std::vector<int> ThreadMapper::nodes_of(const std::vector<std::uint32_t>& groups) const {
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> samples;
  for (std::size_t i = 0; i < threads_.size(); ++i)
    for (const int node : nodes_)
      if (const auto seen = seen_on_.find({threads_[i], node}); seen != seen_on_.end())
        samples[{groups[i], node}] += seen->second;
  std::vector<std::pair<std::uint32_t, int>> wishes;
  for (std::uint32_t group = 0; group < nodes_.size(); ++group)
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (units_[i] == units_[group]) wishes.emplace_back(group, nodes_[i]);
  std::ranges::stable_sort(wishes, std::ranges::greater{},
                           [&](const auto& wish) { return samples[wish]; });
  std::map<std::uint32_t, int> given;
  std::set<int> taken;
  for (const auto& [group, node] : wishes)
    if (!given.contains(group) && taken.insert(node).second) given[group] = node;
  std::vector<int> nodes;
  nodes.reserve(groups.size());
  for (const std::uint32_t group : groups) nodes.push_back(given.at(group));
  return nodes;
}

}  // namespace Atoll::apply
