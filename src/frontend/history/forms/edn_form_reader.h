// EDN (and what Clojure prints besides): nil, booleans, numbers, strings, characters, keywords,
// symbols, lists, vectors, sets, maps; commas are white space; `;` comments, `#_` discards the next
// value, `#tag value` and `^metadata value` are the value, `#{}` a set, `##NaN` a symbol.
// https://github.com/edn-format/edn
#pragma once

#include <string>
#include <string_view>

#include "frontend/history/forms/jepsen_form_reader.h"

namespace heddle {

class EdnFormReader : public FormReader {
 public:
  using FormReader::FormReader;

  bool read_form(Form* form) override;
  bool read_operation(JepsenOperation& operation) override;
  bool skip_space() override;
  // Goes over tags and metadata in front of a value, and white space.
  bool skip_prefixes();

 private:
  bool read_container(Form* form, FormKind kind, char close);
  bool read_field(JepsenOperation& operation, Form* field);
  bool read_field_name(JepsenOperation& operation, Form*& field);
  bool leave_numbers(Form* form);
  bool read_hash(Form* form);
  bool read_escape(std::string& text) override;
  bool read_character(Form* form);
  bool read_token(Form* form);
  void skip_token();
  bool fail_at_end(std::size_t opened, std::string_view what) override;
};

}  // namespace heddle
