// A step is read once from left to right. SQL up to a backslash command is one query. A command and
// its arguments run to the end of the line or to the next backslash, as in psql; two backslashes
// end the arguments and SQL goes on. Conditionals stay a flat list, so that nesting needs no
// recursion here or in the runner: only their balance is checked.
#include "frontend/spec/instructions.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/block_positions.h"
#include "frontend/spec/text/sql_token.h"
#include "frontend/spec/variables.h"

namespace heddle {

namespace {

enum class Command : std::uint8_t { gset, if_begin, elif, else_begin, if_end };

struct CommandName {
  std::string_view name;
  Command command;
};

constexpr CommandName kCommands[] = {
    {"gset", Command::gset},       {"if", Command::if_begin},  {"elif", Command::elif},
    {"else", Command::else_begin}, {"endif", Command::if_end},
};

constexpr std::string_view kCommandList = R"(\gset, \if, \elif, \else or \endif)";

std::optional<Command> find_command(std::string_view name) {
  for (const CommandName& row : kCommands) {
    if (row.name == name) return row.command;
  }
  return std::nullopt;
}

// Where the arguments that begin at `from` end: before a newline or a backslash without quotes.
std::size_t arguments_end(std::string_view text, std::size_t from) {
  char quote = '\0';
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') return i;
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '\\') {
      return i;
    }
  }
  return text.size();
}

class InstructionSplitter {
 public:
  InstructionSplitter(const SqlBlock& block, std::string_view file)
      : block_(block), positions_(block), file_(file) {}

  Result<std::vector<Instruction>> split();

 private:
  // An \if that waits for its \endif.
  struct OpenIf {
    std::size_t offset = 0;
    bool has_else = false;
  };

  // A command as it stands in the text.
  struct PlacedCommand {
    std::size_t offset = 0;
    std::string name;
    std::string arguments;
  };

  std::optional<Diagnostic> take_command(const SqlToken& token);
  std::optional<Diagnostic> take_gset(const PlacedCommand& placed);
  std::optional<Diagnostic> take_condition(const PlacedCommand& placed, Instruction::Kind kind);
  std::optional<Diagnostic> take_branch(const PlacedCommand& placed, Instruction::Kind kind);
  std::optional<Diagnostic> check_branch(const PlacedCommand& placed, Instruction::Kind kind);
  bool end_query(std::size_t end);
  Diagnostic error_at(std::size_t offset, std::string what, std::string what_to_do);

  const SqlBlock& block_;
  BlockPositions positions_;
  std::string file_;
  std::size_t offset_ = 0;
  std::size_t query_begin_ = 0;
  std::vector<OpenIf> open_;
  std::vector<Instruction> instructions_;
};

Result<std::vector<Instruction>> InstructionSplitter::split() {
  const std::string_view text = block_.text;
  bool any_command = false;
  while (offset_ < text.size()) {
    const SqlToken token = sql_token_at(text, offset_);
    if (token.kind != SqlToken::Kind::command) {
      offset_ += token.text.size();
      continue;
    }
    any_command = true;
    if (std::optional<Diagnostic> error = take_command(token)) return *std::move(error);
  }
  if (!any_command) {
    Instruction whole;
    whole.text = block_.text;
    whole.position = block_.position;
    return std::vector<Instruction>{std::move(whole)};
  }
  if (!open_.empty()) {
    return error_at(open_.back().offset, "this \\if has no \\endif",
                    "add a line with \\endif to the step");
  }
  end_query(text.size());
  return std::move(instructions_);
}

std::optional<Diagnostic> InstructionSplitter::take_command(const SqlToken& token) {
  const std::string_view text = block_.text;
  const std::size_t arguments = offset_ + token.text.size();
  const std::size_t end = arguments_end(text, arguments);
  const PlacedCommand placed{offset_, std::string(token.name),
                             std::string(trim(text.substr(arguments, end - arguments)))};
  const std::optional<Command> command = find_command(token.name);
  if (!command) {
    return error_at(offset_, fmt::format("\\{} is not a command of scenario files", token.name),
                    fmt::format("use {}", kCommandList));
  }
  const bool had_query = end_query(offset_);
  offset_ = end + (text.substr(end).starts_with("\\\\") ? 2 : 0);
  query_begin_ = offset_;
  switch (*command) {
    case Command::gset:
      if (had_query) return take_gset(placed);
      return error_at(placed.offset, "\\gset has no query before it",
                      "write the query whose row it stores in front of it");
    case Command::if_begin:
      return take_condition(placed, Instruction::Kind::if_begin);
    case Command::elif:
      return take_condition(placed, Instruction::Kind::elif);
    case Command::else_begin:
      return take_branch(placed, Instruction::Kind::else_begin);
    case Command::if_end:
      return take_branch(placed, Instruction::Kind::if_end);
  }
  return std::nullopt;
}

