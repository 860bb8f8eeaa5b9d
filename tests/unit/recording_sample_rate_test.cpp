// The sampling rate settles at its target share of the program's time, for any cost per page. The
// programs are simulated.
#include "recording/sample/rate.hpp"

#include <gtest/gtest.h>

#include <random>

namespace Atoll::recording::sample {
namespace {

constexpr double kShare = RateOptions{}.share;

struct Program {
  double units = 2;            ///< number of processing units that it keeps busy
  double page_seconds = 3e-6;  ///< seconds per withdrawn page
  double other_share = 0.005;  ///< overhead that is independent of the rate, as a fraction of the
                               ///< program's time
  double noise = 0.3;          ///< relative error of measurements
};

/// Runs the program for `seconds`. Returns the sampling time as a fraction of the program's own
/// time.
double run(Rate& rate, const Program& program, double seconds, std::mt19937& random) {
  double own = 0, watching = 0;
  std::uniform_real_distribution<double> noise(1 - program.noise, 1 + program.noise);
  for (double at = 0; at < seconds; at += 0.1) {
    RateMeasurement step{.seconds = 0.1};
    step.pages = rate.pauses() ? 0 : rate.pages_per_second() * 0.1;
    step.pages_seconds = step.pages * program.page_seconds;
    step.other_seconds = rate.pauses() ? 0 : program.other_share * program.units * 0.1;
    own += program.units * 0.1;
    watching += step.pages_seconds + step.other_seconds;
    step.program_seconds = program.units * 0.1 + step.pages_seconds + step.other_seconds;
    step.pages_seconds *= noise(random);
    rate.measured(step);
  }
  return watching / own;
}

TEST(SampleRate, SettlesAtItsShareWhateverAPageCosts) {
  std::mt19937 random(1);
  for (const double page_seconds : {1e-6, 3e-6, 1e-5, 1e-4})
    for (const double units : {1.0, 2.0, 64.0}) {
      Rate rate({.most = 1e9});
      const Program program{.units = units, .page_seconds = page_seconds};
      EXPECT_LT(run(rate, program, 10, random), 0.05) << page_seconds << " " << units;
      EXPECT_NEAR(run(rate, program, 20, random), kShare, 0.004) << page_seconds << " " << units;
      EXPECT_NEAR(rate.share(), kShare, 0.004);
    }
}

TEST(SampleRate, FollowsAProgramThatChanges) {
  std::mt19937 random(2);
  Rate rate;
  run(rate, {.units = 8}, 10, random);
  const double busy = rate.pages_per_second();
  run(rate, {.units = 1, .page_seconds = 6e-6}, 10, random);
  EXPECT_NEAR(run(rate, {.units = 1, .page_seconds = 6e-6}, 20, random), kShare, 0.004);
  EXPECT_LT(rate.pages_per_second(), busy / 8);
}

TEST(SampleRate, AnIdleProgramIsLeftAlone) {
  std::mt19937 random(3);
  Rate rate;
  run(rate, {}, 10, random);
  run(rate, {.units = 0}, 5, random);
  EXPECT_EQ(rate.pages_per_second(), RateOptions{}.least);
  // Sampling resumes when the program becomes busy.
  EXPECT_NEAR(run(rate, {}, 60, random), kShare, 0.004);
}

TEST(SampleRate, PausesWhereTheProgramsOwnFaultsCostTooMuch) {
  std::mt19937 random(4);
  for (const double other_share : {0.1, 0.5}) {
    Rate rate;
    EXPECT_LT(run(rate, {.other_share = other_share}, 60, random), 0.05) << other_share;
    EXPECT_NEAR(rate.share(), kShare, 0.005);
  }
  // The first touches of a starting program don't pause sampling.
  Rate rate;
  run(rate, {.other_share = 0.2}, 0.2, random);
  EXPECT_FALSE(rate.pauses());
}

TEST(SampleRate, NoMoreThanTheMost) {
  std::mt19937 random(5);
  Rate rate({.most = 5000});
  run(rate, {.units = 64, .page_seconds = 1e-9}, 30, random);
  EXPECT_EQ(rate.pages_per_second(), 5000);
}

}  // namespace
}  // namespace Atoll::recording::sample
