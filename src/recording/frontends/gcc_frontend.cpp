// The front end `gcc`: programs compiled with atollgcc, which uses gcc's -fsanitize=thread to
// insert the calls that record accesses.
#include "recording/frontends/every_access_frontend.hpp"
#include "recording/frontends/frontend_rows.hpp"
#include "recording/frontends/instrumentation.hpp"

namespace Atoll::recording {
namespace {

class GccFrontend : public EveryAccessFrontend {
 public:
  using EveryAccessFrontend::EveryAccessFrontend;

  [[nodiscard]] StreamContents stream_contents() const override { return {.atomics = true}; }
  [[nodiscard]] std::vector<Unseen> cant_see() const override {
    return {{UnseenKind::other_libraries, "atollgcc"},
            {UnseenKind::kernel},
            {UnseenKind::vector_loops}};
  }
};

std::string gcc_obstacle(const std::string& program, const std::string& /*libraries*/) {
  const Instrumentation found = instrumentation_of(program);
  if (found.by_us && found.by_tsan) return {};
  return "it wasn't compiled with atollgcc or atollg++; compile it so, or take --frontend dbi";
}

}  // namespace

constinit const FrontendRow kGccFrontend{
    .name = FrontendName::gcc,
    .word = "gcc",
    .about = "programs compiled with atollgcc or atollg++ (gcc -fsanitize=thread)",
    .help = "programs compiled with atollgcc or atollg++ (2 to 20 times)",
    .obstacle = gcc_obstacle,
    .create = [](const FrontendOptions& options) -> std::unique_ptr<Frontend> {
      return std::make_unique<GccFrontend>(kGccFrontend, options);
    }};

}  // namespace Atoll::recording
