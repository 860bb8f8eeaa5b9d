#include "profile/page_uses.hpp"

#include <cmath>
#include <tuple>
#include <vector>

#include "profile/pack.hpp"

namespace Atoll::profile {
namespace {

/// A chunk is part of a stream if the fraction kAlike of its pages has similar numbers of accesses:
/// within kAlikeWithin standard deviations of random accesses.
constexpr double kAlike = 0.7, kAlikeWithin = 0.5;

/// True if the thread uses most pages of the chunk equally often.
bool streams(const Chunk& chunk) {
  std::vector<double> counts;
  for (std::size_t i = 0; i < chunk.pages.size(); ++i)
    counts.push_back(static_cast<double>(chunk.reads[i] + chunk.writes[i]));
  std::ranges::nth_element(counts, counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2));
  const double middle = counts[counts.size() / 2];
  const auto alike = std::ranges::count_if(counts, [&](double count) {
    return std::abs(count - middle) <= kAlikeWithin * std::sqrt(middle);
  });
  return static_cast<double>(alike) >= kAlike * static_cast<double>(counts.size());
}

}  // namespace

PageUses::PageUses(const Profile& profile, const PagesByNode& pages, std::size_t epochs)
    : profile_(profile),
      pages_(pages),
      epochs_(epochs),
      is_sampled_(profile.recording.is_sampled()) {}

PageUse PageUses::use_of(const Chunk& chunk, std::size_t i, bool is_stream) const {
  const auto traffic = static_cast<double>(chunk.traffic[i]);
  const std::uint64_t known = epochs_ >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << epochs_) - 1;
  const std::uint64_t epochs = is_sampled_ ? 1 : chunk.epochs[i] & known;
  return {.thread = chunk.thread,
          .traffic = traffic,
          .accesses = static_cast<double>(chunk.reads[i] + chunk.writes[i]),
          .written_part =
              is_sampled_ ? 0 : std::min(1.0, static_cast<double>(chunk.writes[i]) / traffic),
          .lines = std::min<double>(traffic, chunk.lines[i] == 0
                                                 ? static_cast<double>(recording::kLinesOfPage)
                                                 : static_cast<double>(chunk.lines[i])),
          .writes = static_cast<double>(chunk.writes[i]),
          .epochs = epochs == 0 ? 1 : epochs,
          .is_stream = is_stream && !is_sampled_};
}

void PageUses::for_each_page(const ForPage& action) const {
  std::vector<std::vector<PageUse>> window(kChunkPages);
  const auto close = [&](const PackedChunk& group) {
    const std::uint32_t process = profile_.recording.objects[group.object].process;
    for (std::uint32_t page = 0; page < kChunkPages; ++page) {
      if (window[page].empty()) continue;
      const auto row = std::ranges::lower_bound(
          pages_.rows, std::tuple(process, group.first_page + page, group.object), {},
          [](const PageRow& of) { return std::tuple(of.process, of.page, of.object); });
      if (row != pages_.rows.end() && row->page == group.first_page + page &&
          row->object == group.object && row->process == process) {
        for (PageUse& use : window[page])
          if (use.thread == row->first_touch && !is_sampled_) use.set_first();
        action(static_cast<std::size_t>(row - pages_.rows.begin()),
               std::span<const PageUse>(window[page]));
      }
      window[page].clear();
    }
  };
  const PackedChunk* group = nullptr;  // chunks of one object and window are consecutive
  Unpacker unpacker;
  for (const PackedChunk& packed : profile_.chunks) {
    if (group != nullptr &&
        (group->object != packed.object || group->first_page != packed.first_page))
      close(*group);
    group = &packed;
    const Chunk& chunk = unpacker.unpack(packed);
    const bool is_stream = streams(chunk);
    for (std::size_t i = 0; i < chunk.pages.size(); ++i) {
      if (chunk.traffic[i] > 0) window[chunk.pages[i]].push_back(use_of(chunk, i, is_stream));
    }
  }
  if (group != nullptr) close(*group);
}

}  // namespace Atoll::profile
