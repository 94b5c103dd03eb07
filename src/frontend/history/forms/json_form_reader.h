// JSON (RFC 8259) as forms: arrays are vectors, objects maps, null is nil. Keys of objects that are
// integers are numbers, since JSON has no other way to write them. NaN and Infinity, which some
// writers print, are words.
#pragma once

#include <string>

#include "frontend/history/forms/jepsen_form_reader.h"

namespace heddle {

class JsonFormReader : public FormReader {
 public:
  using FormReader::FormReader;

  bool read_form(Form* form) override;
  bool read_operation(JepsenOperation& operation) override;
  bool skip_space() override;

 private:
  bool read_array(Form* form);
  bool read_object(Form* form);
  bool read_key(Form* form);
  bool read_separator(std::size_t opened, char close, bool& is_closed);
  bool read_escape(std::string& text) override;
  bool read_number(Form* form);
  bool read_word(Form* form);
  bool fail_at_end(std::size_t opened, std::string_view what) override;
};

}  // namespace heddle