std::optional<Diagnostic> InstructionSplitter::take_gset(const PlacedCommand& placed) {
  if (!placed.arguments.empty() && !is_variable_name(placed.arguments)) {
    return error_at(placed.offset,
                    fmt::format(R"(\gset cannot use "{}" as a prefix)", placed.arguments),
                    "give it one word of letters, digits and underscores or nothing, and go on "
                    "with SQL on the next line");
  }
  instructions_.back().gset = true;
  instructions_.back().gset_prefix = placed.arguments;
  return std::nullopt;
}

std::optional<Diagnostic> InstructionSplitter::take_condition(const PlacedCommand& placed,
                                                              Instruction::Kind kind) {
  if (kind == Instruction::Kind::if_begin) open_.push_back({placed.offset, false});
  if (std::optional<Diagnostic> error = check_branch(placed, kind)) return error;
  if (placed.arguments.empty()) {
    return error_at(placed.offset, fmt::format("\\{} has no condition", placed.name),
                    fmt::format("write it on the same line, for example \\{} :found", placed.name));
  }
  // A condition without variables can be judged now, where its place is known.
  if (placed.arguments.find(':') == std::string::npos) {
    if (Result<bool> value = evaluate_condition(placed.arguments, {}); !value) {
      return error_at(placed.offset, value.error().what, value.error().what_to_do);
    }
  }
  Instruction instruction;
  instruction.kind = kind;
  instruction.text = placed.arguments;
  instruction.position = positions_.at(placed.offset);
  instructions_.push_back(std::move(instruction));
  return std::nullopt;
}

std::optional<Diagnostic> InstructionSplitter::take_branch(const PlacedCommand& placed,
                                                           Instruction::Kind kind) {
  if (std::optional<Diagnostic> error = check_branch(placed, kind)) return error;
  if (!placed.arguments.empty()) {
    return error_at(
        placed.offset,
        fmt::format(R"(\{} takes no argument, but "{}" follows)", placed.name, placed.arguments),
        "put what follows on the next line");
  }
  if (kind == Instruction::Kind::else_begin) open_.back().has_else = true;
  if (kind == Instruction::Kind::if_end) open_.pop_back();
  Instruction instruction;
  instruction.kind = kind;
  instruction.position = positions_.at(placed.offset);
  instructions_.push_back(std::move(instruction));
  return std::nullopt;
}

std::optional<Diagnostic> InstructionSplitter::check_branch(const PlacedCommand& placed,
                                                            Instruction::Kind kind) {
  if (open_.empty()) {
    return error_at(placed.offset, fmt::format("\\{} without an \\if before it", placed.name),
                    "begin with \\if in the same step");
  }
  const bool needs_no_else =
      kind == Instruction::Kind::elif || kind == Instruction::Kind::else_begin;
  if (needs_no_else && open_.back().has_else) {
    return error_at(placed.offset, fmt::format("\\{} after \\else", placed.name),
                    "make \\else the last branch of its \\if");
  }
  return std::nullopt;
}

// Adds the SQL since the last command as a query; false if there is none.
bool InstructionSplitter::end_query(std::size_t end) {
  const std::string_view text = block_.text;
  const std::string_view piece = text.substr(query_begin_, end - query_begin_);
  const std::string_view trimmed = trim(piece);
  if (trimmed.empty() || !has_sql(piece)) return false;
  Instruction query;
  query.text = std::string(trimmed);
  query.position = positions_.at(static_cast<std::size_t>(trimmed.data() - block_.text.data()));
  instructions_.push_back(std::move(query));
  return true;
}

Diagnostic InstructionSplitter::error_at(std::size_t offset, std::string what,
                                         std::string what_to_do) {
  return {std::move(what), std::move(what_to_do), file_, positions_.at(offset)};
}

}  // namespace

Result<std::vector<Instruction>> split_instructions(const SqlBlock& block, std::string_view file) {
  return InstructionSplitter(block, file).split();
}

Result<void> reject_commands(const SqlBlock& block, std::string_view owner, std::string_view file) {
  const std::string_view text = block.text;
  for (std::size_t i = 0; i < text.size();) {
    const SqlToken token = sql_token_at(text, i);
    if (token.kind == SqlToken::Kind::command && find_command(token.name)) {
      return Diagnostic{fmt::format("\\{} stands in {}", token.name, owner),
                        "move it into a step: only steps may have backslash commands",
                        std::string(file), BlockPositions(block).at(i)};
    }
    i += token.text.size();
  }
  return {};
}

}  // namespace heddle
