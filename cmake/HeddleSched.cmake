# The runtime of heddle::sched: one relocatable object that a test program is linked with in place of ThreadSanitizer's.
# All names in it are its own but those of its interface: the functions that compilers call, those of the C
# library that it stands before, and heddle_sched_*. So it shares no inline function with the program, whose
# copies are compiled with -fsanitize=thread.
get_property(heddle_runtime_sources GLOBAL PROPERTY HEDDLE_RUNTIME_SOURCES)
foreach(folder sched/races sched/schedule sched/strategy)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|_benchmark)\\.cc$")
  list(APPEND heddle_runtime_sources ${sources})
endforeach()
# What draws and writes a finding, and what searches for an order of calls.
foreach(file base/assert base/closest_word base/printable base/text base/utf8
             format/sched/json_lines format/sched/sched_finding_json report/diagram/arrow_routes report/diagram/diagram
             report/diagram/schedule_drawing report/diagram/svg_page report/sched/sched_html report/sched/sched_junit
             report/sched/sched_svg report/text/html_page report/text/html_style report/text/junit_xml report/text/markup
             report/text/svg_text
             report/sched/sched_diagram report/sched/sched_summary report/sched/sched_text
             report/text/grid report/text/layout check/calls/bounds check/calls/cache check/calls/call_model check/calls/frontier
             check/calls/object_calls check/calls/search)
  list(APPEND heddle_runtime_sources ${CMAKE_SOURCE_DIR}/src/${file}.cc)
endforeach()

add_library(heddle_sched_objects OBJECT ${heddle_runtime_sources})
# Where files share units, those of one folder do: only there each name is used once.
set_target_properties(heddle_sched_objects PROPERTIES UNITY_BUILD_MODE GROUP)
foreach(source IN LISTS heddle_runtime_sources)
  get_filename_component(group ${source} DIRECTORY)
  file(RELATIVE_PATH group ${CMAKE_SOURCE_DIR}/src ${group})
  string(REPLACE "/" "_" group ${group})
  set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
endforeach()
target_include_directories(heddle_sched_objects PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(heddle_sched_objects PRIVATE heddle_warnings)
# It is optimised and free of other runtimes' hooks in each build; fmt comes along, so that a test
# program needs no library for it.
target_compile_options(heddle_sched_objects PRIVATE -O2 -g1 -mcx16 -mpopcnt -fPIC -fvisibility=hidden
                       -fno-stack-protector -fno-sanitize=all
                       # A constant inside of an inline function would stay visible, and there twice.
                       $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
target_compile_definitions(heddle_sched_objects PRIVATE FMT_HEADER_ONLY)

set(HEDDLE_SCHED_RUNTIME ${CMAKE_BINARY_DIR}/heddle_sched_runtime.o)
add_custom_command(OUTPUT ${HEDDLE_SCHED_RUNTIME}
  COMMAND ${CMAKE_LINKER} -r --force-group-allocation -T ${CMAKE_CURRENT_LIST_DIR}/sched_sections.ld
          -o ${HEDDLE_SCHED_RUNTIME}.all $<TARGET_OBJECTS:heddle_sched_objects>
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbols=${CMAKE_CURRENT_LIST_DIR}/sched_interface.txt
          ${HEDDLE_SCHED_RUNTIME}.all ${HEDDLE_SCHED_RUNTIME}
  COMMAND ${CMAKE_COMMAND} -E rm ${HEDDLE_SCHED_RUNTIME}.all
  DEPENDS heddle_sched_objects $<TARGET_OBJECTS:heddle_sched_objects>
          ${CMAKE_CURRENT_LIST_DIR}/sched_interface.txt ${CMAKE_CURRENT_LIST_DIR}/sched_sections.ld
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(heddle_sched_runtime ALL DEPENDS ${HEDDLE_SCHED_RUNTIME})

# What names are not ours to choose for (those of frameworks and of the standard library) is a folder of its own,
# installed beside the other headers.
set(HEDDLE_SCHED_INCLUDE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/cmake/headers)
include(${CMAKE_CURRENT_LIST_DIR}/HeddleSchedTests.cmake)
