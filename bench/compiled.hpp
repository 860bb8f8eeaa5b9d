// Programs compiled by clang and gcc, and by atollcc and atollgcc: CPU time of their kernels with
// and without recording, and memory. Kernels include zlib and SQLite, built from Debian's sources
// by all four compilers.
#pragma once

#include "emulated.hpp"

namespace Atoll::bench {

struct CompiledKernel {
  const char* name;
  const char* package;  ///< package whose sources are also compiled; "" for none
  const char* sources;  ///< source files of the package, and flags
  std::string text;     ///< same form as EmulatedKernel::text
};

inline std::vector<CompiledKernel> compiled_kernels() {
  std::vector<CompiledKernel> kernels{{"triad", "", "", R"C(
      enum { n = 4000000 };
      double *a, *b, *c;
      void prepare(void) {
        a = malloc(8 * n), b = malloc(8 * n), c = malloc(8 * n);
        for (int i = 0; i < n; ++i) a[i] = 0, b[i] = i, c[i] = 2 * i;
      }
      __attribute__((noinline)) void triad(double* restrict to, const double* x, const double* y, long size) {
        for (long i = 0; i < size; ++i) to[i] = x[i] + 3 * y[i];
      }
      void kernel(void) { for (int k = 0; k < 10; ++k) triad(a, b, c, n); }
      double answer(void) { return a[n - 1]; }
    )C"},
                                      {"SpMV gather", "", "", R"C(
      enum { n = 500000, each = 16 };
      double *x, *y, *values;
      int* columns;
      long* rows;
      void prepare(void) {
        x = malloc(8 * n), y = malloc(8 * n), values = malloc(8L * n * each), columns = malloc(4L * n * each);
        rows = malloc(8 * (n + 1));
        unsigned long state = 1;
        for (int i = 0; i <= n; ++i) rows[i] = (long)i * each;
        for (int i = 0; i < n; ++i) x[i] = i, y[i] = 0;
        for (long i = 0; i < (long)n * each; ++i) {
          state = state * 6364136223846793005ul + 1442695040888963407ul;
          columns[i] = (state >> 33) % n, values[i] = i % 3;
        }
      }
      __attribute__((noinline)) void multiply(long size, const long* row, const int* column, const double* value,
                                              const double* from, double* restrict to) {
        for (long i = 0; i < size; ++i) {
          double sum = 0;
          for (long k = row[i]; k < row[i + 1]; ++k) sum += value[k] * from[column[k]];
          to[i] = sum;
        }
      }
      void kernel(void) { for (int k = 0; k < 3; ++k) multiply(n, rows, columns, values, x, y); }
      double answer(void) { return y[n / 2]; }
    )C"},
                                      {"matmul", "", "", R"C(
      enum { n = 1024 };
      double *a, *b, *c;
      void prepare(void) {
        a = malloc(8 * n * n), b = malloc(8 * n * n), c = malloc(8 * n * n);
        for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 5, c[i] = 0;
      }
      __attribute__((noinline)) void multiply(long size, const double* x, const double* y, double* restrict to) {
        for (long i = 0; i < size; ++i)
          for (long k = 0; k < size; ++k)
            for (long j = 0; j < size; ++j) to[i * size + j] += x[i * size + k] * y[k * size + j];
      }
      void kernel(void) { multiply(n, a, b, c); }
      double answer(void) { return c[n * n - 1]; }
    )C"}};
  for (const EmulatedKernel& kernel : kEmulatedKernels) {
    if (std::string(kernel.name) == "zlib")
      kernels.push_back({"zlib", "zlib",
                         "-I. adler32.c compress.c crc32.c deflate.c trees.c zutil.c",
                         kernel.text});
    if (std::string(kernel.name) == "SQLite")
      kernels.push_back({"SQLite", "sqlite3",
                         "-Ibench -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION "
                         "bench/sqlite3.c -lm",
                         kernel.text});
  }
  return kernels;
}

/// Returns the folder of a package's sources, ready to be compiled.
inline std::string sources_of(const std::string& package, const std::filesystem::path& folder) {
  const auto run = [](const std::string& command) {
    require(std::system(command.c_str()) == 0, command);
  };
  run(fmt::format("'{}/bench/debian_source' {} '{}'", ATOLL_SOURCE_DIR, package, folder.string()));
  const std::string sources = (folder / package).string();
  if (package == "sqlite3")
    run(
        fmt::format("mkdir -p '{0}/bench' && cd '{0}/bench' && {{ [ -e sqlite3.c ] || "
                    "{{ ../configure --disable-tcl && make sqlite3.c; }}; }} > /dev/null 2>&1",
                    sources));
  return sources;
}

/// Adds rows for each kernel: seconds and memory while recorded, and seconds while not recorded,
/// relative to the plain build of the same compiler. Each is the minimum of 9 runs in alternation.
/// `build` is the folder that contains atoll.
inline void compiled_rows(Suite& suite, const std::filesystem::path& build) {
  const std::filesystem::path folder = build / "bench" / "trace";
  std::filesystem::create_directories(folder);
  const std::string atoll = (build / "atoll").string(), profile = (folder / "profile").string();
  for (const CompiledKernel& kernel : compiled_kernels()) {
    const std::string text = (folder / "kernel.c").string();
    std::ofstream(text) << "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n"
                        << kernel.text << R"C(
      int main(void) {
        struct timespec begin, end;
        prepare();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        kernel();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        printf("%.6f %.17g\n", end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec), answer());
        return 0;
      })C";
    const std::string package = kernel.package;
    const std::string where =
        package.empty() ? folder.string() : sources_of(package, folder / "sources");
    const std::string flags = package.empty() ? "-O3 -march=native" : "-O2";
    const auto compile = [&](const std::string& compiler, const std::string& name) {
      const std::string program = (folder / name).string();
      const std::string command = fmt::format("cd '{}' && {} {} -w '{}' {} -o '{}'", where,
                                              compiler, flags, text, kernel.sources, program);
      require(std::system(command.c_str()) == 0, command);
      return program;
    };
    const auto quoted = [&](const char* driver) { return "'" + (build / driver).string() + "'"; };
    const std::string by_atollcc = compile(quoted("atollcc"), "by-atollcc");
    const std::string by_atollgcc = compile(quoted("atollgcc"), "by-atollgcc");
    struct Way {
      std::vector<std::string> command;
      EmulatedRun least = {};
    };
    enum { kClang, kCompiled, kUnwatched, kGcc, kTsan };
    std::vector<Way> ways{
        {{compile("\"$(" + quoted("atollcc") + " -print-prog-name=clang)\"", "by-clang")}},
        {{atoll, "profile", "--frontend", "compiled", "-o", profile, "--", by_atollcc}},
        {{by_atollcc}},
        {{compile("gcc", "by-gcc")}},
        {{atoll, "profile", "--frontend", "gcc", "-o", profile, "--", by_atollgcc}}};
    for (int round = 0; round < 9; ++round)
      for (Way& way : ways) {
        const EmulatedRun run = run_emulated(way.command);
        if (round == 0 || run.seconds < way.least.seconds) way.least = run;
        require(run.answer == ways[kClang].least.answer, kernel.name);
      }
    const auto row = [&](const char* what, int way, const char* baseline, int native) {
      suite.row(fmt::format("{}, {}", kernel.name, what), "s", ways[way].least.seconds, baseline,
                ways[native].least.seconds);
    };
    row("compiled", kCompiled, "clang", kClang);
    row("compiled, not watched", kUnwatched, "clang", kClang);
    row("gcc", kTsan, "gcc", kGcc);
    suite.row(fmt::format("{}, compiled: memory", kernel.name), "MiB",
              ways[kCompiled].least.mebibytes, "native", ways[kClang].least.mebibytes);
  }
}

}  // namespace Atoll::bench
