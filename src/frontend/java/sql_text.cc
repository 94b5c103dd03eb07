#include "frontend/java/sql_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::java {

namespace {

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_graph_letter(char c) { return std::isgraph(static_cast<unsigned char>(c)) != 0; }

}  // namespace

Result<std::vector<Statement>> parse_once(const std::string& text) {
  constexpr std::size_t kMostTexts = 1'000;
  static thread_local std::unordered_map<std::string, Result<std::vector<Statement>>> known;
  if (const auto found = known.find(text); found != known.end()) return found->second;
  Result<std::vector<Statement>> parsed = parse_statements(text, Dialect::postgres);
  if (known.size() >= kMostTexts) known.clear();
  known.emplace(text, parsed);
  return parsed;
}

SqlText::SqlText(const Text& text, const Schema& schema) : schema_(schema) {
  for (const Piece& piece : text) {
    if (piece.value) {
      add_value(piece);
    } else {
      add_words(piece.words);
    }
  }
}

void SqlText::add_place(Place place) {
  places_.push_back(std::move(place));
  parts_.emplace_back();
}

// E'...' of PostgreSQL.
bool SqlText::begins_escapes(char quote) const {
  const std::string& before = parts_.back();
  if (quote != '\'' || schema_.dialect != Dialect::postgres || before.empty()) return false;
  const bool is_marked = before.back() == 'e' || before.back() == 'E';
  return is_marked && (before.size() == 1 || !is_word_letter(before[before.size() - 2]));
}

// Where the comment that begins there ends; there: none does.
std::size_t SqlText::end_of_comment(const std::string& words, std::size_t begin) const {
  const std::string_view rest = std::string_view(words).substr(begin);
  const bool is_mysql = schema_.dialect == Dialect::mysql;
  const bool is_dashed =
      rest.starts_with("--") && (!is_mysql || rest.size() == 2 || !is_graph_letter(rest[2]));
  if (is_dashed || (is_mysql && rest.starts_with('#'))) {
    return std::min(words.find('\n', begin), words.size());
  }
  if (!rest.starts_with("/*")) return begin;
  const bool is_nested = schema_.dialect == Dialect::postgres;
  std::size_t depth = 1;
  std::size_t at = begin + 2;
  while (at < words.size() && depth > 0) {
    const std::string_view here = std::string_view(words).substr(at, 2);
    const bool ends = here == "*/";
    if (ends) --depth;
    if (is_nested && here == "/*") ++depth;
    at += ends || (is_nested && here == "/*") ? 2 : 1;
  }
  return at;
}

// 'abc' || $1 || 'def' for a value in quotes, and $1 for one that is all that is in them.
void SqlText::add_words(const std::string& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    if (after_value_) {
      after_value_ = false;
      if (c == quote_) {
        quote_ = '\0';
        continue;
      }
      parts_.back() += " || '";
    }
    if (quote_ != '\0') {
      parts_.back() += c;
      if (is_escaped_) {
        is_escaped_ = false;
      } else if (c == '\\' && takes_escapes_) {
        is_escaped_ = true;
      } else if (c == quote_) {
        quote_ = '\0';
      }
      continue;
    }
    // A quote or a question mark in a comment is none.
    if (const std::size_t end = end_of_comment(words, i); end > i) {
      parts_.back() += words.substr(i, end - i);
      i = end - 1;
      continue;
    }
    if (c == '\'' || c == '"' || c == '`') {
      quote_ = c;
      has_backtick_ = has_backtick_ || c == '`';
      takes_escapes_ = c != '`' && (schema_.dialect == Dialect::mysql || begins_escapes(c));
    }
    if (c == '?') {
      add_place({.number = ++parameters_, .value = {}, .is_string = false, .is_list = false});
    } else {
      parts_.back() += c;
    }
  }
}

// Whether the text so far ends with IN ( and parameters.
bool SqlText::ends_in_list() const {
  std::size_t part = parts_.size() - 1;
  while (part > 0 && parts_[part].find_first_not_of(", ") == std::string::npos) --part;
  const std::string folded = to_lower(trim(parts_[part]));
  return folded.ends_with('(') &&
         trim(std::string_view(folded).substr(0, folded.size() - 1)).ends_with("in");
}

