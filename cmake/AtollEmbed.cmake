# Embeds text files (machine presets, parts of the report's page) into a library. Generates a source file that
# defines `function`, which returns a table of (name, text) in the order of the files. `header` declares `type`
# and `function`.
function(atoll_embed target header type function)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(rows)
  foreach(file IN LISTS ARGN)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND rows "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  list(LENGTH ARGN count)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Generated from files of the source tree by AtollEmbed.cmake.
#include \"@header@\"
namespace Atoll::detail {
std::span<const @type@> @function@() {
  static constexpr @type@ table[] = {
@rows@    {\"\", \"\"}};
  return {table, @count@};
}
}  // namespace Atoll::detail
")
  target_sources(${target} PRIVATE "${output}")
endfunction()
