// SQL text in a PL/pgSQL body: values that the client computes, and statements that use its
// variables.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/plpgsql/scope.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle::plpgsql {

// An expression. Positions of errors are bytes within `text`.
struct ReadValue {
  Expression value;
  bool asks_store = false;  // has a subquery or calls a function that may: `value` is nothing then
};

struct ReadTrouble {
  std::string what;
  std::size_t offset = 0;
  Trouble trouble = Trouble::bad_input;
};

// Either what was asked for, or trouble.
template <class T>
struct Read {
  T value;
  bool is_ok = true;
  ReadTrouble trouble = {};
};

Read<ReadValue> read_value(std::string_view text, const Names& names);

// What a path such as x or row.column means; none: nothing.
using NameResolver = std::function<std::optional<Expression>(const std::vector<std::string>&)>;
// Which functions are routines of the program; empty: none.
using FunctionFilter = std::function<bool(const std::string&)>;
// In front of the name in the text of a call of one.
constexpr std::string_view kRoutineCall = "routine ";
// The same of any text of SQL. What cannot be computed without the store is
// ExpressionKind::unknown.
Read<ReadValue> read_value(std::string_view text, const NameResolver& resolve,
                           const FunctionFilter& is_routine = {});

// A statement in which each use of a variable became `$1`, `$2`, ...
struct BoundText {
  std::string text;
  std::vector<Expression> arguments;
};

// `parameters`: what `$1`, `$2`, ... mean in the text.
Read<BoundText> bind_text(std::string_view text, const Names& names,
                          const std::vector<std::string>& parameters);

}  // namespace heddle::plpgsql
