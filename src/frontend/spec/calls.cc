#include "frontend/spec/calls.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/block_positions.h"
#include "frontend/spec/text/sql_token.h"
#include "heddle/interpret.h"
#include "program/redis_commands.h"

namespace heddle {

namespace {

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// 12, -3.50, .5, 1e-3
bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = skip_digits(text, 0);
  std::size_t at = whole;
  std::size_t digits = whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = skip_digits(text, at + 1);
    digits += end - at - 1;
    at = end;
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t end = skip_digits(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

// The value of '...' in which '' is a quote; none: it is something else.
std::optional<std::string> string_value(std::string_view text) {
  constexpr char kQuote = '\'';
  if (text.size() < 2 || text.front() != kQuote || text.back() != kQuote) return std::nullopt;
  std::string value;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    value += text[i];
    if (text[i] != kQuote) continue;
    ++i;
    if (i + 1 >= text.size() || text[i] != kQuote) return std::nullopt;
  }
  return value;
}

// None: no literal. Inner none: NULL.
std::optional<std::optional<std::string>> literal_value(std::string_view text) {
  if (equal_ignoring_case(text, "null")) return std::optional<std::string>();
  const bool is_truth = equal_ignoring_case(text, "true") || equal_ignoring_case(text, "false");
  if (is_truth) return to_lower(text);
  if (is_number(text)) return std::string(text.substr(text.starts_with('+') ? 1 : 0));
  if (auto string = string_value(text)) return *std::move(string);
  return std::nullopt;
}

// A piece of a block without the white space and comments around it.
struct Piece {
  std::string_view text;
  std::size_t offset = 0;
};

class CallReader {
 public:
  CallReader(const SqlBlock& block, const Scenario& scenario)
      : block_(block), scenario_(scenario), program_(scenario.program->program) {}

  Result<Call> read() {
    if (auto split = split_pieces(); !split) return split.error();
    Call call;
    call.text = block_;
    auto functionality = find_functionality();
    if (!functionality) return functionality.error();
    call.functionality = *functionality;
    for (const Piece& piece : arguments_) {
      auto value = literal_value(piece.text);
      if (!value) return no_literal(piece);
      call.arguments.push_back(*std::move(value));
    }
    if (auto fit = check_arguments(call); !fit) return fit.error();
    return call;
  }

 private:
  // NAME ( PIECE, ... )
  Result<void> split_pieces() {
    enum class Stage : std::uint8_t { name, arguments, behind } stage = Stage::name;
    Piece piece;
    int depth = 0;
    for (std::size_t at = 0; at < block_.text.size();) {
      const SqlToken token = sql_token_at(block_.text, at);
      const std::size_t offset = std::exchange(at, at + token.text.size());
      const bool is_blank =
          token.kind == SqlToken::Kind::space || token.kind == SqlToken::Kind::comment;
      if (is_blank || (stage == Stage::behind && token.text == ";")) continue;
      if (stage == Stage::behind) return error(offset, "a call ends here", kForm);
      if (stage == Stage::name && token.text == "(") {
        name_ = std::exchange(piece, {});
        stage = Stage::arguments;
      } else if (depth == 0 && stage == Stage::arguments &&
                 (token.text == "," || token.text == ")")) {
        const bool is_empty = piece.text.empty();
        const bool is_only = token.text == ")" && arguments_.empty();
        if (is_empty && !is_only) return error(offset, "an argument is missing here", kForm);
        if (!is_empty) arguments_.push_back(std::exchange(piece, {}));
        if (token.text == ")") stage = Stage::behind;
      } else {
        depth += token.text == "(" ? 1 : token.text == ")" ? -1 : 0;
        if (piece.text.empty()) piece.offset = offset;
        piece.text = std::string_view(block_.text).substr(piece.offset, at - piece.offset);
      }
    }
    if (stage == Stage::behind && !name_.text.empty()) return {};
    return error(0, "this is no call", kForm);
  }

  Result<std::size_t> find_functionality() const {
    const std::string name = fold_name(name_.text, Dialect::postgres);
    std::vector<std::string> names;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < program_.functionalities.size(); ++i) {
      names.push_back(program_.functionalities[i].name);
      if (names.back() == name) found.push_back(i);
    }
    if (found.empty()) return unknown_functionality(name, names);
    std::erase_if(found, [&](std::size_t i) {
      return found.size() > 1 && program_.functionalities[i].parameters.size() != arguments_.size();
    });
    if (found.size() == 1) return found.front();
    return error(name_.offset,
                 fmt::format("the program has {} functionalities \"{}\" that could be meant",
                             found.empty() ? "several" : std::to_string(found.size()), name),
                 "give the one that you mean a name of its own");
  }

  Diagnostic unknown_functionality(const std::string& name,
                                   const std::vector<std::string>& names) const {
    return error(name_.offset, fmt::format("the program has no functionality \"{}\"", name),
                 advise_names(name, names, "call one of those that the program has"));
  }

