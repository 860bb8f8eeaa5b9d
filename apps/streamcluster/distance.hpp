// Distances of points to one of them: where nearly all the time goes.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define STREAMCLUSTER_WITHOUT_CLONES  // what chooses between them runs before the sanitizer does
#endif
#endif
#if defined(STREAMCLUSTER_WITHOUT_CLONES) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
#define STREAMCLUSTER_WIDE
#else
#define STREAMCLUSTER_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#endif

namespace streamcluster {

/// Some points, and the one whose distance from each of them is wanted.
struct DistanceTask {
  const float* coordinates;   ///< of all points, row after row
  const std::uint32_t* rows;  ///< which of them each point has
  const float* weights;       ///< of each point
  std::size_t dimensions;
  std::size_t begin, end;  ///< of the points
  std::uint32_t to;        ///< the row of the other one
  float* costs;            ///< of each point: its squared distance times its weight
};

/// Sums in the order of the dimensions, as PARSEC's program does.
inline void costs_in_order(const DistanceTask& task) {
  const float* const to = task.coordinates + task.to * task.dimensions;
  for (std::size_t i = task.begin; i < task.end; ++i) {
    const float* const from = task.coordinates + task.rows[i] * task.dimensions;
    float sum = 0;
    for (std::size_t d = 0; d < task.dimensions; ++d) sum += (from[d] - to[d]) * (from[d] - to[d]);
    task.costs[i] = sum * task.weights[i];
  }
}

/// Sums in the order that suits the processor's vectors.
STREAMCLUSTER_WIDE inline void costs_by_vectors(const DistanceTask& task) {
  const float* const to = task.coordinates + task.to * task.dimensions;
  const std::size_t dimensions = task.dimensions;
  for (std::size_t i = task.begin; i < task.end; ++i) {
    const float* const from = task.coordinates + task.rows[i] * dimensions;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t d = 0; d < dimensions; ++d) sum += (from[d] - to[d]) * (from[d] - to[d]);
    task.costs[i] = sum * task.weights[i];
  }
}

using CostFunction = void (*)(const DistanceTask&);

}  // namespace streamcluster
