// CloverLeaf in 2 dimensions: compressible Euler equations on a staggered mesh, configured by a
// deck.
#include "cloverleaf/run.hpp"

int main(int argc, char** argv) {
  return clover::main_of<2>(argc, argv);
}
