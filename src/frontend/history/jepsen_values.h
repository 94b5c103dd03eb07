// Values of forms as values of a history. Numbers stand for themselves, strings, keywords and
// symbols for their text (keywords with their colon), collections for a text that is the same for
// equal collections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/history/forms/jepsen_form.h"
#include "heddle/recorded_history.h"

namespace heddle {

// A form that no longer needs its file: flat, in the order of the text. Of a container only kind
// and size mean something.
struct HistoryTerm {
  FormKind kind = FormKind::nil;
  std::uint32_t size = 1;
  Value value = kNil;

  bool is_container() const { return kind >= FormKind::vector; }
};

class FormValues {
 public:
  // Texts go to `texts`, which outlives this. Views into `file` stay valid as long as this is used.
  FormValues(std::string_view file, ValueTexts& texts) : file_(file), texts_(texts) {}

  Value of(const FormNode& form);
  Value of(const HistoryTerm& term);
  std::string to_string(const HistoryTerm& term) { return texts_.to_string(of(term)); }
  // Adds the form with all that is inside.
  void add_terms(const FormNode& form, std::vector<HistoryTerm>& terms);
  // The text of a vector of these elements, as of() gives it.
  Value of_vector(const std::vector<Value>& elements);

 private:
  Value text(std::string_view text);
  std::string write(const HistoryTerm& term) const;
  std::string write_scalar(Value value) const;

  std::string_view file_;
  ValueTexts& texts_;
  std::unordered_map<std::string_view, Value> known_;  // views into the file
  std::vector<HistoryTerm> terms_;
};

// A value as people write it on a command line: nil, a number, or a text, in quotes or not.
Value value_as_written(std::string_view text, ValueTexts& texts);

}  // namespace heddle
