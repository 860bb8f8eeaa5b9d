// One time step of CloverLeaf as queued loops; everything between two computations of the time
// step's length is one chain.
#pragma once

#include <tuple>
#include <utility>

#include "fields.hpp"
#include "kernels.hpp"
#include "kernels2d.hpp"
#include "kernels3d.hpp"

namespace clover {

template <int D>
class Hydro {
 public:
  using Field = st::Field<double>;
  using Vector = std::array<Field, D>;

  /// All arguments must outlive this object.
  Hydro(st::Program& program, Fields<D>& fields, const Deck& deck)
      : f_(fields), deck_(deck), least_(program.reduction<double>()) {
    for (int axis = 0; axis < D; ++axis)
      size_[static_cast<std::size_t>(axis)] = deck.cell_size(axis);
  }

  /// Returns the length of the next step that the cells allow, given the length `last` of the
  /// previous one; 0 if a cell's value is not a number. Runs the queued loops.
  double time_step(double last) {
    find_step();
    return std::min({least_.value(), deck_.timestep_rise * last, deck_.max_timestep});
  }

  /// Queues the loops that find the length of the next step.
  void find_step() {
    gas(f_.density0, f_.energy0);
    mirror_cells(f_.pressure, 1);
    mirror_cells(f_.energy0, 1);
    mirror_cells(f_.density0, 1);
    mirror_velocities(f_.velocity0, 1);
    find_viscosity();
    mirror_cells(f_.viscosity, 1);
    find_time_step();
  }

  /// Queues the rest of a step of length dt. If `odd`, the sweeps start along x.
  void advance(double dt, bool odd) {
    predict(dt);
    accelerate(dt);
    correct(dt);
    flux(dt);
    sweep_all(odd);
    keep();
  }

  /// Queues the computation of pressure and speed of sound.
  void gas(const Field& density, const Field& energy) {
    queue("gas", f_.mesh.interior(), kernels::gas<D>(), st::read(density), st::read(energy),
          st::write(f_.pressure), st::write(f_.sound));
  }

  /// Returns the kernel that computes the time step allowed by one cell from its neighbourhood.
  [[nodiscard]] auto time_step_kernel() const {
    if constexpr (D == 2)
      return kernels2d::time_step(size_);
    else
      return kernels3d::time_step(size_);
  }

 private:
  // --- helpers for loops ----------------------------------------------------------------------
  template <class Kernel, class... Arguments>
  void queue(std::string_view name, const st::Range& range, Kernel kernel, Arguments... arguments) {
    f_.mesh.loop(name, range, std::move(kernel), std::move(arguments)...);
  }
  /// The same with tuples of arguments.
  template <class Kernel, class... Tuples>
  void queue_all(std::string_view name, const st::Range& range, Kernel kernel, Tuples... tuples) {
    std::apply(
        [&](auto... arguments) { queue(name, range, std::move(kernel), std::move(arguments)...); },
        std::tuple_cat(std::move(tuples)...));
  }
  /// Returns a tuple with one argument for each axis.
  template <class Make>
  static auto each(Make&& make) {
    return [&]<std::size_t... A>(std::index_sequence<A...>) {
      return std::tuple(make(A)...);
    }(std::make_index_sequence<D>{});
  }
  static auto reads(const Vector& fields, st::Stencil stencil = {}) {
    return each([&](std::size_t axis) { return st::read(fields[axis], stencil); });
  }
  static auto writes(const Vector& fields) {
    return each([&](std::size_t axis) { return st::write(fields[axis]); });
  }
  auto areas() {
    return each([&](std::size_t axis) {
      return st::read(f_.area[axis], st::line(static_cast<int>(axis), 0, 1));
    });
  }
  /// Returns the stencil of all corners with offsets `from` and `from` + 1 in each axis; in axis
  /// `except`, the offset is 0.
  static st::Stencil corners(int from, int except = -1) {
    const auto offset = [&](int k) {
      return st::Offset{except == 0 ? 0 : k, except == 1 ? 0 : k, D == 2 || except == 2 ? 0 : k};
    };
    return st::box(offset(from), offset(from + 1));
  }
  /// Returns the range extended along one axis by `before` and `after` points.
  static st::Range longer(st::Range range, int axis, int before, int after) {
    range.lo[static_cast<std::size_t>(axis)] -= before;
    range.hi[static_cast<std::size_t>(axis)] += after;
    return range;
  }
  static st::Range wider(st::Range range, int layers) {
    for (int axis = 0; axis < D; ++axis) range = longer(range, axis, layers, layers);
    return range;
  }

