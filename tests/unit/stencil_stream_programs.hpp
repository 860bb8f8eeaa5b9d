// Random stencil programs, for comparisons of runs with fields in memory and in slow memory.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "atoll/stencil/stencil.hpp"

namespace Atoll::stencil {

/// Queues random loops on one mesh or two connected ones. Two objects of one seed queue the same
/// loops.
class RandomProgram {
 public:
  RandomProgram(Program& program, unsigned seed) : program_(program), random_(seed) {
    dimensions_ = 1 + pick(3);
    std::vector<int> sizes;
    for (int d = 0; d < dimensions_; ++d)
      sizes.push_back(d + 1 == dimensions_ ? 20 + pick(30) : 4 + pick(9));
    const int meshes = 1 + (pick(3) == 0);
    for (int m = 0; m < meshes; ++m) {
      // Connected along the outermost dimension, in which they may differ.
      if (m == 1) sizes.back() = 10 + pick(40);
      Part& part = parts_.emplace_back();
      part.mesh = &program_.mesh("mesh" + std::to_string(m), std::span<const int>(sizes));
      for (int f = 0; f < 4; ++f)
        part.fields.push_back(part.mesh->field<double>(
            "f" + std::to_string(f),
            {.halo = kHalo, .components = f == 3 && dimensions_ > 1 ? 2 : 1}));
      part.temporary = part.mesh->field<double>("temporary", {.halo = kHalo, .temporary = true});
      part.column = part.mesh->column<double>("column");
      std::array<bool, kMaxDimensions> flat{};
      if (dimensions_ > 1) flat[static_cast<std::size_t>(dimensions_ - 1)] = true;
      part.flat = part.mesh->field<double>("flat", {.flat = flat});
    }
    sum_ = program_.reduction<double>();
    most_ = program_.reduction<double>();
  }

  /// Sets all fields, by a loop for each.
  void start() {
    for (Part& part : parts_) {
      double factor = 1;
      for (const Field<double>& field : part.fields) {
        factor += 0.37;
        part.mesh->loop(
            "start", field.storage().whole(),
            [factor, components = field.storage().options().components](const Index& at, auto u) {
              for (int c = 0; c < components; ++c)
                u[c]() = factor * (at.x + 3 * at.y + 7 * at.z) / 64.0 + c;
            },
            index(), write(field));
      }
      part.mesh->loop(
          "start column", Range{{0, 0, 0}, {1, part.mesh->size(1), part.mesh->size(2)}},
          [](const Index& at, auto u) { u() = at.y - at.z; }, index(), write(part.column));
      Range row = part.mesh->interior();
      if (dimensions_ > 1) row.hi[static_cast<std::size_t>(dimensions_ - 1)] = 1;
      part.mesh->loop(
          "start flat", row, [](const Index& at, auto u) { u() = 1 + at.x; }, index(),
          write(part.flat));
    }
    program_.run();
  }

  /// Queues the loops of one chain. The same seed queues the same chain.
  void chain(unsigned seed) {
    random_.seed(seed);
    for (int loops = 2 + pick(10); loops-- > 0;) queue();
    asked_ = pick(3) == 0;
    if (asked_) {
      Part& part = parts_[0];
      part.mesh->loop(
          "sum", part.mesh->interior(), [](auto u, auto sum, auto most) { sum(u()), most(-u()); },
          read(part.fields[0]), reduce_sum(sum_), reduce_max(most_));
    }
  }

  /// Runs the queue. Adds the results of reductions to `results`.
  void run(std::vector<double>& results) {
    if (asked_) {
      results.push_back(sum_.value());
      results.push_back(most_.value());
    } else {
      program_.run();
    }
  }

  /// Changes a field outside of loops.
  void edit(int number) {
    const Field<double>& field = parts_[0].fields[static_cast<std::size_t>(number % 4)];
    const View<double> values = field.edit();
    const Range& all = values.whole();
    for (int z = all.lo[2]; z < all.hi[2]; z += 3)
      for (int y = all.lo[1]; y < all.hi[1]; y += 2)
        for (int x = all.lo[0]; x < all.hi[0]; ++x) values(x, y, z) += 0.5;
  }

  /// Returns the values of all fields but temporary ones, with their halos.
  std::vector<std::vector<double>> values() {
    std::vector<std::vector<double>> all;
    for (const Part& part : parts_)
      for (const Field<double>& field : part.fields)
        for (int c = 0; c < field.storage().options().components; ++c)
          all.push_back(field.copy(field.storage().whole(), c));
    return all;
  }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

