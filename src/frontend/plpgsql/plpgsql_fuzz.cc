// Any bytes: a program whose text reads as the same program, or a diagnostic with a place. Bytes
// that do not begin a statement are taken for the body of a routine.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "heddle/program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (!text.starts_with("CREATE") && text.find("$f$") == std::string::npos) {
    text =
        "CREATE PROCEDURE p(a integer, b text) LANGUAGE plpgsql AS $f$ DECLARE n integer; "
        "r record; c refcursor; BEGIN " +
        text + " END $f$;";
  }
  const auto program = heddle::parse_program({{"p.sql", text}});
  if (!program) {
    HEDDLE_ASSERT(!program.error().what.empty());
    HEDDLE_ASSERT(program.error().position.line > 0);
    return 0;
  }
  for (const heddle::Functionality& functionality : program->functionalities) {
    static_cast<void>(heddle::list_statements(functionality));
  }
  const std::string printed = heddle::print_program(*program);
  const auto again = heddle::parse_program({{"p.sql", printed}});
  HEDDLE_ASSERT(again.has_value());
  HEDDLE_ASSERT(heddle::print_program(*again) == printed);
  return 0;
}
