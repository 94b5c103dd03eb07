// Branches, loops, and what leaves them.
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/plpgsql/body_reader.h"
#include "frontend/plpgsql/scope.h"

namespace heddle::plpgsql {

namespace {}  // namespace

// IF c THEN ... {ELSIF c THEN ...} [ELSE ...] END IF; the rest of the chain is the ELSE of the
// first, so that what the condition of an ELSIF asks the store happens there.
void BodyReader::read_if(Block& block) {
  if (!enter()) return;
  const std::size_t begin = offset();
  ++at_;
  const std::size_t condition_begin = offset();
  const std::size_t end = find_end({"then"});
  Branch branch{
      .condition = condition_of(text_to(end), condition_begin, block), .then = {}, .otherwise = {}};
  at_ = end;
  expect_word("then");
  read_statements(branch.then, {"elsif", "elseif", "else", "end"});
  const bool chained = word() == "elsif" || word() == "elseif";
  if (chained) {
    read_if(branch.otherwise);
  } else {
    if (take_word("else")) read_statements(branch.otherwise, {"end"});
    expect_word("end");
    expect_word("if");
    expect_symbol(';');
  }
  add(block, begin, std::move(branch));
  --depth_;
}

// CASE [x] WHEN a [, b] THEN ... [ELSE ...] END CASE; without ELSE no match is an error.
void BodyReader::read_case(Block& block) {
  if (!enter()) return;
  const std::size_t begin = offset();
  ++at_;
  std::optional<Expression> tested;
  if (word() != "when") {
    const std::size_t tested_begin = offset();
    const std::size_t end = find_end({"when"});
    // Repeated in each comparison, where it keeps its type.
    tested = value_of(text_to(end), tested_begin, block);
    at_ = end;
  }
  Block* rest = &block;
  while (!trouble_ && take_word("when")) {
    const std::size_t arm_begin = offset();
    std::vector<Expression> alternatives;
    do {
      const std::size_t value_begin = offset();
      const std::size_t end = find_end({"then", ","});
      Expression value = value_of(text_to(end), value_begin, *rest, tested ? "text" : "boolean");
      at_ = end;
      alternatives.push_back(tested ? call("=", {*tested, std::move(value)}) : std::move(value));
    } while (take_symbol(','));
    expect_word("then");
    Branch branch{.condition = alternatives.size() == 1 ? std::move(alternatives.front())
                                                        : call("or", std::move(alternatives)),
                  .then = {},
                  .otherwise = {}};
    read_statements(branch.then, {"when", "else", "end"});
    add(*rest, arm_begin, std::move(branch));
    rest = &std::get<Branch>(rest->back().what).otherwise;
  }
  if (take_word("else")) {
    read_statements(*rest, {"end"});
  } else {
    add(*rest, begin, Raise{.condition = "case_not_found", .message = "", .values = {}});
  }
  expect_word("end");
  expect_word("case");
  expect_symbol(';');
  --depth_;
}

void BodyReader::read_loop_body(Block& body) {
  if (!enter()) return;
  expect_word("loop");
  read_statements(body, {"end"});
  expect_word("end");
  expect_word("loop");
  if (!trouble_ && !tokens_.is_symbol(at_, ';')) take_name();
  expect_symbol(';');
  --depth_;
}

void BodyReader::read_loop(Block& block, const std::string& label) {
  const std::size_t begin = offset();
  Loop loop{.condition = std::nullopt, .body = {}, .label = label};
  read_loop_body(loop.body);
  add(block, begin, std::move(loop));
}

// What the condition asks the store is asked each time.
void BodyReader::read_while(Block& block, const std::string& label) {
  const std::size_t begin = offset();
  ++at_;
  const std::size_t condition_begin = offset();
  const std::size_t end = find_end({"loop"});
  Loop loop{.condition = std::nullopt, .body = {}, .label = label};
  Expression condition = condition_of(text_to(end), condition_begin, loop.body);
  at_ = end;
  if (loop.body.empty()) {
    loop.condition = std::move(condition);
  } else {
    Branch leaves{.condition = call("not", {std::move(condition)}), .then = {}, .otherwise = {}};
    add(leaves.then, begin, LeaveLoop{});
    add(loop.body, begin, std::move(leaves));
  }
  read_loop_body(loop.body);
  add(block, begin, std::move(loop));
}

// FOR i IN a .. b, FOR row IN query, FOR row IN EXECUTE text, FOR row IN cursor
void BodyReader::read_for(Block& block, const std::string& label) {
  const std::size_t begin = at_;
  ++at_;
  const std::size_t in = find_end({"in"});
  std::size_t range = in;
  const std::size_t end = find_end({"loop"});
  while (range + 1 < end && !(tokens_.is_symbol(range, '.') && tokens_.is_symbol(range + 1, '.'))) {
    ++range;
  }
  if (range + 1 < end && in < end) {
    const std::string name = take_name();
    expect_word("in");
    return read_count_loop(block, label, name);
  }
  std::vector<Expression> into;
  do {
    auto target = read_target();
    if (!target) {
      at_ = begin;
      return fail_here("FOR goes through rows into variables that are declared; a name is missing");
    }
    into.push_back(std::move(*target));
  } while (take_symbol(','));
  expect_word("in");
  read_row_loop(block, label, std::move(into));
}

void BodyReader::read_count_loop(Block& block, const std::string& label, const std::string& name) {
  const std::size_t begin = offset();
  CountLoop loop{
      .variable = "", .first = {}, .last = {}, .step = std::nullopt, .body = {}, .label = label};
  loop.reverse = take_word("reverse");
  const std::size_t first = offset();
  std::size_t dots = at_;
  while (!(tokens_.is_symbol(dots, '.') && tokens_.is_symbol(dots + 1, '.'))) ++dots;
  loop.first = value_of(text_to(dots), first, block, "integer");
  at_ = dots + 2;
  const std::size_t last = offset();
  std::size_t end = find_end({"loop", "by"});
  loop.last = value_of(text_to(end), last, block, "integer");
  at_ = end;
  if (take_word("by")) {
    const std::size_t step = offset();
    end = find_end({"loop"});
    loop.step = value_of(text_to(end), step, block, "integer");
    at_ = end;
  }
  names_.enter(label);
  std::vector<Variable> own;  // the loop declares it
  loop.variable = names_.declare(name, "integer", own).unique;
  read_loop_body(loop.body);
  names_.leave();
  add(block, begin, std::move(loop));
}

void BodyReader::read_row_loop(Block& block, const std::string& label,
                               std::vector<Expression> into) {
  const std::size_t begin = offset();
  RowLoop loop{.into = std::move(into), .statement = {}, .body = {}, .label = label};
  const Declared* cursor =
      at_ < tokens_.size() ? names_.find(to_lower(tokens_.text(at_))) : nullptr;
  if (take_word("execute")) {
    const std::size_t end = find_end({"loop"});
    loop.statement = dynamic(text_to(end), begin, block);
    at_ = end;
  } else if (cursor != nullptr && cursor->is_cursor && !cursor->query.empty()) {
    const Declared known = *cursor;
    ++at_;
    bind_cursor_parameters(known, block);
    loop.statement = bound(known.query, known.offset);
  } else {
    const std::size_t end = find_end({"loop"});
    loop.statement = bound(text_to(end), begin);
    at_ = end;
  }
  read_loop_body(loop.body);
  add(block, begin, std::move(loop));
}

void BodyReader::read_foreach(Block& block, const std::string& label) {
  const std::size_t begin = offset();
  ++at_;
  ElementLoop loop{.variable = "", .array = {}, .body = {}, .label = label};
  auto target = read_target();
  if (!target || target->kind != ExpressionKind::variable) {
    return fail_here("FOREACH needs a variable that is declared");
  }
  loop.variable = target->text;
  if (take_word("slice")) return fail_here("FOREACH with SLICE cannot be read");
  expect_word("in");
  expect_word("array");
  const std::size_t array = offset();
  const std::size_t end = find_end({"loop"});
  loop.array = value_of(text_to(end), array, block);
  at_ = end;
  read_loop_body(loop.body);
  add(block, begin, std::move(loop));
}

// {EXIT | CONTINUE} [label] [WHEN c]
void BodyReader::read_leave(Block& block, bool next) {
  const std::size_t begin = offset();
  ++at_;
  LeaveLoop leave{.next = next, .label = ""};
  if (!trouble_ && word() != "when" && !tokens_.is_symbol(at_, ';')) leave.label = take_name();
  if (take_word("when")) {
    const std::size_t condition = offset();
    const std::size_t end = find_end({""});
    Branch branch{
        .condition = condition_of(text_to(end), condition, block), .then = {}, .otherwise = {}};
    at_ = end;
    add(branch.then, begin, std::move(leave));
    add(block, begin, std::move(branch));
  } else {
    add(block, begin, std::move(leave));
  }
  expect_symbol(';');
}

// RETURN [x], RETURN NEXT [x], RETURN QUERY query, RETURN QUERY EXECUTE text
void BodyReader::read_return(Block& block) {
  const std::size_t begin = offset();
  ++at_;
  if (take_word("query")) {
    const std::size_t query = offset();
    const bool is_dynamic = take_word("execute");
    const std::size_t end = find_end({""});
    RunStatement run{
        .statement = is_dynamic ? dynamic(text_to(end), query, block) : bound(text_to(end), query),
        .into = {},
        .strict = false,
        .returned = true};
    at_ = end;
    add(block, begin, std::move(run));
    return expect_symbol(';');
  }
  const bool next = take_word("next");
  std::vector<Expression> values;
  if (!tokens_.is_symbol(at_, ';')) {
    const std::size_t value = offset();
    const std::size_t end = find_end({""});
    Expression result = value_of(text_to(end), value, block);
    at_ = end;
    if (result.kind == ExpressionKind::call && result.text == "row") {
      values = std::move(result.operands);
    } else {
      values.push_back(std::move(result));
    }
  } else {
    for (const std::string& result : results_) values.push_back(variable(result));
  }
  if (next) {
    add(block, begin, ReturnRow{std::move(values)});
  } else {
    add(block, begin, Return{std::move(values)});
  }
  expect_symbol(';');
}

// RAISE [level] ['format' [, x ...] | condition | SQLSTATE 'x'] [USING option = x, ...]
void BodyReader::read_raise(Block& block) {
  const std::size_t begin = offset();
  ++at_;
  const std::string level = word();
  const bool ends = level != "notice" && level != "info" && level != "warning" && level != "log" &&
                    level != "debug";
  if (!ends || level == "exception") ++at_;
  Raise raise;
  if (at_ < tokens_.size() && tokens_[at_].kind == sql::TokenKind::string) {
    raise.message = text_of_string(at_++);
    while (take_symbol(',')) {
      const std::size_t value = offset();
      const std::size_t end = find_end({"", ",", "using"});
      raise.values.push_back(value_of(text_to(end), value, block));
      at_ = end;
    }
  } else if (take_word("sqlstate")) {
    raise.condition = text_of_string(at_++);
  } else if (!trouble_ && !tokens_.is_symbol(at_, ';') && word() != "using") {
    raise.condition = take_name();
  }
  if (take_word("using")) read_raise_options(raise, block);
  expect_symbol(';');
  if (ends) add(block, begin, std::move(raise));
}

void BodyReader::read_raise_options(Raise& raise, Block& block) {
  do {
    const std::string option = take_name();
    if (!take_symbol('=')) {
      expect_symbol(':');
      expect_symbol('=');
    }
    const std::size_t value_begin = offset();
    const std::size_t end = find_end({"", ","});
    const bool is_text = end == at_ + 1 && tokens_[at_].kind == sql::TokenKind::string;
    if (is_text && option == "errcode") raise.condition = text_of_string(at_);
    if (is_text && option == "message") raise.message = text_of_string(at_);
    if (is_text && option == "hint") raise.exception = text_of_string(at_);
    if (!is_text) value_of(text_to(end), value_begin, block);
    at_ = end;
  } while (take_symbol(','));
}

// ASSERT condition [, message]
void BodyReader::read_assert(Block& block) {
  const std::size_t begin = offset();
  ++at_;
  const std::size_t condition = offset();
  std::size_t end = find_end({"", ","});
  Branch branch{.condition = call("not", {condition_of(text_to(end), condition, block)}),
                .then = {},
                .otherwise = {}};
  at_ = end;
  if (take_symbol(',')) at_ = find_end({""});
  add(branch.then, begin, Raise{.condition = "assert_failure", .message = "", .values = {}});
  add(block, begin, std::move(branch));
  expect_symbol(';');
}

}  // namespace heddle::plpgsql
