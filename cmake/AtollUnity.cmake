# Compilation in batches: most of the time of a small file is that of its headers. Files with compile options or
# definitions of their own, and those with SKIP_UNITY_BUILD_INCLUSION, are compiled alone.
option(ATOLL_UNITY "Compile the files of a folder in batches, in a third of the time" ON)

# atoll_unity(TARGET FILE...): a batch has up to 8 files of one folder, or ATOLL_BATCH, in their order. Larger batches
# occupy fewer cores and take longer to rebuild.
function(atoll_unity target)
  if(NOT ATOLL_UNITY)
    return()
  endif()
  if(NOT DEFINED ATOLL_BATCH)
    set(ATOLL_BATCH 8)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(last)
  foreach(file IN LISTS ARGN)
    get_filename_component(folder "${file}" DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    if(NOT folder STREQUAL last)
      set(count 0)
      set(last "${folder}")
    endif()
    math(EXPR batch "${count} / ${ATOLL_BATCH}")
    math(EXPR count "${count} + 1")
    set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${folder}_${batch}")
  endforeach()
endfunction()
