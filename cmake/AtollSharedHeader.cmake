# atoll_shared_header(NAME HEADER...) adds the object library NAME, whose precompiled header executables with the same
# options reuse: target_precompile_headers(PROGRAM REUSE_FROM NAME). Give NAME these options. A library of its own
# makes none of these programs depend on another one. Executables have -fPIE instead of -fPIC.
function(atoll_shared_header name)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  add_library(${name} OBJECT "${source}")
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIE)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