  // --- mirrors -------------------------------------------------------------------------------
  /// Calls mirror(face) in the order in which the halos are filled: bottom, top, left, right, back,
  /// front.
  template <class Mirror>
  static void for_each_face(Mirror&& mirror) {
    for (const int axis : {1, 0, 2})
      for (const bool high : {false, true})
        if (axis < D) mirror(st::Face{axis, high});
  }
  void mirror_cells(const Field& field, int depth) {
    for_each_face([&](st::Face face) { st::mirror(field, face, depth); });
  }
  void mirror_velocities(const Vector& velocity, int depth) {
    for (int axis = 0; axis < D; ++axis)
      for_each_face([&](st::Face face) {
        st::mirror(velocity[static_cast<std::size_t>(axis)], face, depth,
                   face.dimension == axis ? -1 : 1);
      });
  }
  /// Fluxes are mirrored at the last point, also normal to their axis.
  void mirror_flux(const Field& flux, int axis, const st::Range& beyond_z = st::kEverywhere) {
    for_each_face([&](st::Face face) {
      st::mirror(flux, face, kHalo, face.dimension == axis ? -1 : 1, st::MirrorAt::point,
                 face.dimension == 2 ? beyond_z : st::kEverywhere);
    });
  }
  /// At the z faces, the original doesn't update the last layer of the mass flux through x faces.
  /// Its 3D reference values depend on that.
  void mirror_mass_flux(int axis) {
    const Field& flux = f_.mass_flux[static_cast<std::size_t>(axis)];
    st::Range set = flux.storage().whole();
    if (axis == 0) --set.hi[0];
    mirror_flux(flux, axis, set);
  }

  // --- the Lagrangian phase ------------------------------------------------------------------
  void find_viscosity() {
    const st::Range cells = f_.mesh.interior();
    const auto last = std::tuple(st::read(f_.pressure, st::star(1, D)), st::read(f_.density0),
                                 st::write(f_.viscosity));
    if constexpr (D == 2)
      queue_all("viscosity", cells, kernels2d::viscosity(size_), reads(f_.velocity0, corners(0)),
                last);
    else
      queue_all("viscosity", cells, kernels3d::viscosity(size_), reads(f_.velocity0, corners(0)),
                reads(f_.area), last);
  }
  void find_time_step() {
    queue_all(
        "time step", f_.mesh.interior(),
        [allowed = time_step_kernel()](auto least, const auto&... fields) {
          const double step = allowed(fields...);
          least(step > 0 ? step : 0.0);  // a minimum would ignore NaN
        },
        std::tuple(st::reduce_min(least_), st::read(f_.sound), st::read(f_.viscosity),
                   st::read(f_.density0)),
        reads(f_.velocity0, corners(0)), areas(), std::tuple(st::read(f_.volume)));
  }
  auto rest_of_pdv() {
    return std::tuple(st::read(f_.volume), st::read(f_.pressure), st::read(f_.viscosity),
                      st::read(f_.density0), st::read(f_.energy0), st::write(f_.density1),
                      st::write(f_.energy1));
  }
  /// Half a step with the old velocities; computes the pressure at the middle of the step.
  void predict(double dt) {
    const auto kernel = [&] {
      if constexpr (D == 2)
        return kernels2d::pdv_predict(0.5 * dt);
      else
        return kernels3d::pdv_predict(0.5 * dt);
    }();
    queue_all("PdV predict", f_.mesh.interior(), kernel, reads(f_.velocity0, corners(0)), areas(),
              rest_of_pdv());
    gas(f_.density1, f_.energy1);
    mirror_cells(f_.pressure, 1);
  }
  void accelerate(double dt) {
    const auto kernel = [&] {
      if constexpr (D == 2)
        return kernels2d::accelerate(dt);
      else
        return kernels3d::accelerate(dt);
    }();
    const st::Stencil around = corners(-1);
    queue_all("accelerate", f_.all_nodes(), kernel,
              std::tuple(st::read(f_.density0, around), st::read(f_.volume, around),
                         st::read(f_.pressure, around), st::read(f_.viscosity, around)),
              each([&](std::size_t axis) {
                return st::read(f_.area[axis], corners(-1, static_cast<int>(axis)));
              }),
              reads(f_.velocity0), writes(f_.velocity1));
  }
  void correct(double dt) {
    const auto kernel = [&] {
      if constexpr (D == 2)
        return kernels2d::pdv(dt);
      else
        return kernels3d::pdv(dt);
    }();
    queue_all("PdV", f_.mesh.interior(), kernel, reads(f_.velocity0, corners(0)),
              reads(f_.velocity1, corners(0)), areas(), rest_of_pdv());
  }
  void flux(double dt) {
    const auto one = [&](int axis, auto kernel) {
      const auto a = static_cast<std::size_t>(axis);
      queue("volume flux", f_.all_faces(a), kernel, st::read(f_.area[a]),
            st::read(f_.velocity0[a], corners(0, axis)),
            st::read(f_.velocity1[a], corners(0, axis)), st::write(f_.volume_flux[a]));
    };
    if constexpr (D == 2) {
      one(0, kernels2d::flux_x(dt));
      one(1, kernels2d::flux_y(dt));
    } else {
      one(0, kernels3d::flux_x(dt));
      one(1, kernels3d::flux_y(dt));
      one(2, kernels3d::flux_z(dt));
    }
    mirror_cells(f_.energy1, kHalo);
    mirror_cells(f_.density1, kHalo);
    for (int axis = 0; axis < D; ++axis)
      mirror_flux(f_.volume_flux[static_cast<std::size_t>(axis)], axis);
  }

