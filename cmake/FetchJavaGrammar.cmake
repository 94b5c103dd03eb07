# cmake -DGRAMMAR=FOLDER -P FetchJavaGrammar.cmake: fetches the package whose name and checksum are in
# that folder.
find_program(npm npm)
if(NOT npm)
  message(FATAL_ERROR "npm is missing, which fetches the grammar of Java: run scripts/setup program")
endif()
execute_process(COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund --loglevel=error
                WORKING_DIRECTORY ${GRAMMAR} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed OR NOT EXISTS ${GRAMMAR}/node_modules/tree-sitter-java/src/parser.c)
  message(FATAL_ERROR "npm cannot fetch the grammar of Java, which needs a network once:\n${said}")
endif()
