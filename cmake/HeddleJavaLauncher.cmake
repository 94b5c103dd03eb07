# src/jvm/HeddleLauncher.java as a text of the program, which writes it to a private directory and runs it there.
set(heddle_launcher ${CMAKE_SOURCE_DIR}/src/jvm/HeddleLauncher.java)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${heddle_launcher})
file(READ ${heddle_launcher} HEDDLE_LAUNCHER_SOURCE)
configure_file(${CMAKE_SOURCE_DIR}/cmake/java_launcher.cc.in ${CMAKE_BINARY_DIR}/generated/java_launcher.cc @ONLY)
get_property(heddle_library GLOBAL PROPERTY HEDDLE_LIBRARY_OF_jvm)
target_sources(${heddle_library} PRIVATE ${CMAKE_BINARY_DIR}/generated/java_launcher.cc)
