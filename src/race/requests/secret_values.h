// Where the secrets of requests come from, since a trace has none.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "heddle/result.h"

namespace heddle {

// A value that a trace hides and that no answer has told.
struct SecretQuestion {
  std::string field;           // "password", "authorization"
  std::string endpoint;        // "POST accounts/login"
  bool is_credential = false;  // it stands behind the scheme of Authorization
};

// What heddle.yaml says of it; none: nothing. Error: a command that failed, a variable that is not
// set.
using SecretLookup = std::function<Result<std::optional<std::string>>(const SecretQuestion&)>;

}  // namespace heddle
