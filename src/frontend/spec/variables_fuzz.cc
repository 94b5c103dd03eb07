// Substitution keeps what it does not know, and each mentioned variable decides something.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "frontend/spec/text/sql_token.h"
#include "frontend/spec/variables.h"

namespace heddle {
namespace {

void check_variables(std::string_view sql) {
  Variables all;
  bool asks = false;
  for (std::size_t i = 0; i < sql.size();) {
    const SqlToken token = sql_token_at(sql, i);
    HEDDLE_ASSERT(!token.text.empty());
    asks = asks || token.kind == SqlToken::Kind::variable_test;
    i += token.text.size();
  }
  if (!asks) HEDDLE_ASSERT(substitute_variables(sql, {}) == sql);

  for (const std::string& name : mentioned_variables(sql)) {
    HEDDLE_ASSERT(is_variable_name(name));
    all.emplace(name, "(1)");
  }
  HEDDLE_ASSERT((substitute_variables(sql, all) == sql) == all.empty());

  const Result<bool> condition = evaluate_condition(sql, all);
  HEDDLE_ASSERT(condition.has_value() || !condition.error().what_to_do.empty());
}

}  // namespace
}  // namespace heddle

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::check_variables({reinterpret_cast<const char*>(data), size});
  return 0;
}
