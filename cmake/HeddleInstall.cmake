# cmake --install: the program, its manual page and its completion scripts, which the program prints; and for
# find_package(heddle) the runtime of heddle::sched.
include(GNUInstallDirs)

function(heddle_printed file)
  set(path ${CMAKE_BINARY_DIR}/printed/${file})
  add_custom_command(OUTPUT ${path}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/printed
    COMMAND heddle ${ARGN} > ${path}
    DEPENDS heddle VERBATIM)
  set_property(GLOBAL APPEND PROPERTY HEDDLE_PRINTED ${path})
endfunction()

heddle_printed(heddle.1 help --man)
heddle_printed(heddle completion bash)
heddle_printed(_heddle completion zsh)
get_property(heddle_printed_files GLOBAL PROPERTY HEDDLE_PRINTED)
add_custom_target(heddle_printed ALL DEPENDS ${heddle_printed_files})

install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_BINARY_DIR}/printed/heddle.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/printed/heddle
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/printed/_heddle
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CMAKE_SOURCE_DIR}/include/heddle/sched.h ${CMAKE_SOURCE_DIR}/include/heddle/sched_property.h
              ${CMAKE_SOURCE_DIR}/include/heddle/sched_property_entry.h
              ${CMAKE_CURRENT_LIST_DIR}/headers/heddle/sched_types.h
              ${CMAKE_CURRENT_LIST_DIR}/headers/heddle/sched_gtest.h
              ${CMAKE_CURRENT_LIST_DIR}/headers/heddle/sched_catch2.h
              ${CMAKE_CURRENT_LIST_DIR}/headers/heddle/sched_rapidcheck.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle COMPONENT sched)
# Beside its own files, so that it is found again wherever the prefix is moved to.
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/heddleConfig.cmake ${CMAKE_CURRENT_LIST_DIR}/HeddleSchedTests.cmake
              ${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake ${HEDDLE_SCHED_RUNTIME}
        DESTINATION lib/cmake/heddle COMPONENT sched)
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/libstdcxx DESTINATION lib/cmake/heddle COMPONENT sched)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/../LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
