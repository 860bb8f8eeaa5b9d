#include "recording/frontends/frontend.hpp"

#include "atoll/base/units.hpp"
#include "process/libraries.hpp"
#include "record/region.hpp"

namespace Atoll::recording {

FrontendMappings Frontend::mappings() const {
  // Measured with a program that does nothing: Atoll's library, the libraries it links and its
  // tables.
  return {.permanent = 4 * kMiB};
}

process::Launch Frontend::prepare(const std::vector<std::string>& command,
                                  const std::string& libraries, const std::string& region_path,
                                  const std::vector<std::string>& preload) {
  std::string all = process::preloadable(libraries, "libatoll-record.so");
  for (const std::string& library : preload) all += ":" + process::preloadable(libraries, library);
  return {.command = command,
          .environment = {{record::kVariable, region_path}, {"LD_PRELOAD", all}}};
}

Error Frontend::nothing_recorded(const std::string& program,
                                 const std::vector<std::string>& /*command*/,
                                 int /*status*/) const {
  return Error::failed(program, "nothing was recorded: it doesn't load libatoll-record.so",
                       "a static or privileged program can be watched by --frontend dbi");
}

}  // namespace Atoll::recording
