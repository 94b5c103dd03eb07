# The generated parser of Java, from npm: the package and its checksum are in java_grammar/. It is
# fetched once for each build folder.
set(grammar_dir ${CMAKE_BINARY_DIR}/java_grammar)
set(grammar_source ${grammar_dir}/node_modules/tree-sitter-java/src)
if(NOT EXISTS ${grammar_source}/parser.c)
  find_program(HEDDLE_NPM npm REQUIRED)
  file(COPY ${CMAKE_SOURCE_DIR}/cmake/java_grammar/ DESTINATION ${grammar_dir})
  execute_process(COMMAND ${HEDDLE_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
                  WORKING_DIRECTORY ${grammar_dir} RESULT_VARIABLE failed
                  OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed OR NOT EXISTS ${grammar_source}/parser.c)
    message(FATAL_ERROR "npm cannot fetch the grammar of Java, which needs a network once:\n${said}")
  endif()
endif()

find_path(HEDDLE_TREE_SITTER_INCLUDE tree_sitter/api.h REQUIRED)
find_library(HEDDLE_TREE_SITTER_LIBRARY tree-sitter REQUIRED)

add_library(heddle_java_grammar STATIC ${grammar_source}/parser.c)
target_include_directories(heddle_java_grammar PRIVATE ${grammar_source})
# Tables of a generated parser: optimizing them takes long and gains nothing.
target_compile_options(heddle_java_grammar PRIVATE -w -O1)

add_library(heddle_link_tree_sitter INTERFACE)
target_include_directories(heddle_link_tree_sitter SYSTEM INTERFACE ${HEDDLE_TREE_SITTER_INCLUDE})
target_link_libraries(heddle_link_tree_sitter INTERFACE heddle_java_grammar
                      ${HEDDLE_TREE_SITTER_LIBRARY})
