// Any bytes: a program, or a diagnostic with a place. Bytes that do not begin a file are taken for
// the body of a method.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "heddle/java_program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find("class") == std::string::npos) {
    text =
        "import java.sql.*; public class T { private Connection c; private final SQLStmt s = new "
        "SQLStmt(\"SELECT a FROM t WHERE b = ?\"); public int f(int n, String x, int[] all) { " +
        text + " } }";
  }
  heddle::Program program;
  const auto read = heddle::read_java_program({{"T.java", text}}, {}, program);
  if (!read) {
    HEDDLE_ASSERT(!read.error().what.empty());
    HEDDLE_ASSERT(read.error().position.line > 0);
    return 0;
  }
  for (const heddle::Functionality& functionality : program.functionalities) {
    static_cast<void>(heddle::list_statements(functionality));
  }
  static_cast<void>(heddle::print_program(program));
  return 0;
}
