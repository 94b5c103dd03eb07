// SQL text as code puts it together: known words, parameters and values in between.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/java/value.h"
#include "heddle/result.h"
#include "heddle/statement.h"

namespace heddle::java {

// What parse_statements() says of a text in PostgreSQL's dialect. Each thread remembers the last
// ones: code that is called from many places runs the same statements in each of them.
Result<std::vector<Statement>> parse_once(const std::string& text);

class SqlText {
 public:
  // A place for a value.
  struct Place {
    std::size_t number = 0;           // of a `?`, from 1
    std::optional<Expression> value;  // of a value that is part of the text
    std::string type = {};            // Java's, of a number in it
    bool is_string = false;           // and whether that is a string outside of quotes
    bool is_list = false;             // the only thing in the parentheses of IN
    bool is_quoted = false;           // in quotes
    bool may_end_quote = false;       // a string in quotes: it may have one itself
  };
  struct Finished {
    Statement statement;
    std::vector<Expression> arguments;
    std::vector<std::string> approximated;
    std::optional<Expression> made_text;  // where some of the arguments are text of the statement
  };

  // `schema` outlives this. REQUIRES: no piece is a choice.
  SqlText(const Text& text, const Schema& schema);

  void append(const std::string& words) { add_words(words); }
  const std::vector<Place>& places() const { return places_; }
  // The text as it is made while the code runs, where no statement can be said before: what is
  // outside of quotes is text, all else `$1`, `$2`, ... None: not of a text of this dialect.
  struct Made {
    Expression text;
    std::vector<Expression> arguments;
    std::optional<Statement> guess;  // with a name in place of each such text
  };
  std::optional<Made> make(const std::vector<Expression>& values) const;
  // The statement, with a value for each place: constants, variables or fields. `with_list`: the
  // value of a list is an array.
  Result<Finished> finish(const std::vector<Expression>& values, bool with_list) const;

 private:
  std::string name_not_known() const;
  void add_words(const std::string& words);
  void add_value(const Piece& piece);
  void add_place(Place place);
  bool begins_escapes(char quote) const;
  std::size_t end_of_comment(const std::string& words, std::size_t begin) const;
  bool ends_in_list() const;
  std::vector<bool> find_list() const;
  bool is_in_name(std::size_t place) const;

  std::vector<std::string> parts_ = {""};  // between the places
  std::vector<Place> places_;
  std::size_t parameters_ = 0;
  char quote_ = '\0';           // the quote that is open
  bool takes_escapes_ = false;  // then: whether a backslash escapes what comes next
  bool is_escaped_ = false;     // which is the case
  bool after_value_ = false;    // a value stands in the open quotes, just before
  bool has_backtick_ = false;
  const Schema& schema_;
};

}  // namespace heddle::java
