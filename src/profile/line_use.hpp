// What only lines tell of a page: who shares what, and how much each pair of threads communicates
// [hashsieve §V.A.1]. Worked out while pages pass by, since lines aren't kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

/// Sums C(i, j) of threads below kCommunicatingThreads.
class CommunicationSums {
 public:
  void add(std::uint32_t i, std::uint32_t j, std::uint64_t amount);
  [[nodiscard]] Communication take();

 private:
  std::vector<std::vector<std::uint64_t>> rows_;  ///< [greater][less]
};

class LineUse {
 public:
  /// `objects` of `page` as its ObjectLines have them; sharing(object) is where it is counted.
  template <class SharingOf>
  void add(const trace::PageAccesses& page, SharingOf&& sharing_of) {
    const bool by_lines = std::ranges::all_of(page.threads, &trace::ThreadOnPage::by_lines);
    if (!by_lines) {
      add_whole(page, sharing_of(main_object(page)));
      return;
    }
    for (const trace::ObjectLines& part : page.objects)
      for (int line = part.first_line; line < part.end_line; ++line)
        add_line(page, line, sharing_of(part.object));
  }

  /// The object that most of the page's lines belong to, the first of equals.
  [[nodiscard]] static std::uint32_t main_object(const trace::PageAccesses& page);

  CommunicationSums all, written;
  std::uint64_t uncounted_lines = 0;  ///< with threads from kCommunicatingThreads on

 private:
  struct User {
    std::uint32_t thread;
    std::uint64_t accesses;
    bool writes;
  };
  void add_line(const trace::PageAccesses& page, int line, Sharing& sharing);
  void add_whole(const trace::PageAccesses& page, Sharing& sharing);
  void communicate(Sharing& sharing);

  std::vector<User> users_;
};

}  // namespace Atoll::profile
