// Adds each new column to all levels, and packs a tile once it is full.
#include "profile/html_tiles.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "profile/html_encode.hpp"

namespace Atoll::profile {
namespace {

/// Merges two lists of rows that ascend by thread. For rows of the same thread, `sum` adds the
/// second to the first.
template <typename Row, typename Sum>
void merge(std::vector<Row>& into, const std::vector<Row>& from, Sum sum) {
  if (std::ranges::equal(into, from, {}, &Row::thread, &Row::thread)) {  // the most frequent case
    for (std::size_t i = 0; i < into.size(); ++i) sum(into[i], from[i]);
    return;
  }
  std::vector<Row> merged;
  merged.reserve(into.size() + from.size());
  auto next = from.begin();
  for (Row& row : into) {
    for (; next != from.end() && next->thread < row.thread; ++next) merged.push_back(*next);
    if (next != from.end() && next->thread == row.thread) sum(row, *next++);
    merged.push_back(row);
  }
  merged.insert(merged.end(), next, from.end());
  into = std::move(merged);
}

/// Returns one tile's numbers in columns (read by page/2_data.js).
std::string packed(const std::vector<PageColumn>& columns) {
  std::string plain;
  put_varint(plain, columns.size());
  std::uint64_t page = 0;
  for (const PageColumn& column : columns) {
    put_varint(plain, column.first_page - page);
    page = column.first_page;
  }
  struct Of {
    std::vector<std::uint32_t> columns;
    std::vector<const ThreadCount*> counts;
  };
  std::map<std::uint32_t, Of> threads;
  std::vector<PageColumn::Touch> most;
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    most.push_back(std::ranges::max(columns[i].touched, {}, &PageColumn::Touch::pages));
    for (const ThreadCount& count : columns[i].accesses) {
      Of& of = threads[count.thread];
      of.columns.push_back(i);
      of.counts.push_back(&count);
    }
  }
  for (const PageColumn::Touch& touch : most) put_varint(plain, touch.thread);
  for (const PageColumn::Touch& touch : most) put_varint(plain, touch.pages);
  put_varint(plain, threads.size());
  for (const auto& [thread, of] : threads) {
    put_varint(plain, thread);
    put_varint(plain, of.columns.size());
    std::uint32_t following = 0;
    for (const std::uint32_t column : of.columns) {
      put_varint(plain, column - following);
      following = column + 1;
    }
    for (const ThreadCount* count : of.counts) put_varint(plain, count->reads);
    for (const ThreadCount* count : of.counts) put_varint(plain, count->writes);
  }
  return deflated(plain);
}

}  // namespace

void PageColumn::add(const PageColumn& next) {
  merge(touched, next.touched, [](Touch& a, const Touch& b) { a.pages += b.pages; });
  merge(accesses, next.accesses, [](ThreadCount& a, const ThreadCount& b) {
    a.reads += b.reads;
    a.writes += b.writes;
  });
}

TilePyramid::TilePyramid(int finest) : finest_(finest) {}

void TilePyramid::add(const PageColumn& page) {
  ++pages_;
  add(0, page);
}

void TilePyramid::add(std::size_t level, const PageColumn& column) {
  if (levels_.size() == level) {
    levels_.emplace_back();
    levels_[level].done.pages_a_column = std::uint64_t{1} << 2 * level;
  }
  if (levels_[level].summed++ == 0)
    levels_[level].sum = column;
  else
    levels_[level].sum.add(column);
  if (static_cast<int>(level) >= finest_) {
    levels_[level].open.push_back(column);
    if (levels_[level].open.size() == TileLevel::kColumns) close_tile(levels_[level]);
  }
  if (levels_[level].summed == kStep) add_sum_to_next_level(level);
}

void TilePyramid::add_sum_to_next_level(std::size_t level) {
  levels_[level].summed = 0;
  const PageColumn sum = std::exchange(levels_[level].sum, {});
  add(level + 1, sum);
}

void TilePyramid::close_tile(Level& level) {
  level.done.tiles.push_back(packed(level.open));
  level.done.bytes += level.done.tiles.back().size();
  level.open.clear();
}

std::vector<TileLevel> TilePyramid::finish() {
  std::vector<TileLevel> made;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (!levels_[i].open.empty()) close_tile(levels_[i]);
    if (!levels_[i].done.tiles.empty()) made.push_back(std::move(levels_[i].done));
    if (!made.empty() && made.back().tiles.size() == 1) break;
    if (levels_[i].summed > 0) add_sum_to_next_level(i);
  }
  return made;
}

}  // namespace Atoll::profile
