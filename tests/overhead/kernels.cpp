// Loops whose instructions are counted. Each has the same code for the local view of an Array and
// for raw pointers. Their names are extern "C", so that callgrind's options can name them.
#include <atoll/atoll.hpp>
#include <cstdint>
#include <cstdio>
#include <vector>

#define KERNEL extern "C" __attribute__((noinline))

KERNEL double sum_raw(const double* x, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}
KERNEL double sum_array(const Atoll::Array<double>& array) {
  const std::span<const double> x = array.local();
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i];
  return sum;
}

KERNEL void scale_raw(double* y, const double* x, double factor, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = factor * x[i];
}
KERNEL void scale_array(Atoll::Array<double>& to, const Atoll::Array<double>& from, double factor) {
  const std::span<double> y = to.master();
  const std::span<const double> x = from.local();
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = factor * x[i];
}

KERNEL double gather_raw(const double* x, const std::uint32_t* index, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[index[i]];
  return sum;
}
KERNEL double gather_array(const Atoll::Array<double>& values,
                           const Atoll::Array<std::uint32_t>& indices) {
  const std::span<const double> x = values.local();
  const std::span<const std::uint32_t> index = indices.local();
  double sum = 0;
  for (std::size_t i = 0; i < index.size(); ++i) sum += x[index[i]];
  return sum;
}

int main() {
  constexpr std::size_t kSize = 100'000;
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  const Atoll::Team team(Atoll::compact_places(machine, 1));
  const Atoll::memory::Context context{machine, team};
  const Atoll::Layout layout{Atoll::SingleNode{machine.memories().front().id}};
  Atoll::Array<double> x(context, kSize, layout), y(context, kSize, layout);
  Atoll::Array<std::uint32_t> index(context, kSize, layout);
  std::vector<double> raw_x(kSize), raw_y(kSize);
  std::vector<std::uint32_t> raw_index(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    raw_x[i] = static_cast<double>(i % 1000);
    raw_index[i] = static_cast<std::uint32_t>(i * 7919 % kSize);
  }
  x.copy_from(raw_x);
  index.copy_from(raw_index);

  scale_raw(raw_y.data(), raw_x.data(), 3.0, kSize);
  scale_array(y, x, 3.0);
  // Calls each kernel once, so that its count is that of one call.
  const bool same = sum_raw(raw_y.data(), kSize) == sum_array(y) &&
                    gather_raw(raw_x.data(), raw_index.data(), kSize) == gather_array(x, index);
  std::puts(same ? "same" : "different");
  return same ? 0 : 1;
}