  // --- the sweeps ----------------------------------------------------------------------------
  void sweep_all(bool odd) {
    if constexpr (D == 2) {
      if (odd)
        sweep<0, 1>(), sweep<1>();
      else
        sweep<1, 0>(), sweep<0>();
    } else {
      if (odd)
        sweep<0, 1, 2>(), sweep<1, 2>(), sweep<2>();
      else
        sweep<2, 1, 0>(), sweep<1, 0>(), sweep<0>();
    }
  }
  /// Queues the volumes of cells before the sweeps along these axes.
  template <int... Axes>
  void volume_before() {
    queue(
        "volume", wider(f_.mesh.interior(), kHalo),
        [](const auto& out, const auto& volume, const auto&... flux) {
          at<D>(out, 0, 0, 0) = at<D>(volume, 0, 0, 0) + (... + kernels::outflow<D, Axes>(flux));
        },
        st::write(f_.work_volume), st::read(f_.volume),
        st::read(f_.volume_flux[Axes], st::line(Axes, 0, 1))...);
  }
  /// Advects mass, energy and momentum along axis A, before the sweeps along `Later`.
  template <int A, int... Later>
  void sweep() {
    constexpr bool last = sizeof...(Later) == 0;
    const Field &flux = f_.volume_flux[A], &mass = f_.mass_flux[A];
    volume_before<A, Later...>();
    queue("cell flux", f_.all_faces(A), kernels::cell_flux<D, A>(), st::read(flux),
          st::read(f_.work_volume, st::line(A, -1, 0)), st::read(f_.density1, st::line(A, -2, 1)),
          st::read(f_.energy1, st::line(A, -2, 1)), st::write(mass), st::write(f_.work_flux));
    queue("cell update", f_.mesh.interior(), kernels::cell_update<D, A>(),
          st::read(flux, st::line(A, 0, 1)), st::read(f_.work_volume),
          st::read(mass, st::line(A, 0, 1)), st::read(f_.work_flux, st::line(A, 0, 1)),
          st::read_write(f_.density1), st::read_write(f_.energy1));
    mirror_cells(f_.density1, kHalo);
    mirror_cells(f_.energy1, kHalo);
    mirror_velocities(f_.velocity1, kHalo);
    mirror_mass_flux(A);

    if constexpr (!last) volume_before<Later...>();
    const Field& after = last ? f_.volume : f_.work_volume;
    const st::Range nodes = f_.all_nodes();
    st::Offset from{-1, -1, D == 2 ? 0 : -1}, to{0, 0, 0};
    (A == 0 ? from.x : A == 1 ? from.y : from.z) = 0;
    (A == 0 ? to.x : A == 1 ? to.y : to.z) = 1;
    queue("node flux", longer(nodes, A, kHalo, 1), kernels::node_flux<D, A>(),
          st::read(mass, st::box(from, to)), st::write(f_.work_flux));
    queue("node masses", longer(nodes, A, 1, 1), kernels::node_masses<D, A>(),
          st::read(f_.density1, corners(-1)), st::read(after, corners(-1)),
          st::read(f_.work_flux, st::line(A, -1, 0)), st::write(f_.work_before),
          st::write(f_.work_after));
    queue_all("momentum flux", longer(nodes, A, 1, 0), kernels::momentum_flux<D, A>(),
              std::tuple(st::read(f_.work_flux), st::read(f_.work_before, st::line(A, 0, 1))),
              reads(f_.velocity1, st::line(A, -1, 2)), writes(f_.momentum));
    queue_all("momentum update", nodes, kernels::momentum_update<D, A>(),
              std::tuple(st::read(f_.work_before), st::read(f_.work_after)),
              reads(f_.momentum, st::line(A, -1, 0)),
              each([&](std::size_t axis) { return st::read_write(f_.velocity1[axis]); }));
  }
  /// Queues the copy of the new state to the old state of the next step.
  void keep() {
    queue(
        "keep cells", f_.mesh.interior(),
        [](auto density0, auto energy0, auto density1, auto energy1) {
          density0(0, 0, 0) = density1(0, 0, 0);
          energy0(0, 0, 0) = energy1(0, 0, 0);
        },
        st::write(f_.density0), st::write(f_.energy0), st::read(f_.density1), st::read(f_.energy1));
    for (std::size_t axis = 0; axis < D; ++axis)
      queue(
          "keep nodes", f_.all_nodes(), [](auto to, auto from) { to(0, 0, 0) = from(0, 0, 0); },
          st::write(f_.velocity0[axis]), st::read(f_.velocity1[axis]));
  }

  Fields<D>& f_;
  const Deck& deck_;
  std::array<double, 3> size_{1, 1, 1};
  st::Reduction<double> least_;
};

}  // namespace clover
