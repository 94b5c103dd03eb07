// Texts that are joined from others, 'user:' || id: what is known of them besides that equal parts
// make equal texts. A text with one unknown part is another one where that part is; two texts whose
// first or last known characters differ are two.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "smt/term.h"

namespace heddle::find {

using smt::Term;
using smt::Terms;

// Known characters, or a value.
struct JoinedPart {
  std::string words;
  std::optional<Term> value;
  bool is_number = false;  // of the value: its digits stand there
};

struct JoinedText {
  Term term = {};
  std::vector<JoinedPart> parts;  // no two with known characters beside each other
};

class JoinedTexts {
 public:
  explicit JoinedTexts(Terms& terms) : terms_(terms) {}

  // The text of these parts, of which one is a value; `facts` gets what holds of it.
  Term join(std::vector<JoinedPart> parts, std::vector<Term>& facts);
  // What holds of all that there are and a text that is known.
  void tell_apart(const std::string& text, Term code, std::vector<Term>& facts);
  // Null: the term is none.
  const JoinedText* find(Term term) const;
  const std::vector<JoinedText>& all() const { return all_; }

 private:
  Terms& terms_;
  std::vector<JoinedText> all_;
  std::vector<std::pair<std::string, Term>> known_;  // texts and their codes
};

}  // namespace heddle::find