void SqlText::add_value(const Piece& piece) {
  std::string& before = parts_.back();
  Place place;
  place.value = piece.value;
  if (quote_ == '\'') {
    if (after_value_) {
      before += " || ";
    } else if (before.ends_with('\'')) {
      before.pop_back();
    } else {
      before += "' || ";
    }
    after_value_ = true;
    place.is_quoted = true;
    place.may_end_quote = piece.is_string;
  } else {
    place.is_list = piece.is_string && ends_in_list();
    place.is_string = piece.is_string;
    place.type = piece.type;
  }
  add_place(std::move(place));
}

namespace {

// A constant has PostgreSQL's form, in whose texts a backslash is a letter like others.
std::string literal_in_text(const Expression& value, bool has_escapes) {
  if (value.text.starts_with('-')) return " " + value.text;
  if (!has_escapes || !value.text.starts_with('\'')) return value.text;
  std::string text;
  for (const char c : value.text) text += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return text;
}

// One blank for any blanks and comments.
std::string in_one_line(const std::string& text) {
  const sql::Tokens tokens(text);
  std::string line;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && tokens[i - 1].offset + tokens[i - 1].size < tokens[i].offset) line += ' ';
    line += tokens.text(i);
  }
  return line;
}

}  // namespace

// The places that a list takes: its text, and the parameters before it in the same parentheses.
std::vector<bool> SqlText::find_list() const {
  std::vector<bool> in_list(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!places_[i].is_list) continue;
    std::size_t first = i;
    while (first > 0 && !places_[first - 1].value &&
           parts_[first].find_first_not_of(", ") == std::string::npos) {
      --first;
    }
    for (std::size_t j = first; j <= i; ++j) in_list[j] = true;
  }
  return in_list;
}

// Whether a value at a place becomes a part of a name: archive_ and a year.
bool SqlText::is_in_name(std::size_t place) const {
  const std::string& before = parts_[place];
  const std::string& after = parts_[place + 1];
  if (!places_[place].value || places_[place].is_quoted) return false;
  return (!before.empty() && is_word_letter(before.back())) ||
         (!after.empty() && is_word_letter(after.front()));
}

std::optional<SqlText::Made> SqlText::make(const std::vector<Expression>& values) const {
  if (has_backtick_ || schema_.dialect != Dialect::postgres) return std::nullopt;
  Made made;
  Text text = words(parts_[0]);
  std::string guess = parts_[0];
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const bool is_text = place.value && !place.is_quoted;
    if (is_text) {
      heddle::java::append(
          text,
          {Piece{
              .words = "", .value = values[i], .is_string = place.is_string, .choice = nullptr}});
      guess += "heddle";
    } else {
      made.arguments.push_back(values[i]);
      const std::string parameter = "$" + std::to_string(made.arguments.size());
      heddle::java::append(text, words(parameter));
      guess += parameter;
    }
    heddle::java::append(text, words(parts_[i + 1]));
    guess += parts_[i + 1];
  }
  made.text = text_value(text);
  auto statements = parse_once(guess);
  if (statements && statements->size() == 1) made.guess = std::move(statements->front());
  return made;
}

namespace {

// The text with those of its parameters put into it that are pieces of text.
Expression made_of(const std::string& text, const std::vector<Expression>& arguments,
                   const std::set<std::string>& pieces) {
  const sql::Tokens tokens(text);
  Text made;
  std::size_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string token(tokens.text(i));
    if (tokens[i].kind != sql::TokenKind::parameter || !pieces.contains(token)) continue;
    heddle::java::append(made, words(text.substr(done, tokens[i].offset - done)));
    const std::size_t number = std::stoul(token.substr(1));
    made.push_back(
        {.words = "", .value = arguments.at(number - 1), .is_string = true, .choice = nullptr});
    done = tokens[i].offset + tokens[i].size;
  }
  heddle::java::append(made, words(text.substr(done)));
  return text_value(made);
}

