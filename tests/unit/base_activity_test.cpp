// The progress line on a terminal: its delay, its text, and its removal.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "atoll/base/log.hpp"
#include "base/activity.hpp"

namespace Atoll {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// Makes standard error a terminal while the object exists.
class Terminal {
 public:
  Terminal() : before_(::dup(STDERR_FILENO)), own_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    ::grantpt(own_);
    ::unlockpt(own_);
    const int terminal = ::open(::ptsname(own_), O_RDWR | O_NOCTTY);
    ::dup2(terminal, STDERR_FILENO);
    ::close(terminal);
    ::fcntl(own_, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    ::close(own_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] std::string shown() const {
    std::string text;
    std::array<char, 1024> part{};
    for (ssize_t got = 0; (got = ::read(own_, part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(got));
    return text;
  }

 private:
  int before_, own_;
};

constexpr char kClear[] = "\r\x1b[K";

TEST(Activity, ShowsItsStateAfterASecondAndClearsIt) {
  const Terminal terminal;
  int calls = 0;
  {
    const Activity activity("building", [&] { return std::to_string(++calls) + " steps"; });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(terminal.shown(), "");
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  EXPECT_GE(calls, 2);
  const std::string shown = terminal.shown();
  EXPECT_THAT(shown,
              StartsWith(std::string(kClear) + "building: 1 steps" + kClear + "building: 2 steps"));
  EXPECT_THAT(shown, EndsWith(kClear));
}

TEST(Activity, ShowsTheElapsedTimeByDefault) {
  const Terminal terminal;
  {
    const Activity activity("building");
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  }
  EXPECT_THAT(terminal.shown(), HasSubstr("building: 1 s"));
}

TEST(Activity, MakesRoomForNotes) {
  const Terminal terminal;
  const Activity activity("building");
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  note("a note of base_activity_test");
  EXPECT_THAT(terminal.shown(),
              HasSubstr(std::string(kClear) + "atoll: note: a note of base_activity_test"));
}

TEST(Activity, ShowsNothingOfShortWork) {
  const Terminal terminal;
  { const Activity activity("building"); }
  EXPECT_EQ(terminal.shown(), "");
}

}  // namespace
}  // namespace Atoll
