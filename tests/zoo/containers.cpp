// C++: std::thread, std::vector and new. Each worker sums a part of the first thread's data.
#include <thread>
#include <vector>

#include "zoo.h"

enum { kParts = 4, kPartPages = 10 };

int main() {
  const size_t pages = kParts * kPartPages;
  auto* memory = new (std::align_val_t{kPage}) uint64_t[pages * kPageWords];
  Array* numbers = array_at("numbers", memory, pages);
  sweep(numbers, 0, pages, kWrite, 1);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kParts; ++i) {
    Worker* self = zoo_new_worker((int)i, nullptr);
    threads.emplace_back([=] {
      zoo_enter(self);
      sweep(numbers, i * kPartPages, kPartPages, kRead, 8);
    });
  }
  for (size_t i = 0; i < kParts; ++i) {
    threads[i].join();
    zoo_workers[1 + i].joined = zoo_now();
  }
  return zoo_told();
}
