# Embeds src/machine/presets/*.json into the library: a generated source with one table of
# (name, text), so that a preset is an ordinary machine file, read by the same code as a user's.
function(atoll_embed_presets target folder)
  file(GLOB files CONFIGURE_DEPENDS "${folder}/*.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(rows)
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND rows "    {\"${name}\", R\"preset(${text})preset\"},\n")
  endforeach()
  list(LENGTH files count)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/machine_presets.cpp")
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Generated from src/machine/presets/*.json.
#include \"machine/presets.hpp\"
namespace Atoll::detail {
std::span<const PresetText> preset_texts() {
  static constexpr PresetText table[] = {
@rows@    {\"\", \"\"}};
  return {table, @count@};
}
}  // namespace Atoll::detail
")
  target_sources(${target} PRIVATE "${output}")
endfunction()