  Diagnostic no_literal(const Piece& piece) const {
    return error(piece.offset, fmt::format("{} is no literal", piece.text),
                 "write a number, a text in single quotes, true, false or NULL; an array is a "
                 "text: '{1,2}'");
  }

  // The interpreter looks at them before it asks for the first statement.
  Result<void> check_arguments(const Call& call) const {
    class NoStore : public StatementRunner {
     public:
      bool was_asked = false;
      Result<StatementResult> run(const ProgramStatement& /*statement*/,
                                  const std::vector<ClientValue>& /*values*/) override {
        return refuse();
      }
      Result<StatementResult> cross(Boundary /*boundary*/, const std::string& /*savepoint*/,
                                    std::size_t /*connection*/) override {
        return refuse();
      }

     private:
      Result<StatementResult> refuse() {
        was_asked = true;
        return Diagnostic{.what = "there is no store"};
      }
    } store;
    const Functionality& functionality = program_.functionalities[call.functionality];
    const auto run = interpret(program_, functionality, call.arguments, store,
                               {.unknown_value = {}, .max_steps = 0});
    if (run || store.was_asked || run.error().trouble == Trouble::bound) return {};
    const bool fits = arguments_.size() == functionality.parameters.size() && !arguments_.empty();
    return error(fits ? arguments_.front().offset : name_.offset, run.error().what,
                 run.error().what_to_do);
  }

  Diagnostic error(std::size_t offset, std::string what, std::string what_to_do) const {
    return {std::move(what), std::move(what_to_do), scenario_.file,
            BlockPositions(block_).at(offset)};
  }

  static constexpr const char* kForm = "write for example: call { transfer(1, 'x', NULL) }";

  const SqlBlock& block_;
  const Scenario& scenario_;
  const Program& program_;
  Piece name_;
  std::vector<Piece> arguments_;
};

// Beside the database.
bool has_redis(const Scenario& scenario) {
  return scenario.stores.size() > 1 &&
         std::ranges::any_of(scenario.stores, [](const StoreDeclaration& store) {
           return store.kind == program::kRedisStore;
         });
}

std::optional<Schema> tables_of(const Scenario& scenario) {
  std::string texts;
  for (const SqlBlock& setup : scenario.setups) {
    if (setup.store == 0) texts += setup.text + ";\n";
  }
  Schema schema = parse_schema(texts, Dialect::postgres).schema;
  if (has_redis(scenario) &&
      find_table(schema, std::string(program::kRedisStore), Dialect::postgres) == nullptr) {
    schema.tables.push_back(program::redis_table());
  }
  return schema.tables.empty() ? std::nullopt : std::optional(std::move(schema));
}

}  // namespace

Result<std::shared_ptr<const ScenarioProgram>> read_scenario_program(const SqlBlock& text,
                                                                     const Scenario& scenario) {
  // In front of the text as much white space as makes its lines and columns those of the file.
  const SourcePosition begin = text.position;
  const std::string before = std::string(std::max(begin.line, 1U) - 1, '\n') +
                             std::string(std::max(begin.column, 1U) - 1, ' ');
  ProgramOptions options;
  options.tables = tables_of(scenario);
  auto program = parse_program({{scenario.file, before + text.text}}, options);
  if (!program) {
    Diagnostic error = program.error();
    if (error.position.line == 0) error.position = begin;
    if (error.what_to_do.empty()) error.what_to_do = "mend the program";
    return error;
  }
  if (program::has_redis_table(program->schema)) program::mark_redis_commands(*program);
  return std::make_shared<const ScenarioProgram>(ScenarioProgram{text, std::move(*program)});
}

Result<Call> read_call(const SqlBlock& text, const Scenario& scenario) {
  return CallReader(text, scenario).read();
}

SqlBlock called_step_text(const Call& call) {
  SqlBlock block = call.text;
  block.text = "-- the next statement of " + call.text.text;
  std::ranges::replace(block.text, '\n', ' ');
  return block;
}

const Functionality* called_functionality(const Scenario& scenario, SessionId session) {
  const std::optional<Call>& call = scenario.sessions[session.index()].call;
  return call ? &scenario.program->program.functionalities[call->functionality] : nullptr;
}

std::string print_call(const Functionality& functionality,
                       const std::vector<std::optional<std::string>>& arguments) {
  const auto quoted = [](std::string_view text, char quote) {
    std::string result(1, quote);
    for (const char c : text) {
      if (c == quote) result += quote;
      result += c;
    }
    return result + quote;
  };
  std::vector<std::string> texts;
  for (const std::optional<std::string>& argument : arguments) {
    const bool is_plain = argument && is_number(*argument);
    texts.push_back(!argument ? "NULL" : is_plain ? *argument : quoted(*argument, '\''));
  }
  const bool folds = fold_name(functionality.name, Dialect::postgres) == functionality.name &&
                     is_variable_name(functionality.name);
  return fmt::format("{}({})", folds ? functionality.name : quoted(functionality.name, '"'),
                     join(texts, ", "));
}

}  // namespace heddle
