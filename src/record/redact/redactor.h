// Keeps secrets out of what is recorded, and keeps what makes a recording useful: equal values are
// equal placeholders wherever they stand, so that it is known which response a token came from.
//
//   Result<Redactor> redactor = Redactor::draw(RedactSettings());
//   head = redact_head(*redactor, head);
//   body = redact_body(*redactor, head.headers, body, kLimit);
//   text = redact_statement(*redactor, text);
//
// A value is a secret by its place (credentials, cookies, fields that are named) or by its look (a
// JSON Web Token). From then on it is found in every text, whatever the field is called and however
// the value is encoded there. What was written before it was known has to be redacted once more:
// `Redactor::known` tells whether that can change anything, and placeholders stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "record/redact/field_names.h"
#include "record/redact/known_secrets.h"

namespace heddle {

// Fields that are secrets in most systems: headers, and members of JSON, forms and rows. "*token"
// is every name that ends so.
std::vector<std::string> usual_secret_names();

struct RedactSettings {
  std::vector<std::string> redact = usual_secret_names();
  std::vector<std::string> mask;  // personal fields
  // So many values are searched for, the latest ones: each takes about a kilobyte.
  std::size_t most_known = 20'000;
};

// Not safe to use from several threads at once.
class Redactor {
 public:
  // `key` makes the placeholders; nobody should know it.
  Redactor(const RedactSettings& settings, std::string key);
  // With a key that is drawn. Error: the system has no random numbers.
  static Result<Redactor> draw(const RedactSettings& settings);

  // How the values of a field with this name are hidden; none: they are not.
  std::optional<Hiding> hiding_of(std::string_view name) const;

  // The placeholder of a value that is hidden by its place; it is remembered, unless it is a word
  // that names a field ("password" is a usual one) and would be found everywhere.
  std::string hide(std::string_view value, Hiding hiding = Hiding::secret);
  // The same of a value that may be harmless, because of a cookie nobody named: it is remembered
  // only if it is long or no plain word or number.
  std::string hide_unnamed(std::string_view value);
  // Remembers a value without a place of its own.
  void remember(std::string_view value, Hiding hiding = Hiding::secret);

  // The value of a named field: a column of a row, a parameter. Where it is not hidden for its
  // name, it is as `value` says.
  std::string field(std::string_view name, std::string_view value);
  // A value without a name, which may be JSON or a URL.
  std::string value(std::string_view value);
  // A text of which nothing is known: without the values that are known, and without JSON Web
  // Tokens, which are remembered.
  std::string text(std::string_view text);

  // Grows when a further value is known.
  std::uint64_t known() const { return known_.remembered(); }
  // Values that are no longer searched for, because there were too many.
  std::uint64_t forgotten() const { return known_.forgotten(); }

 private:
  FieldNames redact_;
  FieldNames mask_;
  KnownSecrets known_;
};

// Whether the text may be JSON or a URL with a query, in which there are fields.
bool has_fields(std::string_view text);

// A text without its known secrets, and with the passwords, tokens and named fields of a URL or of
// a path with a query replaced.
std::string redact_url(Redactor& redactor, std::string_view url);
// "a=b&c=d", of a query or a form.
std::string redact_form(Redactor& redactor, std::string_view form);
// JSON, one document or several, which may be cut off. What is not redacted stays as it is, byte
// for byte.
std::string redact_json(Redactor& redactor, std::string_view json);
// Markup: the values of HTML's inputs and attributes, elements with such a name, and JSON in
// scripts.
std::string redact_markup(Redactor& redactor, std::string_view markup);
// SQL with its values in it. Those of named columns are found where they are compared with, set to
// or inserted as a literal.
std::string redact_statement(Redactor& redactor, std::string_view statement);
// Which of its parameters $1, $2, ... stand for values of named columns, and how these are hidden.
std::map<std::size_t, Hiding> hidden_parameters(const Redactor& redactor,
                                                std::string_view statement);

}  // namespace heddle
