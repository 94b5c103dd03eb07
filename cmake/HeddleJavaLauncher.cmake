# src/jvm/HeddleLauncher.java as a text of the program, which writes it to a private directory and runs it there.
set(heddle_launcher ${CMAKE_SOURCE_DIR}/src/jvm/HeddleLauncher.java)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${heddle_launcher})
file(READ ${heddle_launcher} HEDDLE_LAUNCHER_SOURCE)
configure_file(${CMAKE_SOURCE_DIR}/cmake/java_launcher.cc.in ${CMAKE_BINARY_DIR}/generated/java_launcher.cc @ONLY)
target_sources(heddle_jvm PRIVATE ${CMAKE_BINARY_DIR}/generated/java_launcher.cc)
