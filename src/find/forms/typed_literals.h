// Constants that SQL lets one write as texts, whatever their type: `id = '5'`, `paid = 't'`,
// `day >= '2024-02-29'`.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "find/forms/statement_form.h"
#include "heddle/program.h"
#include "heddle/schema.h"

namespace heddle::find {

// What a constant that is written as a text means beside a value.
enum class LiteralKind : std::uint8_t {
  text,
  number,
  truth,
  day,     // days since the first one (moments.h)
  moment,  // seconds since then
  time,    // seconds since midnight
  span,    // seconds
};

LiteralKind literal_kind(ValueType type);
// "integer", "timestamp with time zone": of a variable, or of a cast.
LiteralKind literal_kind(std::string_view type);
// What a function that asks the store's clock gives: a day or a moment; text: it is none.
LiteralKind clock_kind(std::string_view function);

// What a leaf of an expression is; text: nobody knows.
using KindOfLeaf = std::function<LiteralKind(const Expression& leaf)>;

// The expression with the constants in place of the texts that say them, where these are compared
// or computed with what `kind_of` knows, or cast to a type; days become seconds where they meet
// moments. `wanted`: what the value becomes.
Expression with_typed_literals(Expression expression, const KindOfLeaf& kind_of,
                               LiteralKind wanted = LiteralKind::text);
// The same in all that the statement compares with columns and writes to them; `of_client` says
// what the client's values `$1`, `$2`, ... are.
void type_literals(const Schema& schema, const KindOfLeaf& of_client, StatementForm& form);
// What the arguments of a statement of the functionality are, as such leaves.
KindOfLeaf kinds_of_arguments(const ProgramStatement& statement,
                              const Functionality& functionality);

}  // namespace heddle::find
