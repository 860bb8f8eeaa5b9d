// Distances from points to one of them, which take nearly all the time.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define STREAMCLUSTER_WITHOUT_CLONES  // the resolver of target_clones runs before the sanitizer is
                                      // initialized
#endif
#endif
#if defined(STREAMCLUSTER_WITHOUT_CLONES) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
#define STREAMCLUSTER_WIDE
#else
#define STREAMCLUSTER_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#endif

namespace streamcluster {

/// A range of points, and the point to which their distances are computed.
struct DistanceTask {
  const float* coordinates;   ///< coordinates of all points, row after row
  const std::uint32_t* rows;  ///< row of each point
  const float* weights;       ///< weight of each point
  std::size_t dimensions;
  std::size_t begin, end;  ///< range of points
  std::uint32_t to;        ///< row of the other point
  float* costs;            ///< result for each point: squared distance times weight
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

/// Sums in an order that suits vector instructions.
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
