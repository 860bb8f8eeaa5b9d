// Sparse matrix times vector [affinity §4.1, Figure 7]: y = A x, repeated. By rows (CRS), a task
// computes an element of y. By columns (CCS), it adds to elements of y that other tasks also add
// to, so the original program needs atomic additions or a private y for each thread, and uses the
// faster variant. With a schedule, rows or columns are packed, and the other vector is renumbered.
#include "app.hpp"
#include "matrix.hpp"
#include "memory.hpp"
#include "updates.hpp"

#include <atoll/marks/marks.h>

#include <atomic>
#include <numeric>
#include <random>

namespace {

using app::Sparse;
using Atoll::Array, Atoll::Error;

/// Checks that a matrix, its other forms and its vectors fit into memory: it is read or generated,
/// possibly transposed, and then each form is placed.
void check_memory(const std::string& where, double rows, double entries,
                  const app::Options& options) {
  constexpr double kEntry = sizeof(double) + sizeof(std::uint32_t), kRow = 8;
  const bool packs = options.breadth_first || options.schedule;
  const double forms = packs ? 6 : 3;  // a schedule is made from copies of the entries
  app::check_memory(where, Atoll::format_count(static_cast<std::uint64_t>(rows)) + " rows",
                    forms * (entries * kEntry + rows * (kRow + 2 * sizeof(double))),
                    "take a smaller matrix");
}

/// Nine entries per row: a node of a square grid and its neighbours, with nodes in random order.
Sparse shuffled_mesh(std::size_t nodes, std::uint64_t seed) {
  const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(nodes)));
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> name(side * side), place(side * side);
  std::iota(name.begin(), name.end(), 0U);
  std::shuffle(name.begin(), name.end(), random);
  for (std::uint32_t i = 0; i < name.size(); ++i) place[name[i]] = i;
  Sparse rows;
  rows.others = name.size();
  rows.begin.reserve(name.size() + 1);
  rows.index.reserve(9 * name.size());
  rows.value.reserve(9 * name.size());
  for (std::size_t row = 0; row < name.size(); ++row) {
    const std::size_t at = place[row] + side * side;
    for (const std::size_t other : {at - side - 1, at - side, at - side + 1, at - 1, at, at + 1,
                                    at + side - 1, at + side, at + side + 1}) {
      rows.index.push_back(name[other % name.size()]);
      rows.value.push_back(other == at ? 8.0 : -1.0);
    }
    rows.begin.push_back(rows.index.size());
  }
  return rows;
}

double start_of(std::size_t i) {
  return 1 + static_cast<double>(i % 17) / 16;
}

/// The matrix and its vectors in placed memory. `own` is the vector indexed by task, `other` the
/// one indexed through `index`: y and x by rows, x and y by columns.
struct Placed {
  Array<std::uint64_t> begin;
  Array<std::uint32_t> index;
  Array<double> value, own, other;
};

class Spmv {
 public:
  Spmv(const Atoll::memory::Context& context, const Sparse& rows, bool by_rows,
       const app::Options& options)
      : context_(context), by_rows_(by_rows), options_(options), expected_(rows.tasks()) {
    for (std::size_t row = 0; row < rows.tasks(); ++row)
      for (std::uint64_t at = rows.begin[row]; at < rows.begin[row + 1]; ++at)
        expected_[row] += rows.value[at] * start_of(rows.index[at]);
    matrix_ = by_rows ? rows : app::transposed(rows);
    answer_.resize(rows.tasks());
    print_ = Atoll::fingerprint<std::uint32_t>(matrix_.index,
                                               Atoll::fingerprint<std::uint64_t>(matrix_.begin));
  }

  void run(const std::string& updates) {
    app::Clock::time_point start = app::Clock::now();
    std::optional<Atoll::Schedule> own;
    if (options_.breadth_first || options_.schedule) {
      const Atoll::TaskLocations tasks{matrix_.begin, matrix_.index,
                                       static_cast<std::uint32_t>(matrix_.others)};
      own = app::make_schedule(
          options_, loop_name(), tasks, context_.machine, context_.team, print_,
          // A task reads one `begin` and one element of its own vector.
          {.packs = true, .own_bytes = 16, .added_bytes = by_rows_ ? 0U : 8U}, app::work_of(tasks));
    }
    const Atoll::ScheduledLoop* const lists =
        own ? app::schedule_to_follow(*own, options_)
            : app::inherited_lists(context_.team, loop_name(), matrix_.tasks(), print_,
                                   Atoll::LoopData::is_packed);
    double prepared = app::seconds_since(start);
    std::vector<app::Variant> variants;
    if (lists == nullptr || options_.compare) add_originals(variants, updates);
    if (lists != nullptr) {
      start = app::Clock::now();
      add_packed(variants, *lists);
      prepared += app::seconds_since(start);
      std::printf("prepared in %.3f s\n", prepared);
    }
    const app::Times times = app::time(variants, options_);
    if (lists != nullptr && options_.compare) app::print_ratio("packed / original", times);
    app::print_checksum<double>(answer_);
  }

