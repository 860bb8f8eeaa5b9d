// The same three loops for each vector width. The empty assembler statements keep the compiler from
// recognizing memory copies and fills.
#include "measure/kernels.hpp"

namespace Atoll::measure {
namespace {

// A macro, because a template can't have a different target attribute for each width.
// NOLINTBEGIN(bugprone-macro-parentheses): an attribute can't stand in parentheses
#define ATOLL_STREAMS(NAME, VECTOR_BYTES, TARGET)                                                \
  namespace NAME {                                                                               \
  using Vector = std::uint64_t __attribute__((vector_size(VECTOR_BYTES), may_alias));            \
  constexpr std::size_t kVectors = kStep / VECTOR_BYTES;                                         \
  TARGET std::uint64_t read(const std::byte* from, std::size_t bytes) {                          \
    Vector sums[4] = {};                                                                         \
    for (std::size_t at = 0; at < bytes; at += kStep)                                            \
      for (std::size_t i = 0; i < kVectors; ++i)                                                 \
        sums[i % 4] += reinterpret_cast<const Vector*>(from + at)[i];                            \
    const Vector sum = sums[0] + sums[1] + sums[2] + sums[3];                                    \
    std::uint64_t all = 0;                                                                       \
    for (std::size_t i = 0; i < VECTOR_BYTES / sizeof all; ++i) all += sum[i];                   \
    return all;                                                                                  \
  }                                                                                              \
  TARGET void write(std::byte* to, std::size_t bytes, std::uint64_t value) {                     \
    const Vector values = value - Vector{};                                                      \
    for (std::size_t at = 0; at < bytes; at += kStep) {                                          \
      for (std::size_t i = 0; i < kVectors; ++i) reinterpret_cast<Vector*>(to + at)[i] = values; \
      asm volatile("" ::: "memory");                                                             \
    }                                                                                            \
  }                                                                                              \
  TARGET void copy(const std::byte* from, std::byte* to, std::size_t bytes) {                    \
    for (std::size_t at = 0; at < bytes; at += kStep) {                                          \
      for (std::size_t i = 0; i < kVectors; ++i) {                                               \
        const Vector moved = reinterpret_cast<const Vector*>(from + at)[i];                      \
        reinterpret_cast<Vector*>(to + at)[i] = moved;                                           \
      }                                                                                          \
      asm volatile("" ::: "memory");                                                             \
    }                                                                                            \
  }                                                                                              \
  constexpr Streams kStreams{read, write, copy};                                                 \
  }

// NOLINTEND(bugprone-macro-parentheses)
ATOLL_STREAMS(bytes16, 16, )
#ifdef __x86_64__
ATOLL_STREAMS(bytes32, 32, __attribute__((target("avx2"))))
ATOLL_STREAMS(bytes64, 64, __attribute__((target("avx512f"))))
#endif
#undef ATOLL_STREAMS

}  // namespace

const Streams& baseline_streams() {
  return bytes16::kStreams;
}

const Streams& widest_streams() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return bytes64::kStreams;
  if (__builtin_cpu_supports("avx2")) return bytes32::kStreams;
#endif
  return baseline_streams();
}

const void* chase(const void* at, std::uint64_t loads) {
  for (; loads > 0; --loads) at = *static_cast<const void* const*>(at);
  return at;
}

}  // namespace Atoll::measure
