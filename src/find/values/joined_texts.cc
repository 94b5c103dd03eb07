#include "find/values/joined_texts.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace heddle::find {

namespace {

std::string_view first_words(const JoinedText& text) { return text.parts.front().words; }
std::string_view last_words(const JoinedText& text) { return text.parts.back().words; }

bool is_one_the_beginning(std::string_view a, std::string_view b) {
  return a.starts_with(b) || b.starts_with(a);
}

bool is_one_the_end(std::string_view a, std::string_view b) {
  return a.ends_with(b) || b.ends_with(a);
}

bool always_differ(const JoinedText& a, const JoinedText& b) {
  return !is_one_the_beginning(first_words(a), first_words(b)) ||
         !is_one_the_end(last_words(a), last_words(b));
}

bool always_differ(const JoinedText& joined, std::string_view text) {
  std::size_t least = 0;
  for (const JoinedPart& part : joined.parts) least += part.words.size();
  return text.size() < least || !text.starts_with(first_words(joined)) ||
         !text.ends_with(last_words(joined));
}

// What differs in texts that are joined in another way.
std::string shape_of(const std::vector<JoinedPart>& parts) {
  std::string shape;
  for (const JoinedPart& part : parts) {
    shape += part.value ? (part.is_number ? "|#" : "|$") : fmt::format("|'{}'", part.words);
  }
  return shape;
}

}  // namespace

Term JoinedTexts::join(std::vector<JoinedPart> parts, std::vector<Term>& facts) {
  const std::string shape = shape_of(parts);
  std::vector<Term> values;
  for (const JoinedPart& part : parts) {
    if (part.value) values.push_back(*part.value);
  }
  const Term term = terms_.apply("join" + shape, smt::Sort::integer, values);
  if (find(term) != nullptr) return term;
  if (values.size() == 1) {
    const Term part = terms_.apply("part" + shape, terms_.sort(values[0]), {term});
    facts.push_back(terms_.equal(part, values[0]));
  }
  JoinedText joined{.term = term, .parts = std::move(parts)};
  for (const JoinedText& other : all_) {
    if (always_differ(joined, other)) {
      facts.push_back(terms_.negate(terms_.equal(term, other.term)));
    }
  }
  for (const auto& [text, code] : known_) {
    if (always_differ(joined, text)) facts.push_back(terms_.negate(terms_.equal(term, code)));
  }
  all_.push_back(std::move(joined));
  return term;
}

void JoinedTexts::tell_apart(const std::string& text, Term code, std::vector<Term>& facts) {
  known_.emplace_back(text, code);
  for (const JoinedText& joined : all_) {
    if (always_differ(joined, text)) {
      facts.push_back(terms_.negate(terms_.equal(joined.term, code)));
    }
  }
}

const JoinedText* JoinedTexts::find(Term term) const {
  const auto found =
      std::ranges::find_if(all_, [&](const JoinedText& joined) { return joined.term == term; });
  return found == all_.end() ? nullptr : &*found;
}

}  // namespace heddle::find
