// The structure score: the second eigenvalue of the random walk over threads, which tells whether
// the walk stays in some group, times how much communication is elsewhere than threads' totals
// alone would put it, which keeps a lonely pair from counting as structure.
#include "profile/communication.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace Atoll::profile {
namespace {

/// So much communication elsewhere than expected counts in full: half of it for two equal groups, a
/// sixth for groups of a tenth and nine tenths of the threads' totals.
constexpr double kFullContrast = 0.15;
/// Steps of the Lanczos iteration: more than enough for the greatest eigenvalue to two digits.
constexpr std::size_t kSteps = 120;

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void remove_component(Vector& from, const Vector& unit) {
  const double amount = dot(from, unit);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= amount * unit[i];
}

/// Its former length.
double normalise(Vector& vector) {
  const double length = std::sqrt(dot(vector, vector));
  for (double& value : vector) value /= length;
  return length;
}

/// The greatest eigenvalue of a symmetric tridiagonal matrix, by bisection: it is below x if and
/// only if all pivots of x I - T are positive.
double greatest_eigenvalue(const Vector& diagonal, const Vector& beside) {
  double low = -1, high = 1;
  for (int step = 0; step < 40; ++step) {
    const double x = (low + high) / 2;
    double pivot = 1;
    bool below = true;
    for (std::size_t i = 0; i < diagonal.size() && below; ++i) {
      pivot = x - diagonal[i] - (i == 0 ? 0 : beside[i - 1] * beside[i - 1] / pivot);
      below = pivot > 0;
    }
    (below ? high : low) = x;
  }
  return high;
}

/// The second greatest eigenvalue of D^-1/2 C D^-1/2 (the greatest is 1), by Lanczos' iteration in
/// the space that is orthogonal to the first eigenvector.
double second_eigenvalue(const CommunicationMatrix& matrix, const Vector& totals) {
  const std::size_t size = totals.size();
  Vector root(size);
  std::ranges::transform(totals, root.begin(), [](double total) { return std::sqrt(total); });
  std::vector<Vector> basis(1, root);
  normalise(basis[0]);
  std::minstd_rand random(1);
  Vector next(size);
  for (double& value : next) value = static_cast<double>(random() % 1000) + 1;
  remove_component(next, basis[0]);
  if (normalise(next) == 0) return 0;
  Vector diagonal, beside;
  while (true) {
    basis.push_back(next);
    const Vector& last = basis.back();
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += matrix.at(i, j) * last[j] / root[j];
      next[i] = sum / root[i];
    }
    diagonal.push_back(dot(next, last));
    if (diagonal.size() == std::min(kSteps, size - 1)) break;
    for (int twice = 0; twice < 2; ++twice)  // rounding leaves some of them
      for (const Vector& known : basis) remove_component(next, known);
    const double length = std::sqrt(dot(next, next));
    if (length < 1e-9) break;  // the rest of the space adds nothing
    normalise(next);
    beside.push_back(length);
  }
  return greatest_eigenvalue(diagonal, beside);
}

/// How much of the communication is elsewhere than expected from threads' totals alone, 0 to 1.
double contrast(const CommunicationMatrix& matrix, const Vector& totals) {
  const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
  double pairs = 0;  // the products of totals of all pairs
  for (const double total : totals) pairs += total * (all - total);
  double elsewhere = 0;
  for (std::size_t i = 0; i < totals.size(); ++i)
    for (std::size_t j = 0; j < totals.size(); ++j)
      if (i != j) elsewhere += std::abs(matrix.at(i, j) / all - totals[i] * totals[j] / pairs);
  return elsewhere / 2;
}

}  // namespace

CommunicationMatrix::CommunicationMatrix(const Communication& pairs, std::size_t threads)
    : CommunicationMatrix(threads) {
  for (const auto& [pair, amount] : pairs)
    set(pair.first, pair.second, static_cast<double>(amount));
}

CommunicationMatrix CommunicationMatrix::binned(std::size_t bins) const {
  if (threads() <= bins) return *this;
  const std::size_t block = (threads() + bins - 1) / bins;
  const std::size_t blocks = (threads() + block - 1) / block;
  CommunicationMatrix result(blocks);
  Vector sums(blocks * blocks), pairs(blocks * blocks);
  for (std::size_t i = 0; i < threads(); ++i)
    for (std::size_t j = 0; j < threads(); ++j) {
      if (i == j) continue;
      const std::size_t cell = i / block * blocks + j / block;
      sums[cell] += at(i, j);
      ++pairs[cell];
    }
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t j = 0; j < blocks; ++j)
      if (pairs[i * blocks + j] > 0) result.set(i, j, sums[i * blocks + j] / pairs[i * blocks + j]);
  return result;
}

CommunicationMatrix communication_of(const Profile& profile) {
  return {profile.communication,
          std::min<std::size_t>(profile.recording.threads.size(), kCommunicatingThreads)};
}

std::optional<std::pair<std::size_t, std::size_t>> main_pair(const CommunicationMatrix& matrix,
                                                             double share) {
  const double least = share * matrix.total();
  for (std::size_t j = 0; j < matrix.threads() && least > 0; ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (matrix.at(i, j) >= least) return std::pair(i, j);
  return std::nullopt;
}

double structure_score(const CommunicationMatrix& matrix) {
  std::vector<std::size_t> threads;  // that communicate at all
  for (std::size_t i = 0; i < matrix.threads(); ++i)
    if (matrix.of(i) > 0) threads.push_back(i);
  if (threads.size() < 3) return 0;  // two can't be grouped otherwise
  CommunicationMatrix kept(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) kept.set(i, j, matrix.at(threads[i], threads[j]));
  Vector totals;
  for (std::size_t i = 0; i < threads.size(); ++i) totals.push_back(kept.of(i));
  const double stays = std::max(0.0, second_eigenvalue(kept, totals));
  return stays * std::min(1.0, contrast(kept, totals) / kFullContrast);
}

}  // namespace Atoll::profile
