// One thread initializes an array, then two threads repeatedly process one half each.
//   two_halves MIB SECONDS | two_halves MIB ROUNDS rounds
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

__attribute__((noinline)) static double* make_array(std::size_t bytes) {
  return static_cast<double*>(std::malloc(bytes));
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::size_t bytes = std::strtoull(argv[1], nullptr, 10) << 20, half = bytes / 16;
  const int most = std::atoi(argv[2]);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(most);
  double* data = make_array(bytes);
  std::memset(data, 0, bytes);
  const auto work = [&](double* mine) {
    for (int i = 0; argc > 3 ? i < most : std::chrono::steady_clock::now() < end; ++i)
      for (std::size_t at = 0; at < half; ++at) mine[at] += 1;
  };
  std::thread first(work, data), second(work, data + half);
  first.join();
  second.join();
  std::printf("sum %g\n", data[0] + data[half]);
  std::free(data);
  return 0;
}
