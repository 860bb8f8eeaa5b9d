// Functions that are inlined into each other, for tests that look up addresses.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace outer {

struct Table {
  int* cells;
  std::size_t n;
  explicit Table(std::size_t size) : cells(static_cast<int*>(std::malloc(size * 4))), n(size) {}
  ~Table() { std::free(cells); }
  int& at(std::size_t i) {
    if (i >= n) std::abort();
    return cells[i];
  }
};

static inline int twice(int value) {
  return value * 2 + std::rand();
}

inline int sum_up(Table& table) {
  int sum = 0;
  for (std::size_t i = 0; i < table.n; ++i) sum += twice(table.at(i));
  return sum;
}

template <typename T>
__attribute__((noinline)) T fill(Table& table, T start) {
  for (std::size_t i = 0; i < table.n; ++i) table.at(i) = static_cast<int>(start) + std::rand();
  return start;
}

namespace {
__attribute__((noinline)) int hidden(int n) {
  Table table(static_cast<std::size_t>(n));
  fill(table, 3L);
  fill(table, 2.5);
  return sum_up(table);
}
}  // namespace

}  // namespace outer

int a_global[100] = {1};
static double a_static[50] = {2};
namespace outer {
const char a_constant[] = "read-only";
}

int main(int count, char**) {
  a_static[count] += a_global[count];
  std::printf("%d %f %s\n", outer::hidden(count), a_static[count], outer::a_constant + count);
  return 0;
}
