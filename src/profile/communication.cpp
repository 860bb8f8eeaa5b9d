// Computes the structure score: the additional communication inside the best equal groups of
// threads, compared with random groups. A mapping of threads can gain this much.
#include "profile/communication.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "atoll/base/hash.hpp"
#include "plan/group_threads.hpp"

namespace Atoll::profile {
namespace {

/// Above this number of threads only some group sizes are tried; all of them would take seconds.
constexpr std::size_t kAllSizes = 256;
/// Number of refinement rounds. Threads with equal hashes after these rounds are taken to be
/// equivalent, which can be wrong in regular graphs.
constexpr int kRounds = 4;

/// Returns a hash of each thread that is independent of the numbering: of the thread's
/// communication, of its partners' communication, and so on (colour refinement).
std::vector<std::uint64_t> kinds_of(const CommunicationMatrix& matrix) {
  const std::size_t size = matrix.threads();
  double most = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j) most = std::max(most, matrix.at(i, j));
  std::vector<std::uint64_t> kinds(size), next(size);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < size; ++i) {
      next[i] = mix_bits(kinds[i]);
      for (std::size_t j = 0; j < size; ++j)
        if (const double amount = matrix.at(i, j); amount > 0)  // sums don't depend on the order
          next[i] += mix_bits(mix_bits(std::bit_cast<std::uint64_t>(amount / most)) + kinds[j]);
    }
    kinds.swap(next);
  }
  return kinds;
}

/// Returns the submatrix of the threads that communicate, by descending communication, then by
/// hash. The order hardly depends on the numbering of threads.
CommunicationMatrix in_order(const CommunicationMatrix& matrix) {
  const std::vector<std::uint64_t> kinds = kinds_of(matrix);
  std::vector<std::size_t> threads;
  std::vector<double> amounts(matrix.threads());
  for (std::size_t i = 0; i < matrix.threads(); ++i) {
    amounts[i] = matrix.of(i);
    if (amounts[i] > 0) threads.push_back(i);
  }
  std::ranges::stable_sort(
      threads, {}, [&](std::size_t thread) { return std::pair(-amounts[thread], kinds[thread]); });
  return matrix.of_threads(threads);
}

/// Returns the additional communication inside the best groups of `size` threads, compared with
/// random groups, as a fraction of the communication between random groups. Threads at the end that
/// don't fill a group are left out: with groups of two sizes, a thread that feeds all others would
/// gain by being in a larger group.
double gain_of_groups(const CommunicationMatrix& matrix, std::size_t size) {
  const std::size_t groups = matrix.threads() / size;
  std::vector<std::size_t> threads(groups * size);
  std::iota(threads.begin(), threads.end(), std::size_t{0});
  const CommunicationMatrix kept =
      threads.size() == matrix.threads() ? matrix : matrix.of_threads(threads);
  const double random = static_cast<double>(size - 1) / static_cast<double>(threads.size() - 1);
  const double best =
      inside_share(kept, detail::best_groups(kept, std::vector<std::size_t>(groups, size)));
  return (best - random) / (1 - random);
}

}  // namespace

CommunicationMatrix::CommunicationMatrix(const Communication& pairs, std::size_t threads)
    : CommunicationMatrix(threads) {
  for (const auto& [pair, amount] : pairs)
    set(pair.first, pair.second, static_cast<double>(amount));
}

CommunicationMatrix CommunicationMatrix::of_threads(std::span<const std::size_t> threads) const {
  CommunicationMatrix result(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) result.set(i, j, at(threads[i], threads[j]));
  return result;
}

CommunicationMatrix CommunicationMatrix::binned(std::size_t bins) const {
  if (threads() <= bins) return *this;
  const std::size_t block = (threads() + bins - 1) / bins;
  const std::size_t blocks = (threads() + block - 1) / block;
  CommunicationMatrix result(blocks);
  std::vector<double> sums(blocks * blocks), pairs(blocks * blocks);
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
  const CommunicationMatrix kept = in_order(matrix);
  const std::size_t threads = kept.threads();
  if (threads < 4) return 0;  // all groupings are equivalent
  double score = 0;
  // Only sizes that leave out at most one thread. Above kAllSizes threads, each size is at most
  // half the previous one.
  for (std::size_t size = threads / 2, most = size; size >= 2; --size) {
    if (threads % size > 1 || size > most) continue;
    score = std::max(score, gain_of_groups(kept, size));
    if (threads > kAllSizes) most = size / 2;
  }
  return std::max(0.0, score);
}

}  // namespace Atoll::profile