 private:
  [[nodiscard]] const char* loop_name() const { return by_rows_ ? "rows" : "columns"; }
  Array<double>& y_of(Placed& placed) const { return by_rows_ ? placed.own : placed.other; }
  /// By rows, the order of each sum is fixed; by columns, terms are added in any order.
  void check() const { app::check_answer(answer_, expected_, by_rows_ ? 0 : 1e-12); }

  void add_originals(std::vector<app::Variant>& variants, const std::string& updates) {
    std::vector<Atoll::NodeId> nodes;
    for (const Atoll::ThreadPlace& place : context_.team.places()) nodes.push_back(place.node);
    const Atoll::Partitioned equal{nodes};
    const std::size_t entries = matrix_.index.size();
    original_.begin = {context_, matrix_.tasks() + 1, equal};
    original_.index = {context_, entries, equal};
    original_.value = {context_, entries, equal};
    original_.own = {context_, matrix_.tasks(), equal};
    original_.other = {context_, matrix_.others, equal};
    original_.begin.copy_from(matrix_.begin);
    original_.index.copy_from(matrix_.index);
    original_.value.copy_from(matrix_.value);
    Array<double>& x = by_rows_ ? original_.other : original_.own;
    Atoll::for_each(context_.team, x.size(), Atoll::LoopSchedule::fixed,
                    [to = x.master().data()](std::size_t i) { to[i] = start_of(i); });
    const auto reset = [this] { y_of(original_).fill(0); };
    const auto check_y = [this] {
      std::ranges::copy(y_of(original_).local(), answer_.begin());
      check();
    };
    if (by_rows_) {
      variants.push_back({"original", reset, [this] { multiply_rows(); }, check_y});
      return;
    }
    atoll_mark_reduction(original_.other.master().data(), matrix_.others * sizeof(double));
    const app::TimedUpdates timed = app::timed_updates(updates, context_.machine, context_.team,
                                                       matrix_.others, matrix_.index.size());
    if (timed.atomic)
      variants.push_back(
          {"original, atomic additions", reset, [this] { add_atomically(); }, check_y});
    if (timed.copies) {
      whole_.emplace(context_, Atoll::Packing::Part{0, matrix_.others});
      variants.push_back({"original, private copies", reset, [this] { add_privately(); }, check_y});
    }
  }

  /// Returns the body of the loop over rows.
  static auto row_product(Placed& placed) {
    return [begin = placed.begin.local().data(), index = placed.index.local().data(),
            value = placed.value.local().data(), x = placed.other.local().data(),
            y = placed.own.master().data()](std::size_t row, std::size_t end, std::size_t) {
      for (; row < end; ++row) {
        double sum = 0;
        for (std::uint64_t at = begin[row]; at < begin[row + 1]; ++at)
          sum += value[at] * x[index[at]];
        y[row] = sum;
      }
    };
  }
  void multiply_rows() {
    Atoll::for_each_task_range(context_.team, "rows", matrix_.tasks(), 1, row_product(original_),
                               {.fingerprint = print_, .follow = nullptr});
  }

  /// Calls add(element of y, term) for the entries of columns.
  template <class Add>
  static void add_columns(Placed& placed, std::size_t column, std::size_t end, Add&& add) {
    const auto* const begin = placed.begin.local().data();
    const auto* const index = placed.index.local().data();
    const auto *const value = placed.value.local().data(), *const x = placed.own.local().data();
    for (; column < end; ++column)
      for (std::uint64_t at = begin[column]; at < begin[column + 1]; ++at)
        add(index[at], value[at] * x[column]);
  }
  void add_atomically() {
    original_.other.fill(0);
    Atoll::for_each_task_range(
        context_.team, "columns", matrix_.tasks(), 1,
        [this, y = original_.other.master().data()](std::size_t column, std::size_t end,
                                                    std::size_t) {
          add_columns(original_, column, end, [y](std::size_t i, double term) {
            std::atomic_ref(y[i]).fetch_add(term, std::memory_order_relaxed);
          });
        },
        {.fingerprint = print_, .follow = nullptr});
  }
  void add_privately() {
    original_.other.fill(0);
    Atoll::for_each_task_range(
        context_.team, "columns", matrix_.tasks(), 1,
        [this](std::size_t column, std::size_t end, std::size_t thread) {
          add_columns(original_, column, end,
                      [y = whole_->of(thread)](std::size_t i, double term) { y[i] += term; });
        },
        {.fingerprint = print_, .follow = nullptr});
    whole_->add_to(original_.other.master());
  }

