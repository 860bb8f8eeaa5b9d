// Flows for the suite `chains` that need no other files: heat in 2D and a wave in 3D.
#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "stencil_flows.hpp"

namespace Atoll::bench {

/// Heat on n^2 points: one loop a step, two fields in turn.
class HeatFlow : public SteppedFlow {
 public:
  HeatFlow(const st::Options& options, int n)
      : SteppedFlow(options), mesh_(program_.mesh("square", {n, n})) {
    for (std::size_t i = 0; i < 2; ++i) {
      u_[i] = mesh_.field<double>("u" + std::to_string(i), {.halo = 1});
      mesh_.loop(
          "start", st::Range::of(-1, n + 1, -1, n + 1),
          [](auto u, const st::Index& at) { u() = std::sin(0.01 * at.x) + std::cos(0.02 * at.y); },
          st::write(u_[i]), st::index());
    }
    program_.run();
  }
  void step() override {
    mesh_.loop(
        "heat", mesh_.interior(),
        [](auto u, auto next) {
          next() = u() + 0.2 * (u(-1) + u(1) + u(0, -1) + u(0, 1) - 4 * u());
        },
        st::read(u_[0], st::star(1)), st::write(u_[1]));
    std::swap(u_[0], u_[1]);
  }
  [[nodiscard]] std::vector<st::Field<double>> state() const override { return {u_[0]}; }

 private:
  st::Mesh& mesh_;
  std::array<st::Field<double>, 2> u_;
};

/// A wave on n^3 points: one loop of radius 2 a step, three fields in turn.
class WaveFlow : public SteppedFlow {
 public:
  WaveFlow(const st::Options& options, int n)
      : SteppedFlow(options), mesh_(program_.mesh("cube", {n, n, n})) {
    for (std::size_t i = 0; i < 3; ++i) {
      u_[i] = mesh_.field<double>("u" + std::to_string(i), {.halo = 2});
      mesh_.loop(
          "start", st::Range::of(-2, n + 2, -2, n + 2, -2, n + 2),
          [](auto u, const st::Index& at) {
            u() = std::sin(0.1 * at.x) * std::cos(0.1 * at.y) * std::cos(0.05 * at.z);
          },
          st::write(u_[i]), st::index());
    }
    program_.run();
  }
  void step() override {
    mesh_.loop(
        "wave", mesh_.interior(),
        [](auto u, auto old, auto next) {
          double laplacian = -7.5 * u();
          for (int i = 1; i <= 2; ++i)
            laplacian += (i == 1 ? 4.0 / 3 : -1.0 / 12) *
                         (u(i) + u(-i) + u(0, i) + u(0, -i) + u(0, 0, i) + u(0, 0, -i));
          next() = 2 * u() - old() + 0.1 * laplacian;
        },
        st::read(u_[1], st::star(2)), st::read(u_[0]), st::write(u_[2]));
    std::swap(u_[0], u_[1]);
    std::swap(u_[1], u_[2]);
  }
  [[nodiscard]] std::vector<st::Field<double>> state() const override { return {u_[0], u_[1]}; }

 private:
  st::Mesh& mesh_;
  std::array<st::Field<double>, 3> u_;
};

}  // namespace Atoll::bench
