// The front end `compiled`: programs compiled with atollcc, whose compiler pass inserts the calls
// that record accesses.
#include "recording/frontends/every_access_frontend.hpp"
#include "recording/frontends/frontend_rows.hpp"
#include "recording/frontends/instrumentation.hpp"

namespace Atoll::recording {
namespace {

class CompiledFrontend : public EveryAccessFrontend {
 public:
  using EveryAccessFrontend::EveryAccessFrontend;

  [[nodiscard]] StreamContents stream_contents() const override {
    return {.work = true, .dependence = true, .atomics = true};
  }
  [[nodiscard]] std::vector<Unseen> cant_see() const override {
    return {
        {UnseenKind::other_libraries, "atollcc"}, {UnseenKind::kernel}, {UnseenKind::registers}};
  }
};

std::string compiled_obstacle(const std::string& program, const std::string& /*libraries*/) {
  const Instrumentation found = instrumentation_of(program);
  if (found.by_us && !found.by_tsan) return {};
#if ATOLL_HAS_ATOLLCC
  return "it wasn't compiled with atollcc or atollc++; compile it so, or take --frontend dbi";
#else
  return "it wasn't compiled with atollcc, which was left out of this build of Atoll for want of "
         "LLVM; take --frontend dbi, or compile it with atollgcc";
#endif
}

}  // namespace

constinit const FrontendRow kCompiledFrontend{
    .name = FrontendName::compiled,
    .word = "compiled",
    .about = ATOLL_HAS_ATOLLCC ? "programs compiled with atollcc or atollc++ (clang)"
                               : "programs compiled with atollcc: not in this build",
    .help = "programs compiled with atollcc or atollc++ (1.5 to 12 times native)",
    .obstacle = compiled_obstacle,
    .create = [](const FrontendOptions& options) -> std::unique_ptr<Frontend> {
      return std::make_unique<CompiledFrontend>(kCompiledFrontend, options);
    }};

}  // namespace Atoll::recording