  void add_packed(std::vector<app::Variant>& variants, const Atoll::ScheduledLoop& lists) {
    packing_.emplace(context_.team, lists);
    const std::span<const std::uint64_t> begin = matrix_.begin;
    packed_.begin = {context_, matrix_.tasks() + 1, packing_->layout_of_begins()};
    packing_->pack_begins(begin, packed_.begin.master());
    const std::span<const std::uint64_t> packed_begin = packed_.begin.local();
    const Atoll::Partitioned by_entry = packing_->layout_of_rows(packed_begin);
    packed_.index = {context_, matrix_.index.size(), by_entry};
    packed_.value = {context_, matrix_.index.size(), by_entry};
    packing_->pack_rows<std::uint64_t, std::uint32_t>(begin, packed_begin, matrix_.index,
                                                      packed_.index.master());
    packing_->pack_rows<std::uint64_t, double>(begin, packed_begin, matrix_.value,
                                               packed_.value.master());
    others_.emplace(
        *packing_, matrix_.others,
        by_rows_ ? Atoll::Renumbering::Use::read : Atoll::Renumbering::Use::written,
        [packed_begin, index = packed_.index.local().data()](std::size_t task, auto&& visit) {
          for (auto at = packed_begin[task]; at < packed_begin[task + 1]; ++at) visit(index[at]);
        });
    others_->rewrite(packed_.index.master());
    packed_.own = {context_, matrix_.tasks(), packing_->layout()};
    packed_.other = {context_, matrix_.others, others_->layout()};
    std::vector<double> x(by_rows_ ? matrix_.others : matrix_.tasks());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = start_of(i);
    if (by_rows_)
      others_->pack<double>(x, packed_.other.master());
    else
      packing_->pack<double>(x, packed_.own.master());
    shared_.emplace(context_, others_->shared());
    if (!by_rows_)
      std::printf("%zu of %zu elements are written by several threads\n",
                  others_->shared().end - others_->shared().begin, matrix_.others);
    variants.push_back({"packed", [this] { y_of(packed_).fill(0); }, [this] { multiply_packed(); },
                        [this] {
                          if (by_rows_)
                            packing_->unpack<double>(packed_.own.local(), answer_);
                          else
                            others_->unpack<double>(packed_.other.local(), answer_);
                          check();
                        }});
  }

  void multiply_packed() {
    if (by_rows_) {
      Atoll::for_each_packed(*packing_, row_product(packed_));
      return;
    }
    packed_.other.fill(0);
    Atoll::for_each_packed(*packing_,
                           [this](std::size_t column, std::size_t end, std::size_t thread) {
                             add_columns(packed_, column, end,
                                         [y = shared_->target(thread, packed_.other.master())](
                                             std::size_t i, double term) { y[i] += term; });
                           });
    shared_->add_to(packed_.other.master());
  }

  Atoll::memory::Context context_;
  bool by_rows_;
  app::Options options_;
  Sparse matrix_;
  std::uint64_t print_ = 0;  ///< fingerprint of the matrix
  std::vector<double> expected_, answer_;
  Placed original_, packed_;
  std::optional<Atoll::PrivateCopies<double>> whole_, shared_;
  std::optional<Atoll::Packing> packing_;
  std::optional<Atoll::Renumbering> others_;
};

}  // namespace

int main(int argc, char** argv) {
  const Atoll::options::CommandLine call("SpMV: a sparse matrix times a vector.", "spmv");
  app::Options options;
  std::size_t nodes = 0;
  std::uint64_t seed = 1;
  std::string path, format = "crs", updates = "faster";
  const auto by_file = call.add_option("--matrix", path, "A Matrix Market file").type_name("FILE");
  call.add_option("--mesh", nodes, "A grid of N nodes in no order, 9 entries a row")
      .check(app::value::count(9, UINT32_MAX - 2))
      .excludes(by_file)
      .type_name("N");
  call.add_option("--seed", seed, "Another seed, another order (1)")
      .check(app::value::count(0))
      .type_name("N");
  call.add_option("--format", format, "By rows or by columns (crs)")
      .check(app::value::one_of({"crs", "ccs"}))
      .type_name("FORMAT");
  call.add_option("--updates", updates, "How ccs adds (faster)")
      .check(app::value::one_of({"atomic", "private", "faster"}))
      .type_name("HOW");
  app::add_options(call, options);
  app::add_order_options(call, options);
  return app::run(call, argc, argv, [&] {
    if (nodes == 0 && path.empty())
      throw Error::input("spmv", "no matrix", "give --matrix or --mesh");
    const Atoll::Machine machine = Atoll::Machine::this_computer();
    const Atoll::Team team(Atoll::scheduled_places(machine, options.threads));
    if (path.empty())
      check_memory("--mesh", static_cast<double>(nodes), 9 * static_cast<double>(nodes), options);
    const app::Sparse rows = path.empty() ? shuffled_mesh(nodes, seed) : app::rows_of(path, team);
    check_memory(path.empty() ? "--mesh" : path, static_cast<double>(rows.tasks()),
                 static_cast<double>(rows.index.size()), options);
    Spmv spmv({machine, team}, rows, format == "crs", options);
    spmv.run(updates);
  });
}
