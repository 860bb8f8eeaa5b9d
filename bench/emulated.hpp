// Programs run natively, in plain qemu-user, under the front end dbi, and under valgrind's lackey
// and cachegrind: CPU time of their kernels, and memory. Each program is a C text below, compiled
// by the system's compiler. It prints its kernel's CPU seconds and a result, which must be the same
// everywhere.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <sstream>

#include "bench.hpp"

namespace Atoll::bench {

struct EmulatedKernel {
  const char* name;
  const char* flags;
  const char* text;  ///< defines prepare(), kernel() and answer()
};

inline constexpr std::array kEmulatedKernels{
    EmulatedKernel{"triad", "", R"C(
      enum { n = 1000000 };
      double *a, *b, *c;
      void prepare(void) {
        a = malloc(8 * n), b = malloc(8 * n), c = malloc(8 * n);
        for (int i = 0; i < n; ++i) a[i] = 0, b[i] = i, c[i] = 2 * i;
      }
      void kernel(void) {
        for (int k = 0; k < 5; ++k) {
          for (int i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i];
          __asm__ volatile("" : : "r"(a) : "memory");
        }
      }
      double answer(void) { return a[n - 1]; }
    )C"},
    EmulatedKernel{"SpMV gather", "", R"C(
      enum { n = 100000, each = 16 };
      double *x, *y, *values;
      int* columns;
      void prepare(void) {
        x = malloc(8 * n), y = malloc(8 * n), values = malloc(8 * n * each), columns = malloc(4 * n * each);
        unsigned state = 1;
        for (int i = 0; i < n; ++i) x[i] = i;
        for (int i = 0; i < n * each; ++i) {
          state = state * 1664525u + 1013904223u;
          columns[i] = (state >> 8) % n, values[i] = i % 3;
        }
      }
      void kernel(void) {
        for (int k = 0; k < 3; ++k)
          for (int i = 0; i < n; ++i) {
            double sum = 0;
            for (int j = i * each; j < i * each + each; ++j) sum += values[j] * x[columns[j]];
            y[i] = sum;
          }
      }
      double answer(void) { return y[n / 2]; }
    )C"},
    EmulatedKernel{"matmul", "", R"C(
      enum { n = 200 };
      double a[n][n], b[n][n], c[n][n];
      void prepare(void) {
        for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) a[i][j] = i % 7, b[i][j] = j % 5;
      }
      void kernel(void) {
        for (int i = 0; i < n; ++i)
          for (int k = 0; k < n; ++k)
            for (int j = 0; j < n; ++j) c[i][j] += a[i][k] * b[k][j];
      }
      double answer(void) { return c[n / 2][n / 3]; }
    )C"},
    EmulatedKernel{"zlib", "-lz", R"C(
      #include <zlib.h>
      enum { n = 600000 };
      unsigned char from[n], to[n + n / 100];
      unsigned long used = sizeof to;
      void prepare(void) {
        unsigned state = 1;
        for (int i = 0; i < n; ++i) {
          state = state * 1664525u + 1013904223u;
          from[i] = "etaoin shrdlu"[(state >> 16) % (3 + i / 60000)];
        }
      }
      void kernel(void) { compress2(to, &used, from, n, 6); }
      double answer(void) { return used; }
    )C"},
    EmulatedKernel{"SQLite", "-lsqlite3", R"C(
      #include <sqlite3.h>
      sqlite3* database;
      double sum;
      int row(void* nothing, int columns, char** values, char** names) { sum += atof(values[0]); return 0; }
      void prepare(void) { sqlite3_open(":memory:", &database); }
      void kernel(void) {
        sqlite3_exec(database,
          "CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER, v TEXT);"
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)"
          " INSERT INTO t SELECT i, (i * 7919) % 1009, printf('%08d', i * 31) FROM n;"
          "CREATE INDEX by_k ON t (k);"
          "UPDATE t SET v = v || k WHERE k % 3 = 0;", 0, 0, 0);
        sqlite3_exec(database, "SELECT sum(length(a.v) + b.k) FROM t a JOIN t b ON a.k = b.k", row, 0, 0);
      }
      double answer(void) { return sum; }
    )C"},
};

/// Output of a run, and the memory of its largest process.
struct EmulatedRun {
  double seconds = 0;
  std::string answer;
  double mebibytes = 0;
};

struct EmulatedOutput {
  std::string text;
  rusage used = {};
};

inline EmulatedOutput output_of(const std::vector<std::string>& command) {
  int output[2];
  require(::pipe(output) == 0, "a pipe");
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    ::close(output[0]);
    ::close(output[1]);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  ::close(output[1]);
  EmulatedOutput run;
  std::array<char, 4096> part;
  for (ssize_t bytes; (bytes = ::read(output[0], part.data(), part.size())) > 0;)
    run.text.append(part.data(), static_cast<std::size_t>(bytes));
  ::close(output[0]);
  int status = 0;
  ::wait4(pid, &status, 0, &run.used);
  require(status == 0, command[0] + " ran");
  return run;
}

