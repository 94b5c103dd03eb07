# heddle_add_sched_test(NAME sources...): a test program of heddle::sched, and a test of its name.
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
endif()

function(heddle_add_sched_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE heddle_sched)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${HEDDLE_SCHED_RUNTIME})
  if(TARGET heddle_sched_runtime)
    add_dependencies(${name} heddle_sched_runtime)
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()
