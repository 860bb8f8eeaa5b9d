// Sparse matrix times its transpose [affinity §4.2, Figure 8]: C = A Aᵀ, where A is stored by rows,
// Aᵀ by columns (the same arrays), and C is dense. A task computes a row of C.
#include "app.hpp"
#include "matrix.hpp"
#include "memory.hpp"

#include <numeric>
#include <utility>

namespace {

using app::Sparse;

/// Dot product of two rows by merging their ascending columns.
double dot(const Sparse& a, std::size_t i, std::size_t j) {
  double sum = 0;
  std::uint64_t p = a.begin[i], q = a.begin[j];
  while (p < a.begin[i + 1] && q < a.begin[j + 1]) {
    if (a.index[p] == a.index[q])
      sum += a.value[p++] * a.value[q++];
    else if (a.index[p] < a.index[q])
      ++p;
    else
      ++q;
  }
  return sum;
}

/// The serial result, computed differently: by the columns of A.
std::vector<double> expected_product(const Sparse& a) {
  const Sparse columns = app::transposed(a);
  std::vector<double> c(a.tasks() * a.tasks());
  for (std::size_t i = 0; i < a.tasks(); ++i)
    for (std::uint64_t p = a.begin[i]; p < a.begin[i + 1]; ++p)
      for (std::uint64_t q = columns.begin[a.index[p]]; q < columns.begin[a.index[p] + 1]; ++q)
        c[i * a.tasks() + columns.index[q]] += a.value[p] * columns.value[q];
  return c;
}

constexpr float kStepSeconds = 1e-9F;

/// Work of each task. Its row is merged with every row, including itself, until one of the two
/// ends. So each of its entries is visited once for each row that extends at least as far, and so
/// are all entries of other rows up to its last column. Returned in units of the number of rows (at
/// least 1), and in seconds.
std::pair<std::vector<std::uint32_t>, std::vector<float>> merging(const Sparse& a) {
  std::vector<double> rows_from(a.others + 1), entries_to(a.others + 1);
  const auto is_empty = [&](std::size_t row) { return a.begin[row] == a.begin[row + 1]; };
  const auto last_of = [&](std::size_t row) { return a.index[a.begin[row + 1] - 1]; };
  for (std::size_t row = 0; row < a.tasks(); ++row)
    if (!is_empty(row)) ++rows_from[last_of(row)];
  for (const std::uint32_t column : a.index) ++entries_to[column];
  for (std::size_t column = a.others; column-- > 0;) rows_from[column] += rows_from[column + 1];
  std::partial_sum(entries_to.begin(), entries_to.end(), entries_to.begin());

  std::vector<std::uint32_t> work;
  std::vector<float> seconds;
  const auto rows = static_cast<double>(a.tasks());
  for (std::size_t row = 0; row < a.tasks(); ++row) {
    double steps = rows;  // even an empty row is visited
    for (std::uint64_t at = a.begin[row]; at < a.begin[row + 1]; ++at)
      steps += rows_from[a.index[at]];
    if (!is_empty(row)) steps += entries_to[last_of(row)];
    work.push_back(static_cast<std::uint32_t>(steps / rows));
    seconds.push_back(kStepSeconds * static_cast<float>(steps));
  }
  return {std::move(work), std::move(seconds)};
}

void multiply(const Atoll::memory::Context& context, const Sparse& a, const app::Options& options) {
  const std::size_t rows = a.tasks();
  std::vector<Atoll::NodeId> nodes;
  for (const Atoll::ThreadPlace& place : context.team.places()) nodes.push_back(place.node);
  Atoll::Array<double> c(context, rows * rows, Atoll::Partitioned{nodes});
  const std::vector<double> expected = expected_product(a);

  std::optional<Atoll::FollowedSchedule> schedule;
  const app::Clock::time_point start = app::Clock::now();
  const std::uint64_t print =
      Atoll::fingerprint<std::uint32_t>(a.index, Atoll::fingerprint<std::uint64_t>(a.begin));
  const auto [steps, seconds] = merging(a);
  if (auto own = app::make_schedule(
          options, "rows", {a.begin, a.index, static_cast<std::uint32_t>(a.others)},
          context.machine, context.team, print, {.task_seconds = seconds}, steps, true))
    if (app::schedule_to_follow(*own, options) != nullptr)
      schedule.emplace(std::move(*own), Atoll::FollowOptions{.always = options.always});
  const Atoll::FollowedSchedule* followed = schedule ? &*schedule : nullptr;
  if (!schedule && app::inherited_lists(context.team, "rows", rows, print) != nullptr)
    followed = Atoll::inherited_schedule();
  if (schedule) std::printf("prepared in %.3f s\n", app::seconds_since(start));
  const auto variant = [&](const char* name, const Atoll::FollowedSchedule* follow) {
    return app::Variant{name, [&] { c.fill(0); },
                        [&a, &context, rows, print, follow, to = c.master().data()] {
                          const auto row = [&a, rows, to](std::size_t i) {
                            for (std::size_t j = 0; j < rows; ++j) to[i * rows + j] = dot(a, i, j);
                          };
                          Atoll::for_each_task(context.team, "rows", rows, 1, row,
                                               {.fingerprint = print, .follow = follow});
                        },
                        [&] { app::check_answer(c.local(), expected, 1e-12); }};
  };
  std::vector<app::Variant> variants;
  if (followed == nullptr || options.compare) variants.push_back(variant("original", nullptr));
  if (followed != nullptr) variants.push_back(variant("scheduled", followed));
  const app::Times times = app::time(variants, options);
  if (variants.size() == 2) app::print_ratio("scheduled / original", times);
  app::print_checksum(c.local());
}

}  // namespace

int main(int argc, char** argv) {
  const Atoll::options::CommandLine call("SpMM: a sparse matrix times its transpose.", "spmm");
  app::Options options{.iterations = 1};
  std::string path;
  call.add_option("--matrix", path, "A Matrix Market file").required().type_name("FILE");
  app::add_options(call, options);
  app::add_order_options(call, options);
  return app::run(call, argc, argv, [&] {
    const Atoll::Machine machine = Atoll::Machine::this_computer();
    const Atoll::Team team(Atoll::scheduled_places(machine, options.threads));
    const Sparse rows = app::rows_of(path, team);
    const auto size = static_cast<double>(rows.tasks());
    app::check_memory(path, "two dense products of " + std::to_string(rows.tasks()) + " rows",
                      2 * size * size * sizeof(double), "take a smaller matrix");
    multiply({machine, team}, rows, options);
  });
}
