// `atoll`: the table of verbs, and the only place where errors become exit codes: 0 done, 1 the
// work failed, 2 the call or an input is wrong.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "atoll/base/error.hpp"
#include "atoll/greenmarl/compiler.hpp"
#include "cli/verb.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Atoll puts data near the threads that use it.", "atoll"};
  app.set_version_flag("--version", "atoll " ATOLL_VERSION);
  app.require_subcommand(1);
  app.footer(
      "A first walk:\n"
      "  atoll machine                              what this machine is\n"
      "  atoll graph generate rmat --scale 16 -o g.atoll\n"
      "  atoll compile pagerank.gm --patterns       how a program uses its arrays\n"
      "  atoll run pagerank.gm --graph g.atoll --arg e=1e-6 --arg d=0.85 --arg max=100\n"
      "Each verb explains itself: atoll VERB --help");
  for (const auto add : {Atoll::cli::add_machine, Atoll::cli::add_compile, Atoll::cli::add_graph,
                         Atoll::cli::add_run})
    add(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "atoll: {}; see 'atoll --help'\n", error.what());
    return 2;
  } catch (const Atoll::greenmarl::SourceError& error) {
    fmt::print(stderr, "atoll: {}\n", error.what());
    if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "{}\n", error.excerpt());
    return 2;
  } catch (const Atoll::Error& error) {
    fmt::print(stderr, "atoll: {}\n", error.what());
    return error.kind() == Atoll::Error::Kind::input ? 2 : 1;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "atoll: out of memory\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "atoll: internal error: {}\n", error.what());
    return 1;
  }
  return 0;
}
