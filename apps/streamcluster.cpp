// Clusters a stream of points, chunk by chunk, as PARSEC's Streamcluster does [shoal §5.1]. A chunk
// is read over and over and not written to meanwhile, so its array is replicated where the machine
// has several nodes, and filled anew for each chunk. All that is kept of the chunks before are
// their centres, each with the weight of its points, which go into the next chunk with the new
// points.
//
//   streamcluster CENTRES < points        (each line a point: 4 numbers)
#include <atoll/atoll.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kDimensions = 4;
constexpr std::size_t kChunk = 10'000;  // points and centres
constexpr int kRounds = 20;             // in which centres move, for each chunk

using Atoll::LoopSchedule;
using Point = std::array<double, kDimensions>;

struct Weighted {
  Point point{};
  double weight = 0;
};

struct Nearest {
  std::size_t centre = 0;
  double squared_distance = std::numeric_limits<double>::infinity();
};

Nearest nearest(const std::vector<Weighted>& centres, const Point& point) {
  Nearest best;
  for (std::size_t c = 0; c < centres.size(); ++c) {
    double sum = 0;
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const double difference = point[d] - centres[c].point[d];
      sum += difference * difference;
    }
    if (sum < best.squared_distance) best = {c, sum};
  }
  return best;
}

/// The first `size` points of the chunk into `count` clusters: from centres far apart, each moves
/// to the mean of its points, round after round.
std::vector<Weighted> cluster(const Atoll::Team& team, const Atoll::Array<Weighted>& chunk,
                              std::size_t size, std::size_t count) {
  std::vector<Weighted> centres{chunk.get(0)};
  while (centres.size() < count) {
    struct Far {
      std::size_t point = 0;
      double squared_distance = -1;
    };
    const Far farthest = Atoll::reduce_chunks(
        team, size, LoopSchedule::fixed, Far{},
        [&](std::size_t begin, std::size_t end) {
          const auto points = chunk.local();  // the copy that is nearest to this thread
          Far far;
          for (std::size_t i = begin; i < end; ++i)
            if (const auto found = nearest(centres, points[i].point);
                found.squared_distance > far.squared_distance)
              far = {i, found.squared_distance};
          return far;
        },
        [](const Far& a, const Far& b) { return b.squared_distance > a.squared_distance ? b : a; });
    centres.push_back(chunk.get(farthest.point));
  }
  for (int round = 0; round < kRounds; ++round) {
    centres = Atoll::reduce_chunks(
        team, size, LoopSchedule::fixed, std::vector<Weighted>(count),
        [&](std::size_t begin, std::size_t end) {
          const auto points = chunk.local();
          std::vector<Weighted> sums(count);
          for (std::size_t i = begin; i < end; ++i) {
            Weighted& sum = sums[nearest(centres, points[i].point).centre];
            for (std::size_t d = 0; d < kDimensions; ++d)
              sum.point[d] += points[i].weight * points[i].point[d];
            sum.weight += points[i].weight;
          }
          return sums;
        },
        [](std::vector<Weighted> a, const std::vector<Weighted>& b) {
          for (std::size_t c = 0; c < a.size(); ++c) {
            for (std::size_t d = 0; d < kDimensions; ++d) a[c].point[d] += b[c].point[d];
            a[c].weight += b[c].weight;
          }
          return a;
        });
    std::erase_if(centres, [](const Weighted& sum) { return sum.weight == 0; });
    for (Weighted& centre : centres)
      for (double& x : centre.point) x /= centre.weight;
  }
  return centres;
}

/// False at the end of the stream.
bool read(Point& point) {
  for (std::size_t d = 0; d < kDimensions; ++d)
    if (!(std::cin >> point[d])) {
      if (std::cin.eof() && d == 0) return false;
      throw Atoll::Error::input("standard input", "a point that isn't four numbers",
                                "write four numbers a line");
    }
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::size_t count = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (count < 1 || count > kChunk / 2)
    throw Atoll::Error::input("streamcluster", "1 to 5000 centres are wanted",
                              "call streamcluster CENTRES < points");
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  const Atoll::Team team(Atoll::spread_places(machine));
  const Atoll::memory::Context context{machine, team};

  Atoll::Array<Weighted> chunk(context, kChunk,
                               {Atoll::Replicated{Atoll::nodes_of(team.places())}});
  std::fprintf(stderr, "chunks are %s\n", Atoll::to_string(chunk.layout()).c_str());

  std::vector<Weighted> centres;
  for (bool more = true; more;) {
    std::vector<Weighted> incoming = centres;
    for (Point point; incoming.size() < kChunk && (more = read(point));)
      incoming.push_back({point, 1.0});
    if (incoming.size() == centres.size()) break;  // the stream ended with the last chunk
    chunk.copy_from(incoming);                     // into every copy
    centres = cluster(team, chunk, incoming.size(), count);
  }
  for (const auto& [point, weight] : centres) {
    for (const double x : point) std::printf("%.6f ", x);
    std::printf("%.0f\n", weight);
  }
} catch (const Atoll::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.kind() == Atoll::Error::Kind::input ? 2 : 1;
}
