# The generated parser of Java, from npm: the package and its checksum are in java_grammar/. It is fetched once
# for each build folder when a program is linked: all else can be built before there is npm.
set(grammar_dir ${CMAKE_BINARY_DIR}/java_grammar)
set(grammar_source ${grammar_dir}/node_modules/tree-sitter-java/src)
file(COPY ${CMAKE_SOURCE_DIR}/cmake/java_grammar/ DESTINATION ${grammar_dir})
add_custom_command(OUTPUT ${grammar_source}/parser.c
                   COMMAND ${CMAKE_COMMAND} -DGRAMMAR=${grammar_dir} -P
                           ${CMAKE_SOURCE_DIR}/cmake/FetchJavaGrammar.cmake
                   COMMENT "Fetching the grammar of Java" VERBATIM)

find_path(HEDDLE_TREE_SITTER_INCLUDE tree_sitter/api.h REQUIRED)
find_library(HEDDLE_TREE_SITTER_LIBRARY tree-sitter REQUIRED)

add_library(heddle_java_grammar STATIC ${grammar_source}/parser.c)
target_include_directories(heddle_java_grammar PRIVATE ${grammar_source})
# Tables of a generated parser: optimizing them takes long and gains nothing.
target_compile_options(heddle_java_grammar PRIVATE -w -O1)

# By its path: what is linked with a target is not even compiled before that target's sources are there.
add_library(heddle_link_tree_sitter INTERFACE)
target_include_directories(heddle_link_tree_sitter SYSTEM INTERFACE ${HEDDLE_TREE_SITTER_INCLUDE})
target_link_libraries(heddle_link_tree_sitter INTERFACE ${CMAKE_BINARY_DIR}/libheddle_java_grammar.a
                      ${HEDDLE_TREE_SITTER_LIBRARY})
