#include "recording/pages/page_owner.hpp"

#include <algorithm>

namespace Atoll::recording {

std::uint32_t owner_of_private(std::span<const ThreadOnPage> threads, std::uint32_t toucher) {
  const ThreadOnPage* writer = nullptr;
  const ThreadOnPage* first = nullptr;
  for (const ThreadOnPage& thread : threads) {
    if (first == nullptr || thread.first_access < first->first_access) first = &thread;
    if (thread.writes != 0 && (writer == nullptr || thread.first_access < writer->first_access))
      writer = &thread;
  }
  const auto known =
      toucher == kNone ? threads.end() : std::ranges::find(threads, toucher, &ThreadOnPage::thread);
  const ThreadOnPage* by = toucher == kNone ? first : known == threads.end() ? nullptr : &*known;
  const bool only_read = by != nullptr && by->writes == 0;
  return only_read && writer != nullptr ? writer->thread : toucher;
}

}  // namespace Atoll::recording
