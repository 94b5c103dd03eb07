# heddle_add_sched_test(NAME [TYPES] [GTEST | CATCH2] [RAPIDCHECK] sources...): a test program of heddle::sched, and a test of its name.
# GTEST, CATCH2: failed assertions of GoogleTest, or Catch2 (versions 2 and 3), fail executions; the program has a main.
# RAPIDCHECK: links RapidCheck's library, for heddle/sched_rapidcheck.h.
# TYPES: the sources are compiled without the flag; what they do with the types of heddle/sched_types.h is seen alone.
# Its sources are compiled with -fsanitize=thread, and it is linked with heddle's runtime in place of
# ThreadSanitizer's. Used by heddle's own build and installed with it.
#
# REQUIRES: HEDDLE_SCHED_RUNTIME, the object, and HEDDLE_SCHED_INCLUDE, the folder of heddle/sched.h.

if(NOT TARGET heddle_sched)
  add_library(heddle_sched INTERFACE)
  target_include_directories(heddle_sched INTERFACE ${HEDDLE_SCHED_INCLUDE})
  # Corrects a header of libstdc++, which tells why.
  target_include_directories(heddle_sched SYSTEM INTERFACE ${CMAKE_CURRENT_LIST_DIR}/libstdcxx)
  target_compile_features(heddle_sched INTERFACE cxx_std_20)
  # Strings whose code stands in the library would be changed without heddle's knowing.
  target_compile_definitions(heddle_sched INTERFACE _GLIBCXX_EXTERN_TEMPLATE=0)
  # Only when compiling: the linker would add ThreadSanitizer's own runtime.
  target_compile_options(heddle_sched INTERFACE -fsanitize=thread -g)
  # ThreadSanitizer does not know fences; heddle does.
  target_compile_options(heddle_sched INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  # What g++ makes of these without a call it does not tell; clang tells of the call.
  foreach(function memcpy memmove memset memcmp mempcpy strcpy stpcpy strncpy strcat strncat bzero bcopy)
    target_compile_options(heddle_sched INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-builtin-${function}>)
  endforeach()
  # clang says nothing of a read that is followed by a write of the same place: nobody could come in between.
  target_compile_options(heddle_sched INTERFACE
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -tsan-instrument-read-before-write=1>")
  target_link_libraries(heddle_sched INTERFACE ${HEDDLE_SCHED_RUNTIME})

  add_library(heddle_sched_types INTERFACE)
  target_include_directories(heddle_sched_types INTERFACE ${HEDDLE_SCHED_INCLUDE})
  target_compile_features(heddle_sched_types INTERFACE cxx_std_20)
  target_compile_options(heddle_sched_types INTERFACE -g)
  target_link_libraries(heddle_sched_types INTERFACE ${HEDDLE_SCHED_RUNTIME})
endif()

# An archive as an object that shares no inline function of the standard library with a test: its copies are compiled
# without the flag. `target` is a target that makes the object.
function(heddle_sched_keep_apart target archive object)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation --whole-archive ${archive}
            --no-whole-archive -o ${object}.all
    COMMAND ${CMAKE_OBJCOPY} --wildcard "--localize-symbol=_ZNSt*" "--localize-symbol=_ZNKSt*"
            "--localize-symbol=_ZSt*" "--localize-symbol=_ZN9__gnu_cxx*" "--localize-symbol=_ZNK9__gnu_cxx*"
            ${object}.all ${object}
    COMMAND ${CMAKE_COMMAND} -E rm ${object}.all
    VERBATIM)
  add_custom_target(${target} DEPENDS ${object})
endfunction()

function(heddle_sched_find_gtest)
  if(TARGET heddle_sched_gtest)
    return()
  endif()
  find_package(GTest REQUIRED)
  add_library(heddle_sched_gtest INTERFACE)
  target_include_directories(heddle_sched_gtest SYSTEM INTERFACE
    $<TARGET_PROPERTY:GTest::gtest,INTERFACE_INCLUDE_DIRECTORIES>)
  get_target_property(type GTest::gtest TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    target_link_libraries(heddle_sched_gtest INTERFACE GTest::gtest GTest::gtest_main)
    return()
  endif()
  set(object ${CMAKE_CURRENT_BINARY_DIR}/heddle_sched_gtest.o)
  heddle_sched_keep_apart(heddle_sched_gtest_object $<TARGET_FILE:GTest::gtest> ${object})
  find_package(Threads REQUIRED)
  target_link_libraries(heddle_sched_gtest INTERFACE ${object} $<TARGET_FILE:GTest::gtest_main> Threads::Threads)
endfunction()

function(heddle_sched_use_rapidcheck name)
  if(NOT TARGET heddle_sched_rapidcheck)
    find_package(rapidcheck REQUIRED)
    add_library(heddle_sched_rapidcheck INTERFACE)
    target_include_directories(heddle_sched_rapidcheck SYSTEM INTERFACE
      $<TARGET_PROPERTY:rapidcheck,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(heddle_sched_rapidcheck INTERFACE
      $<TARGET_PROPERTY:rapidcheck,INTERFACE_COMPILE_DEFINITIONS>)
    get_target_property(type rapidcheck TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      set(object ${CMAKE_CURRENT_BINARY_DIR}/heddle_sched_rapidcheck.o)
      heddle_sched_keep_apart(heddle_sched_rapidcheck_object $<TARGET_FILE:rapidcheck> ${object})
      target_link_libraries(heddle_sched_rapidcheck INTERFACE ${object})
    else()
      target_link_libraries(heddle_sched_rapidcheck INTERFACE rapidcheck)
    endif()
  endif()
  target_link_libraries(${name} PRIVATE heddle_sched_rapidcheck)
  if(TARGET heddle_sched_rapidcheck_object)
    add_dependencies(${name} heddle_sched_rapidcheck_object)
  endif()
endfunction()

# Writes a source file that includes one header, for programs whose own sources do not.
function(heddle_sched_including file text)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}\n" @ONLY)
endfunction()

function(heddle_sched_use_gtest name)
  heddle_sched_find_gtest()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/heddle_sched_gtest.cc)
  heddle_sched_including(${source} "#include <heddle/sched_gtest.h>")
  target_sources(${name} PRIVATE ${source})
  target_link_libraries(${name} PRIVATE heddle_sched_gtest)
  if(TARGET heddle_sched_gtest_object)
    add_dependencies(${name} heddle_sched_gtest_object)
  endif()
endfunction()

# Version 3 is a library, whose main gives way to the program's own.
function(heddle_sched_use_catch2_library name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/heddle_sched_catch2.cc)
  heddle_sched_including(${source} "#include <heddle/sched_catch2.h>")
  target_sources(${name} PRIVATE ${source})
  get_target_property(type Catch2::Catch2 TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    target_link_libraries(${name} PRIVATE Catch2::Catch2WithMain)
    return()
  endif()
  set(object ${CMAKE_CURRENT_BINARY_DIR}/heddle_sched_catch2.o)
  if(NOT TARGET heddle_sched_catch2_object)
    heddle_sched_keep_apart(heddle_sched_catch2_object $<TARGET_FILE:Catch2::Catch2> ${object})
  endif()
  add_dependencies(${name} heddle_sched_catch2_object)
  target_include_directories(${name} SYSTEM PRIVATE $<TARGET_PROPERTY:Catch2::Catch2,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${name} PRIVATE ${object} $<TARGET_FILE:Catch2::Catch2WithMain>)
endfunction()

# The main of version 2 is in the program's own sources, or is made here.
function(heddle_sched_use_catch2 name)
  if(NOT TARGET Catch2::Catch2)
    find_package(Catch2 REQUIRED)
  endif()
  get_target_property(type Catch2::Catch2 TYPE)
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    heddle_sched_use_catch2_library(${name})
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  set(main "#define CATCH_CONFIG_MAIN\n")
  foreach(source IN LISTS sources)
    get_filename_component(source ${source} ABSOLUTE)
    file(STRINGS ${source} defined REGEX "CATCH_CONFIG_(MAIN|RUNNER)")
    if(defined)
      set(main "")
    endif()
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_heddle_sched_catch2.cc)
  heddle_sched_including(${source} "${main}#include <heddle/sched_catch2.h>")
  target_sources(${name} PRIVATE ${source})
  target_link_libraries(${name} PRIVATE Catch2::Catch2)
endfunction()

function(heddle_link_sched name interface)
  # heddle's runtime is C++, whatever the program is.
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE ${interface})
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${HEDDLE_SCHED_RUNTIME})
  if(TARGET heddle_sched_runtime)
    add_dependencies(${name} heddle_sched_runtime)
  endif()
endfunction()

function(heddle_add_sched_test name)
  cmake_parse_arguments(arg "GTEST;CATCH2;RAPIDCHECK;TYPES" "" "" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  if(arg_TYPES)
    heddle_link_sched(${name} heddle_sched_types)
  else()
    heddle_link_sched(${name} heddle_sched)
  endif()
  if(arg_GTEST)
    heddle_sched_use_gtest(${name})
  endif()
  if(arg_CATCH2)
    heddle_sched_use_catch2(${name})
  endif()
  if(arg_RAPIDCHECK)
    heddle_sched_use_rapidcheck(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# heddle_add_sched_program(NAME sources... [ARGUMENTS words...]): a program with a main of its own, which is executed
# under heddle when it is started, and a test of its name, which starts it with these words.
function(heddle_add_sched_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARGUMENTS")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  heddle_link_sched(${name} heddle_sched)
  # What begins the program is heddle's. Functions are bound when it is started, not in each execution's process again.
  target_link_options(${name} PRIVATE -Wl,--wrap=__libc_start_main -Wl,-z,now)
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGUMENTS})
endfunction()
