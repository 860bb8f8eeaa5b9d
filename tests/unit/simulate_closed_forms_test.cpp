// Small programs whose time is given by a formula: within 2 %, for random arrivals within 5 %.
#include "simulate_closed_forms.hpp"

#include <gtest/gtest.h>

namespace Atoll::simulate {
namespace {

TEST(SimulateClosedForms, TimesAreThoseOfTheFormulas) {
  for (const ClosedForm& form : closed_forms()) {
    EXPECT_NEAR(form.simulated, form.formula, 0.02 * form.formula) << form.name;
    EXPECT_EQ(form.why_not, "") << form.name;
  }
}

TEST(SimulateClosedForms, QueuesWaitAsTheorySays) {
  for (const ClosedForm& form : queue_forms()) {
    EXPECT_NEAR(form.simulated, form.formula, 0.05 * form.formula) << form.name;
    EXPECT_EQ(form.why_not, "") << form.name;
  }
}

}  // namespace
}  // namespace Atoll::simulate
