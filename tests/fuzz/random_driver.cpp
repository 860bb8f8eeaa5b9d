// Runs a fuzz target on random inputs if libFuzzer isn't available: PROGRAM SECONDS [SEED], or
// PROGRAM FILE for one input. A failing input is written to PROGRAM.input and can be run again,
// also by libFuzzer. Intended for targets that read any bytes as a trace of operations.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::uint8_t> input;
std::string failed_path;

/// Saves the input when a signal ends the program.
void save_input(int signal) {
  const int file = ::open(failed_path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  const auto written = ::write(file, input.data(), input.size());
  std::fprintf(stderr, "failed: %s has the input, %d bytes\n", failed_path.c_str(),
               static_cast<int>(written));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Draws short and long inputs, of all bytes or of few. Few bytes make a trace repeat operations.
void draw(std::mt19937_64& random) {
  input.resize(1 + random() % (std::uint64_t{8} << random() % 9));
  const std::size_t different = random() % 2 == 0 ? 256 : 2 + random() % 16;
  std::uint8_t alphabet[256];
  for (std::uint8_t& byte : alphabet) byte = static_cast<std::uint8_t>(random());
  for (std::uint8_t& byte : input)
    byte = different == 256 ? static_cast<std::uint8_t>(random()) : alphabet[random() % different];
  for (std::size_t i = 0; i < input.size() && i < 4; ++i)  // the setting of a trace
    input[i] = static_cast<std::uint8_t>(random());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "30";
  failed_path = std::string(argv[0]) + ".input";
  for (const int signal : {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGFPE, SIGBUS})
    std::signal(signal, save_input);
  if (first.find_first_not_of("0123456789") != std::string::npos) {
    std::ifstream file(first, std::ios::binary);
    input.assign(std::istreambuf_iterator<char>(file), {});
    return LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  const std::uint64_t seed = argc > 2 ? std::stoull(argv[2]) : std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  std::mt19937_64 random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::stoi(first));
  std::uint64_t inputs = 0;
  for (; std::chrono::steady_clock::now() < end; ++inputs) {
    draw(random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%llu inputs\n", static_cast<unsigned long long>(inputs));
  return inputs == 0 ? 1 : 0;
}
