// BodyReader: a routine's body in PL/pgSQL to a Block. The grammar is that of PostgreSQL's manual,
// "PL/pgSQL"; where a piece of SQL in it ends is told, as there, by the word that must follow.
//
// libpg_query has a parser of PL/pgSQL, too. It knows no types, refuses every cursor for that,
// names lines only, and ends the process on some texts; it serves as an oracle in tests.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/plpgsql/expression.h"
#include "frontend/plpgsql/scope.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/program.h"

namespace heddle::plpgsql {

// A body, and where its bytes stand in the file.
struct BodySource {
  std::string text;
  std::vector<std::size_t> offsets;  // of each byte, and of the end
  std::string_view file_text;
  std::string file;

  SourceLocation location(std::size_t offset) const;
};

class BodyReader {
 public:
  // `functionality` has its name and parameters; the reader adds variables and the body. `results`
  // are the OUT parameters. Columns are looked up in the program's schema, notes added to it.
  BodyReader(const BodySource& source, Functionality& functionality,
             const std::vector<std::string>& results, Program& program);

  Result<void> read();

  // A body of SQL statements only.
  Result<void> read_sql();

 private:
  using Words = std::vector<std::string_view>;

  // body_reader.cc: blocks and declarations
  bool read_block(Block& block, const std::string& label);
  void read_declarations(Block& block, bool inner);
  void read_declaration(Block& block, bool inner);
  void read_cursor_declaration(const std::string& name);
  void read_recoveries(Attempt& attempt);
  void read_statements(Block& block, const Words& ends);
  void read_statement(Block& block);
  void read_any_statement(Block& block);
  std::size_t connection_before(std::size_t token);
  bool read_control(const std::string& word, Block& block);
  std::string read_label();

  // body_control.cc: what steers
  void read_if(Block& block);
  void read_case(Block& block);
  void read_loop(Block& block, const std::string& label);
  void read_while(Block& block, const std::string& label);
  void read_for(Block& block, const std::string& label);
  void read_count_loop(Block& block, const std::string& label, const std::string& name);
  void read_row_loop(Block& block, const std::string& label, std::vector<Expression> into);
  void read_foreach(Block& block, const std::string& label);
  void read_leave(Block& block, bool next);
  void read_return(Block& block);
  void read_raise(Block& block);
  void read_raise_options(Raise& raise, Block& block);
  void read_loop_body(Block& body);
  void read_assert(Block& block);
  void read_null();

  // body_sql.cc: what touches the store, and values
  void read_assignment(Block& block);
  void read_perform(Block& block);
  void read_execute(Block& block);
  void read_get_diagnostics(Block& block);
  void read_open(Block& block);
  void read_fetch(Block& block, bool move);
  void read_close(Block& block);
  void bind_cursor_parameters(const Declared& cursor, Block& block);
  void read_sql_statement(Block& block);
  ProgramStatement bound(std::string_view text, std::size_t offset);
  void look_up(ProgramStatement& read, std::size_t offset);
  ProgramStatement dynamic(std::string_view text, std::size_t offset, Block& block);
  std::optional<ProgramStatement> with_pieces_as_values(const Expression& text,
                                                        const std::vector<Expression>& arguments,
                                                        std::size_t offset);
  // `type` is of the variable that what the store says of it is kept in.
  Expression value_of(std::string_view text, std::size_t offset, Block& block,
                      const std::string& type = "text");
  Expression condition_of(std::string_view text, std::size_t offset, Block& block) {
    return value_of(text, offset, block, "boolean");
  }
  std::vector<Expression> read_targets(bool& strict);
  std::optional<Expression> read_target();
  std::string text_of_string(std::size_t index) const;

  // Tokens.
  std::string word(std::size_t ahead = 0) const { return tokens_.word(at_ + ahead); }
  bool take_word(std::string_view word);
  bool take_symbol(char symbol);
  void expect_word(std::string_view word);
  void expect_symbol(char symbol);
  std::string take_name();
  // The index of the first of the words, or of `;` for "", outside of parentheses and CASE.
  std::size_t find_end(const Words& ends) const;
  std::size_t offset() const;
  std::string_view text_to(std::size_t end) const;

  template <class What>
  void add(Block& block, std::size_t offset, What what) {
    block.push_back({.source = source_.location(offset), .what = std::move(what)});
  }
  bool enter();
  void fail(std::string what, std::string what_to_do, std::size_t offset,
            Trouble trouble = Trouble::bad_input);
  void fail_here(std::string what);
  void note(std::string what, std::string how, std::size_t offset);
  std::string new_variable(const std::string& name, const std::string& type);
  std::string type_of(const Expression& value) const;

  const BodySource& source_;
  Functionality& functionality_;
  std::vector<std::string> parameters_;
  std::vector<std::string> results_;
  Program& program_;
  sql::Tokens tokens_;
  Names names_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t connection_ = 0;  // of what the statement under way asks the store
  std::optional<Diagnostic> trouble_;
};

// What a literal says: it's for 'it''s'.
std::string string_value(std::string_view token);

// "END or EXCEPTION"
std::string to_upper_words(const std::vector<std::string_view>& words);

}  // namespace heddle::plpgsql
