# What the files and pictures of module `stencil` stand on: HDF5 for fields, libpng, FreeType and
# fontconfig for pictures with text. All by pkg-config, because CMake's own FindHDF5 wants a project
# with C. Debian has HDF5 in a serial and in MPI's flavours, each with a .pc of its own; the serial one
# is right here wherever it is installed.
pkg_search_module(hdf5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(freetype REQUIRED IMPORTED_TARGET freetype2)
pkg_check_modules(fontconfig REQUIRED IMPORTED_TARGET fontconfig)
target_link_libraries(atoll_stencil PRIVATE PkgConfig::hdf5 PkgConfig::png PkgConfig::freetype
                      PkgConfig::fontconfig PkgConfig::xxhash ZLIB::ZLIB)
