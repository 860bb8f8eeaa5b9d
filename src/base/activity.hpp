// Progress of work that can't report its progress by itself, such as a call of a library: a line on
// the terminal with the time that it has taken.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace Atoll {

/// Shows the line from the end of the first second on until the object is destroyed. The line is
/// drawn by a thread of its own, which exists only if standard error is a terminal.
class Activity {
 public:
  /// `what` is a text such as "building the graph". `state` returns the text behind it; it is
  /// called by the object's thread. Without `state`, the text is the elapsed time.
  explicit Activity(std::string what, std::function<std::string()> state = {});
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  void draw();

  std::string what_;
  std::function<std::string()> state_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace Atoll
