// Communication and sharing, line by line.
#include "profile/line_use.hpp"

#include <algorithm>

namespace Atoll::profile {

void CommunicationSums::add(std::uint32_t i, std::uint32_t j, std::uint64_t amount) {
  const auto [less, greater] = std::minmax(i, j);
  if (rows_.size() <= greater) rows_.resize(greater + 1);
  std::vector<std::uint64_t>& row = rows_[greater];
  if (row.empty()) row.resize(greater);
  row[less] += amount;
}

Communication CommunicationSums::take() {
  Communication pairs;
  for (std::uint32_t i = 0; i < rows_.size(); ++i)
    for (std::uint32_t j = i + 1; j < rows_.size(); ++j)
      if (i < rows_[j].size() && rows_[j][i] > 0)
        pairs.emplace_hint(pairs.end(), std::pair(i, j), rows_[j][i]);
  rows_.clear();
  return pairs;
}

std::uint32_t LineUse::main_object(const trace::PageAccesses& page) {
  std::uint32_t most = trace::kNone;
  int lines = 0;
  for (const trace::ObjectLines& part : page.objects)
    if (part.end_line - part.first_line > lines) {
      lines = part.end_line - part.first_line;
      most = part.object;
    }
  return most;
}

void LineUse::add_line(const trace::PageAccesses& page, int line, Sharing& sharing) {
  users_.clear();
  bool written_to = false, word_is_shared = false;
  unsigned words = 0;
  for (const trace::ThreadOnPage& thread : page.threads) {
    const trace::LineCount& count = thread.lines[line];
    if (count.reads + count.writes == 0) continue;
    users_.push_back({thread.thread, count.reads + count.writes, count.writes > 0});
    written_to = written_to || count.writes > 0;
    word_is_shared = word_is_shared || (words & thread.words[line]) != 0;
    words |= thread.words[line];
  }
  if (users_.empty()) return;
  if (users_.size() == 1)
    ++sharing.private_lines;
  else if (!written_to)
    ++sharing.read_shared_lines;
  else if (word_is_shared)
    ++sharing.write_shared_lines;
  else
    ++sharing.falsely_shared_lines;
  communicate(sharing);
}

void LineUse::add_whole(const trace::PageAccesses& page, Sharing& sharing) {
  users_.clear();
  for (const trace::ThreadOnPage& thread : page.threads)
    users_.push_back({thread.thread, thread.reads + thread.writes, thread.writes > 0});
  ++sharing.unknown_pages;
  communicate(sharing);
}

void LineUse::communicate(Sharing& sharing) {
  if (std::erase_if(users_, [](const User& user) { return user.thread >= kCommunicatingThreads; }) >
      0)
    ++uncounted_lines;
  for (std::size_t i = 0; i < users_.size(); ++i)
    for (std::size_t j = i + 1; j < users_.size(); ++j) {
      const std::uint64_t amount = std::min(users_[i].accesses, users_[j].accesses);
      all.add(users_[i].thread, users_[j].thread, amount);
      sharing.communication += amount;
      if (!users_[i].writes && !users_[j].writes) continue;
      written.add(users_[i].thread, users_[j].thread, amount);
      sharing.write_communication += amount;
    }
}

}  // namespace Atoll::profile