inline EmulatedRun run_emulated(const std::vector<std::string>& command) {
  const EmulatedOutput output = output_of(command);
  EmulatedRun run;
  run.mebibytes = static_cast<double>(output.used.ru_maxrss) / 1024;
  std::istringstream(output.text) >> run.seconds >> run.answer;
  return run;
}

/// Adds rows for the packaged `xz -9` with one thread: CPU time of the whole command, including
/// `atoll`'s processing of the recording, relative to the plain emulator.
inline void xz_rows(Suite& suite, const std::string& atoll, const std::filesystem::path& folder) {
  const std::string input = (folder / "input").string(), profile = (folder / "profile").string();
  std::string text;
  for (unsigned state = 1, i = 0; i < 2'000'000; ++i) {  // words, one in eight of them new
    state = state * 1664525u + 1013904223u;
    const unsigned word = (state >> 29) == 0 ? state >> 8 : (state >> 20) * 2654435761u >> 8;
    text += fmt::format("{:x} ", word);
    if (text.size() > 2'000'000) break;
  }
  std::ofstream(input) << text;
  const std::string xz = "/usr/bin/xz";
  struct Way {
    const char* name;
    std::vector<std::string> command;
    double least = 0;
  };
  std::vector<Way> ways{{"native", {}},
                        {"qemu-user", {"qemu-x86_64", "-cpu", "max"}},
                        {"dbi", {atoll, "profile", "--frontend", "dbi", "-o", profile, "--"}}};
  std::string expected;
  for (int round = 0; round < 3; ++round)
    for (Way& way : ways) {
      std::vector<std::string> command = way.command;
      command.insert(command.end(), {xz, "-9", "-T1", "-c", input});
      const EmulatedOutput output = output_of(command);
      const auto seconds_of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
      };
      const double seconds = seconds_of(output.used.ru_utime) + seconds_of(output.used.ru_stime);
      if (round == 0 || seconds < way.least) way.least = seconds;
      if (expected.empty()) expected = output.text;
      require(output.text == expected, fmt::format("xz under {}", way.name));
    }
  suite.row("xz -9, qemu-user", "s", ways[1].least, "native", ways[0].least);
  suite.row("xz -9, dbi", "s", ways[2].least, "native", ways[0].least);
  suite.row("xz -9, dbi", "s", ways[2].least, "qemu-user", ways[1].least);
}

/// Adds rows for each kernel: seconds relative to native (the slowdown) and, for dbi, also relative
/// to the plain emulator; and memory. `atoll` is the path of the program.
inline void emulated_rows(Suite& suite, const std::string& atoll) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("atoll-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const EmulatedKernel& kernel : kEmulatedKernels) {
    const std::string program = (folder / "kernel").string();
    std::ofstream(program + ".c") << "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n"
                                  << kernel.text << R"C(
      int main(void) {
        struct timespec begin, end;
        prepare();
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        kernel();
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        printf("%.6f %.17g\n", end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec), answer());
        return 0;
      })C";
    const std::string compile =
        fmt::format("cc -O2 -w '{0}.c' -o '{0}' {1}", program, kernel.flags);
    require(std::system(compile.c_str()) == 0, compile);
    const std::string profile = (folder / "profile").string();
    struct Way {
      const char* name;
      std::vector<std::string> command;
      EmulatedRun least = {};
    };
    std::vector<Way> ways{
        {"native", {program}},
        {"qemu-user", {"qemu-x86_64", "-cpu", "max", program}},
        {"dbi", {atoll, "profile", "--frontend", "dbi", "-o", profile, "--", program}},
        {"lackey", {"valgrind", "--tool=lackey", "--log-file=/dev/null", program}},
        {"cachegrind",
         {"valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", program}}};
    for (int round = 0; round < 3; ++round)
      for (Way& way : ways) {
        const EmulatedRun run = run_emulated(way.command);
        if (round == 0 || run.seconds < way.least.seconds) way.least = run;
        require(run.answer == ways[0].least.answer,
                fmt::format("{} under {}", kernel.name, way.name));
      }
    const EmulatedRun& native = ways[0].least;
    for (std::size_t i = 1; i < ways.size(); ++i) {
      suite.row(fmt::format("{}, {}", kernel.name, ways[i].name), "s", ways[i].least.seconds,
                "native", native.seconds);
    }
    suite.row(fmt::format("{}, dbi", kernel.name), "s", ways[2].least.seconds, "qemu-user",
              ways[1].least.seconds);
    for (std::size_t i = 1; i < ways.size(); ++i)
      suite.row(fmt::format("{}, {}: memory", kernel.name, ways[i].name), "MiB",
                ways[i].least.mebibytes, "native", native.mebibytes);
  }
  xz_rows(suite, atoll, folder);
  std::filesystem::remove_all(folder);
}

}  // namespace Atoll::bench
