# The installed package: program, library, headers, find_package(Atoll) and pkg-config. Everything is
# found relative to the installed files, so that the tree can be moved.
include(CMakePackageConfigHelpers)
set(package_dir "lib/cmake/Atoll")
set(CMAKE_INSTALL_LIBDIR_NAME "lib")

install(TARGETS atoll atoll_stencil_library atoll_stencil EXPORT AtollTargets ARCHIVE DESTINATION lib)
install(TARGETS atoll_recording EXPORT AtollRecordingTargets ARCHIVE DESTINATION lib)
install(TARGETS atoll_stencil_output EXPORT AtollStencilOutputTargets ARCHIVE DESTINATION lib)
install(TARGETS atoll-cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/atoll" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/apps/" DESTINATION "${CMAKE_INSTALL_DATADIR}/atoll/apps" FILES_MATCHING PATTERN "*.gm" PATTERN "*.cpp" PATTERN "*.hpp")
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/atoll_profile.py" DESTINATION "${CMAKE_INSTALL_DATADIR}/atoll")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}" FILES_MATCHING PATTERN "*.md")
install(EXPORT AtollTargets NAMESPACE Atoll:: DESTINATION "${package_dir}")
# The recording library needs more than arrays do: a component of the package, and a .pc of its own.
install(EXPORT AtollRecordingTargets NAMESPACE Atoll:: DESTINATION "${package_dir}")
# So do the files and pictures of stencil programs.
install(EXPORT AtollStencilOutputTargets NAMESPACE Atoll:: DESTINATION "${package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/AtollConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/AtollConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/AtollConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/AtollConfig.cmake" "${PROJECT_BINARY_DIR}/AtollConfigVersion.cmake"
  DESTINATION "${package_dir}")

set(ATOLL_PC_NUMA "")
if(ATOLL_NUMA)
  set(ATOLL_PC_NUMA " numa")
endif()
set(ATOLL_PC_METIS "")
if(ATOLL_METIS)
  set(ATOLL_PC_METIS " -lmetis")
endif()
set(ATOLL_PC_HDF5 "${hdf5_MODULE_NAME}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/atoll.pc.in" "${PROJECT_BINARY_DIR}/atoll.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/atoll-recording.pc.in" "${PROJECT_BINARY_DIR}/atoll-recording.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/atoll-stencil.pc.in" "${PROJECT_BINARY_DIR}/atoll-stencil.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/atoll-stencil-output.pc.in" "${PROJECT_BINARY_DIR}/atoll-stencil-output.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/atoll.pc" "${PROJECT_BINARY_DIR}/atoll-recording.pc"
  "${PROJECT_BINARY_DIR}/atoll-stencil.pc" "${PROJECT_BINARY_DIR}/atoll-stencil-output.pc" DESTINATION lib/pkgconfig)
