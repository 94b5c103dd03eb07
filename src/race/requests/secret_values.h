// Where the secrets of requests come from, since a trace has none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "frontend/config/config.h"
#include "heddle/result.h"

namespace heddle {

// A value that a trace hides and that no answer has told.
struct SecretQuestion {
  std::string field = {};      // "password", "authorization"
  std::string endpoint = {};   // "POST accounts/login"
  bool is_credential = false;  // it stands behind the scheme of Authorization
};

// What heddle.yaml says of it; none: nothing. Error: a command that failed, a variable that is not
// set, a file that cannot be read.
using SecretLookup = std::function<Result<std::optional<std::string>>(const SecretQuestion&)>;

// As the keys `token` and `secrets` of the section `race` say. Each command is run once, when it
// is asked for the first time; so each run takes a lookup of its own, since tokens expire.
SecretLookup secrets_of(const Config& config);

// What heddle makes up where a client chose the value: the same for equal placeholders, and of the
// form that the field's name asks for. What has to be another one in each run that nothing goes
// back for (an address) depends on `run`, too.
std::string made_up_value(const std::string& placeholder, const std::string& field,
                          std::uint64_t run = 0);

// Whether a client may have chosen the value of such a field (a password), rather than been given
// it (a token, a key).
bool may_be_chosen(const std::string& field);

}  // namespace heddle