Result<Statement> only_statement(const std::string& text) {
  if (std::ranges::none_of(text, [](unsigned char c) { return std::isalpha(c) != 0; })) {
    return Diagnostic{.what = "the text of the statement is not known here"};
  }
  auto statements = parse_once(text);
  if (!statements) {
    return Diagnostic{.what = fmt::format("the text \"{}\" is not SQL: {}", text.substr(0, 60),
                                          statements.error().what)};
  }
  if (statements->size() != 1) {
    return Diagnostic{.what =
                          fmt::format("the text \"{}\" is not one statement", text.substr(0, 60))};
  }
  return std::move(statements->front());
}

}  // namespace

// The first constant or the like that is put into the text and not known.
std::string SqlText::name_not_known() const {
  for (const Place& place : places_) {
    const bool is_name = place.is_string && place.value &&
                         place.value->kind == ExpressionKind::unknown &&
                         place.value->text.find('.') != std::string::npos &&
                         place.value->text.find_first_of(" (") == std::string::npos;
    if (is_name) return place.value->text;
  }
  return "";
}

Result<SqlText::Finished> SqlText::finish(const std::vector<Expression>& values,
                                          bool with_list) const {
  Finished result;
  std::string text;
  std::set<std::string> pieces;  // parameters that stand for text
  std::vector<Expression> arguments;
  const std::vector<bool> in_list = with_list ? find_list() : std::vector<bool>(places_.size());
  const bool is_foreign = has_backtick_ || schema_.dialect != Dialect::postgres;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::string part = parts_[i];
    const bool is_list = i < places_.size() && places_[i].is_list && with_list;
    const bool begins_list = i < places_.size() && in_list[i] && (i == 0 || !in_list[i - 1]);
    if (begins_list) {
      const std::string folded = to_lower(part);
      part = part.substr(0, folded.rfind("in")) + "= ANY(";
    }
    if (begins_list || i == 0 || !in_list[i - 1] || i == places_.size() || !in_list[i]) {
      text += part;
    }
    if (i == places_.size()) break;
    if (in_list[i] && !is_list) continue;
    if (values[i].kind == ExpressionKind::literal) {
      text += literal_in_text(values[i], is_foreign && schema_.dialect != Dialect::sqlite);
      continue;
    }
    if (is_in_name(i)) {
      return Diagnostic{.what = fmt::format("a name in the text \"{}\" is made while it runs",
                                            trim(parts_[0]).substr(0, 60))};
    }
    arguments.push_back(values[i]);
    text += is_foreign ? "?" : "$" + std::to_string(arguments.size());
    const bool is_piece = places_[i].is_string && !is_list;
    if (is_piece || places_[i].may_end_quote) {
      std::string name = print_expression(*places_[i].value);
      std::erase(name, '"');
      if (is_piece) pieces.insert("$" + std::to_string(arguments.size()));
      result.approximated.push_back("SQL text that is put together from \"" + name +
                                    "\" while it runs");
    }
  }
  while (!text.empty() && (text.back() == ';' || text.back() == ' ' || text.back() == '\n')) {
    text.pop_back();
  }
  if (is_foreign) {
    const Dialect from = schema_.dialect == Dialect::postgres ? Dialect::mysql : schema_.dialect;
    Result<PrintedStatement> printed = print_statement(text, from, Dialect::postgres, &schema_);
    if (!printed) return printed.error();
    text = printed->text;
    std::vector<Expression> ordered;
    for (const std::size_t number : printed->parameters) {
      if (number > 0 && number <= arguments.size()) ordered.push_back(arguments[number - 1]);
    }
    arguments = std::move(ordered);
  }
  text = in_one_line(text);
  Result<Statement> statement = only_statement(text);
  if (!statement) {
    if (const std::string name = name_not_known(); !name.empty()) {
      return Diagnostic{.what =
                            fmt::format("the text \"{}\" has {} in the place of a name, whose "
                                        "source is not here",
                                        std::string(trim(parts_[0]).substr(0, 60)) + " ...", name)};
    }
    return statement.error();
  }
  if (!pieces.empty() && !is_foreign) result.made_text = made_of(text, arguments, pieces);
  result.statement = std::move(*statement);
  result.arguments = std::move(arguments);
  return result;
}

}  // namespace heddle::java
