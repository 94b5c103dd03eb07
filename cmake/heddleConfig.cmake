# find_package(heddle): heddle_add_sched_test(name sources...) for tests of threads.
get_filename_component(heddle_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(HEDDLE_SCHED_RUNTIME "${CMAKE_CURRENT_LIST_DIR}/heddle_sched_runtime.o")
set(HEDDLE_SCHED_INCLUDE "${heddle_prefix}/include")
include("${CMAKE_CURRENT_LIST_DIR}/HeddleSchedTests.cmake")
