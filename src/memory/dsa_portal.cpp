// Work queues in sysfs, and the instructions and system calls that reach a device. Can't be tested
// without a device, so it is kept minimal.
#include "memory/dsa_portal.hpp"

#if ATOLL_DSA
#include <fcntl.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "atoll/base/error.hpp"

namespace Atoll::memory {
namespace {

namespace fs = std::filesystem;

std::string word_of(const fs::path& file) {
  std::ifstream text(file);
  std::string word;
  text >> word;
  return word;
}

std::size_t number_of(const fs::path& file) {
  std::ifstream text(file);
  std::size_t number = 0;
  return text >> number ? number : 0;
}

constexpr std::size_t kPortalBytes = 4096;

/// The two instructions that submit a descriptor of 64 bytes atomically.
__attribute__((target("movdir64b"))) void submit_dedicated(void* portal, const dsa_hw_desc& order) {
  _mm_sfence();
  _movdir64b(portal, &order);
}
__attribute__((target("enqcmd"))) bool submit_shared(void* portal, const dsa_hw_desc& order) {
  _mm_sfence();
  return _enqcmd(portal, &order) == 0;
}

/// Submits through the queue's mapped page, or through write() if the kernel doesn't map it for
/// this process (direct access to some devices is unsafe, INTEL-SA-01084).
class DevicePortal : public DsaPortal {
 public:
  explicit DevicePortal(const DsaQueue& queue)
      : path_("/dev/dsa/" + queue.name), dedicated_(queue.dedicated) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0)
      throw Error::system(path_, "opening the work queue", errno,
                          "ask the administrator for access to it");
    page_ = ::mmap(nullptr, kPortalBytes, PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_, 0);
  }
  ~DevicePortal() override {
    if (page_ != MAP_FAILED) ::munmap(page_, kPortalBytes);
    ::close(file_);
  }
  DevicePortal(const DevicePortal&) = delete;
  DevicePortal& operator=(const DevicePortal&) = delete;

  bool submit(const dsa_hw_desc& order) override {
    if (page_ != MAP_FAILED) {
      if (!dedicated_) return submit_shared(page_, order);
      submit_dedicated(page_, order);
      return true;
    }
    if (::write(file_, &order, sizeof order) == static_cast<ssize_t>(sizeof order)) return true;
    if (errno == EAGAIN) return false;
    throw Error::system(path_, "handing over an order", errno, "use another copy engine");
  }

 private:
  std::string path_;
  bool dedicated_;
  int file_ = -1;
  void* page_ = MAP_FAILED;
};

}  // namespace

std::vector<DsaQueue> find_dsa_queues(const fs::path& devices) {
  std::vector<DsaQueue> queues;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(devices, none)) {
    const std::string name = entry.path().filename().string();
    const std::size_t point = name.find('.');
    if (name.rfind("wq", 0) != 0 || point == std::string::npos) continue;
    // analytics accelerators (iax0, …) use the same bus and the same names of work queues
    if (!fs::exists(devices / ("dsa" + name.substr(2, point - 2)))) continue;
    const fs::path& queue = entry.path();
    if (word_of(queue / "type") != "user" || word_of(queue / "state") != "enabled") continue;
    queues.push_back({.name = name,
                      .dedicated = word_of(queue / "mode") == "dedicated",
                      .entries = number_of(queue / "size"),
                      .most_bytes = number_of(queue / "max_transfer_size"),
                      .blocks_on_fault = number_of(queue / "block_on_fault") == 1});
    if (queues.back().entries == 0 || queues.back().most_bytes < 4096) queues.pop_back();
  }
  std::sort(queues.begin(), queues.end(),
            [](const DsaQueue& a, const DsaQueue& b) { return a.name < b.name; });
  return queues;
}

std::unique_ptr<DsaPortal> open_dsa_portal(const DsaQueue& queue) {
  return std::make_unique<DevicePortal>(queue);
}

}  // namespace Atoll::memory
#endif