 private:
  static constexpr int kHalo = 2;
  struct Part {
    Mesh* mesh = nullptr;
    std::vector<Field<double>> fields;
    Field<double> temporary;
    Column<double> column;
    Field<double> flat;
  };

  /// The mesh, or a part of it, or up to two layers more.
  Range range(const Mesh& mesh, int layers) {
    Range range = mesh.interior();
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) {
      const int kind = pick(6), size = mesh.interior().hi[d];
      if (kind < 2) range.lo[d] -= pick(layers + 1), range.hi[d] += pick(layers + 1);
      if (kind == 2) range.lo[d] = pick(size), range.hi[d] = range.lo[d] + 1 + pick(2);
      if (kind == 3) range.lo[d] = std::min(pick(4), size - 1), range.hi[d] -= pick(2);
      range.hi[d] = std::min(range.hi[d], size + layers);
    }
    return range;
  }

  void queue() {
    Part& part = parts_[static_cast<std::size_t>(pick(static_cast<int>(parts_.size())))];
    Mesh& mesh = *part.mesh;
    const Field<double>& u = part.fields[static_cast<std::size_t>(pick(3))];
    const Field<double>& v = part.fields[static_cast<std::size_t>(pick(2))];
    const bool same = &u == &v;
    const Stencil cross = star(1, dimensions_);
    const auto around = [d = dimensions_](const auto& f) {
      double sum = f(-1) + f(1);
      if (d > 1) sum += f(0, -1) + f(0, 1);
      if (d > 2) sum += f(0, 0, -1) + f(0, 0, 1);
      return sum;
    };
    switch (pick(10)) {
      case 0:
      case 1:
        if (same) break;
        mesh.loop(
            "step", range(mesh, 1),
            [around](auto a, auto b) { b() = 0.3 * a() + 0.11 * around(a); }, read(u, cross),
            write(v));
        return;
      case 2:
        if (same) break;
        mesh.loop(
            "add", range(mesh, 1), [around](auto a, auto b) { b() += 0.01 * around(a); },
            read(u, cross), increment(v));
        return;
      case 3:
        mesh.loop(
            "scale", range(mesh, 2), [](auto a) { a() = 0.9 * a() + 0.1; }, read_write(u));
        return;
      case 4:
        mesh.loop(
            "set", range(mesh, 2),
            [](const Index& at, auto a) { a() = 0.125 * (at.x + at.y - at.z); }, index(), write(u));
        return;
      case 5: {
        const int face = pick(dimensions_);
        const int depth = 1 + pick(kHalo);
        const int kind = pick(4);
        if (kind == 0) mirror(u, {face, pick(2) == 0}, depth, -1);
        if (kind == 1) copy_outwards(u, {face, pick(2) == 0}, depth);
        if (kind == 2) constant(u, {face, pick(2) == 0}, depth, 0.25);
        if (kind == 3) periodic(u, face, depth);
        return;
      }
      case 6:
        periodic(u, dimensions_ - 1, 1 + pick(kHalo));
        return;
      case 7: {  // through a temporary field
        if (same) break;
        Range wide = mesh.interior();
        for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d)
          wide.lo[d] -= 1, wide.hi[d] += 1;
        mesh.loop(
            "flux", wide, [](auto a, auto t) { t() = 2 * a() - 1; }, read(u),
            write(part.temporary));
        mesh.loop(
            "use", mesh.interior(), [around](auto t, auto b) { b() -= 0.02 * around(t); },
            read(part.temporary, cross), increment(v));
        return;
      }
      case 8:
        mesh.loop(
            "flat", mesh.interior(),
            [](auto column, auto flat, auto a) { a() += 0.01 * column() + 0.001 * flat(); },
            read(part.column), read(part.flat), increment(u));
        return;
      case 9:
        if (parts_.size() == 2) {
          const Connection connection{parts_[0].mesh, parts_[1].mesh, dimensions_ - 1};
          exchange(connection, parts_[0].fields[1], parts_[1].fields[1], 1 + pick(kHalo));
          return;
        }
        mesh.loop(
            "pairs", mesh.interior(),
            [d = dimensions_](auto a, auto b) {
              b[0]() += a();
              if (d > 1) b[1]() -= a();
            },
            read(u), increment(part.fields[3]));
        return;
      default:
        break;
    }
    mesh.loop(
        "default", mesh.interior(), [](auto a) { a() = 0.5 * a(); }, read_write(u));
  }

  Program& program_;
  std::mt19937 random_;
  int dimensions_ = 1;
  std::vector<Part> parts_;
  Reduction<double> sum_, most_;
  bool asked_ = false;
};

}  // namespace Atoll::stencil
