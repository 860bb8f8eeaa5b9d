// Prints the place tree. Siblings of the same shape share one line with their count. An only child
// is on its parent's line, as in "4 l2 2 MiB + l1 32 KiB + core".
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "atoll/base/units.hpp"
#include "cli/machine_text.hpp"
#include "machine/node_set.hpp"

namespace Atoll::cli {
namespace {

using Instances = std::vector<const Place*>;

bool same_shape(const Place& a, const Place& b) {
  return a.kind == b.kind && a.cache_bytes == b.cache_bytes &&
         a.memories.size() == b.memories.size() &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    same_shape);
}

/// A group of equal siblings: their number, and all instances in the machine.
struct Fold {
  std::size_t count = 1;
  Instances everywhere;
};

/// Returns the groups of equal children. All parents have the same shape.
std::vector<Fold> children_of(const Instances& parents) {
  std::vector<Fold> folds;
  const std::vector<Place>& first = parents.front()->children;
  for (std::size_t begin = 0; begin < first.size();) {
    std::size_t end = begin + 1;
    while (end < first.size() && same_shape(first[begin], first[end])) ++end;
    Fold fold;
    fold.count = end - begin;
    for (const Place* parent : parents)
      for (std::size_t i = begin; i < end; ++i) fold.everywhere.push_back(&parent->children[i]);
    folds.push_back(std::move(fold));
    begin = end;
  }
  return folds;
}

std::string name_of(const Fold& fold) {
  const Place& place = *fold.everywhere.front();
  std::string name;
  if (fold.count > 1) name = fmt::format("{} ", fold.count);
  name += to_string(place.kind);
  if (place.cache_bytes > 0) name += ' ' + format_bytes(place.cache_bytes);
  return name;
}

constexpr std::size_t kNameWidth = 49;
constexpr std::size_t kNoteWidth = 23;

/// Returns text such as "pu 0-3 and 4-7", with one list for each of the `numbers`. If that is too
/// long, returns a single merged list.
std::string note(std::string_view what, const std::vector<std::vector<int>>& numbers) {
  std::vector<std::string> lists;
  std::vector<int> all;
  for (const std::vector<int>& column : numbers) {
    lists.push_back(detail::format_numbers(column));
    all.insert(all.end(), column.begin(), column.end());
  }
  std::string text = fmt::format("{} {}", what, fmt::join(lists, " and "));
  if (text.size() <= kNoteWidth) return text;
  std::sort(all.begin(), all.end());
  text = fmt::format("{} {}", what, detail::format_numbers(all));
  return text.size() <= kNoteWidth ? text : text.substr(0, kNoteWidth - 3) + "...";
}

std::string note_of(const Fold& fold) {
  const Place& place = *fold.everywhere.front();
  std::vector<std::vector<int>> numbers(place.kind == PlaceKind::pu ? fold.count
                                                                    : place.memories.size());
  for (std::size_t i = 0; i < fold.everywhere.size(); ++i) {
    const Place& each = *fold.everywhere[i];
    if (place.kind == PlaceKind::pu) numbers[i % fold.count].push_back(each.os_index);
    for (std::size_t m = 0; m < each.memories.size(); ++m)
      numbers[m].push_back(static_cast<int>(each.memories[m].value));
  }
  if (numbers.empty()) return {};
  return note(place.kind == PlaceKind::pu ? "pu" : "memory", numbers);
}

void add_line(std::string& text, const std::string& lead, std::size_t lead_width,
              const std::string& name, std::size_t in_all, const std::string& noted) {
  const std::size_t used = lead_width + name.size();
  text += fmt::format("  {}{}{:{}}{:>4}{}{}\n", lead, name, "",
                      used < kNameWidth ? kNameWidth - used : 1, in_all, noted.empty() ? "" : "  ",
                      noted);
}

void add_folds(std::string& text, const Instances& parents, const std::string& lead,
               std::size_t depth) {
  std::vector<Fold> folds = children_of(parents);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    Fold fold = folds[i];
    const bool last = i + 1 == folds.size();
    const std::size_t lead_width = 3 * (depth + 1);
    std::string name = name_of(fold);
    std::string noted = note_of(fold);
    for (;;) {  // appends only children to the line
      std::vector<Fold> below = children_of(fold.everywhere);
      if (below.size() != 1 || below[0].count != 1) break;
      const std::string joined = name + " + " + name_of(below[0]);
      const std::string more = note_of(below[0]);
      if (lead_width + joined.size() > kNameWidth || (!noted.empty() && !more.empty())) break;
      name = joined;
      noted += more;
      fold = std::move(below[0]);
    }
    add_line(text, lead + (last ? "└─ " : "├─ "), lead_width, name, fold.everywhere.size(), noted);
    add_folds(text, fold.everywhere, lead + (last ? "   " : "│  "), depth + 1);
  }
}

}  // namespace

std::string places_text(const Place& root) {
  std::string text = fmt::format("{:<{}}in all\n", "places", kNameWidth);
  Fold machine;
  machine.everywhere = {&root};
  add_line(text, "", 0, "machine", 1, note_of(machine));
  add_folds(text, machine.everywhere, "", 0);
  return text;
}

}  // namespace Atoll::cli
