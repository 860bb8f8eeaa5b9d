# Parts beyond the core (machine, memory, arrays, loops, graphs, Green-Marl). A part is built if its option is ON, the
# parts that it depends on are built, and its libraries are installed. ATOLL_HAS_<part> is then 1, otherwise 0. The
# configuration reports each part that is not built.

# Reports that `what` is not built. The optional second argument is a group of tools/packages.txt: the message then
# names the command that installs its packages.
function(atoll_left_out what)
  if(ARGC GREATER 1)
    string(APPEND what "; tools/install-deps ${ARGV1} brings it")
  endif()
  message(STATUS "Not built: ${what}")
endfunction()

# Sets ATOLL_HAS_<part>: atoll_part(part what [PARTS part...] [LIBRARIES prefix=module[|module]...]). PARTS are
# the parts that it depends on. A module is a pkg-config name; the first installed one of the alternatives becomes the
# target PkgConfig::prefix.
macro(atoll_part part what)
  cmake_parse_arguments(part "" "" "PARTS;LIBRARIES" ${ARGN})
  set(ATOLL_HAS_${part} 0)
  set(part_missing)
  set(part_below)
  foreach(other IN LISTS part_PARTS)
    if(NOT ATOLL_HAS_${other})
      list(APPEND part_below "ATOLL_${other}")
    endif()
  endforeach()
  if(ATOLL_${part} AND NOT part_below)
    foreach(library IN LISTS part_LIBRARIES)
      string(REGEX MATCH "^([^=]+)=(.+)$" library "${library}")
      set(part_prefix "${CMAKE_MATCH_1}")
      string(REPLACE "|" ";" part_modules "${CMAKE_MATCH_2}")
      pkg_search_module(${part_prefix} QUIET IMPORTED_TARGET ${part_modules})
      if(NOT ${part_prefix}_FOUND)
        list(GET part_modules 0 part_module)
        list(APPEND part_missing "${part_module}")
      endif()
    endforeach()
  endif()
  if(NOT ATOLL_${part})
    atoll_left_out("${what}: ATOLL_${part} is OFF")
  elseif(part_below)
    atoll_left_out("${what}: it needs ${part_below}")
  elseif(part_missing)
    list(JOIN part_missing ", " part_missing)
    atoll_left_out("${what}: not found: ${part_missing}" build)
  else()
    set(ATOLL_HAS_${part} 1)
  endif()
endmacro()

option(ATOLL_ARCHIVES "Read compressed graphs and archives, with libarchive" ON)
option(ATOLL_STENCIL "Build the library of stencil programs" ON)
option(ATOLL_STENCIL_OUTPUT "Build their files and pictures, with HDF5, libpng, FreeType and fontconfig" ON)
option(ATOLL_RECORDING "Build what records, analyses and places unmodified programs, with libdw, SQLite and zstd" ON)
option(ATOLL_SIMULATE "Build the simulation of other machines" ON)
atoll_part(ARCHIVES "reading of compressed graphs" LIBRARIES archive=libarchive)
atoll_part(STENCIL "stencil programs")
# Debian has a serial HDF5 and one for MPI, each with a .pc file. The serial one is required.
atoll_part(STENCIL_OUTPUT "files and pictures of stencil programs" PARTS STENCIL
           LIBRARIES hdf5=hdf5-serial|hdf5 png=libpng freetype=freetype2 fontconfig=fontconfig)
atoll_part(RECORDING "recording of programs (profile, trace, report, diff, advise, schedule, run -- COMMAND)"
           LIBRARIES sqlite=sqlite3 dw=libdw zstd=libzstd)
atoll_part(SIMULATE "simulation of other machines" PARTS RECORDING)
set(ATOLL_HAS_ALL 1)
foreach(part ARCHIVES STENCIL STENCIL_OUTPUT RECORDING SIMULATE)
  if(NOT ATOLL_HAS_${part})
    set(ATOLL_HAS_ALL 0)
  endif()
endforeach()
find_library(ZYDIS Zydis)  # it has no package for pkg-config
if(ATOLL_HAS_RECORDING AND NOT ZYDIS)
  atoll_left_out("the front end dbi: not found: Zydis" build)
  set(ATOLL_HAS_ALL 0)
endif()
