// Calls of Java methods, as programs name them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/controlled_program.h"

namespace heddle {

// The class, the method and the types of bank.Accounts.pay(Connection, int); none: it is not
// well-formed.
struct MethodName {
  std::string type;
  std::string name;
  std::vector<std::string> parameters;
};
std::optional<MethodName> read_method_name(const std::string& text);

// Why a program in Java cannot be called so; empty: it can be tried.
std::string why_not_callable_in_java(const ProgramCall& call);

}  // namespace heddle
