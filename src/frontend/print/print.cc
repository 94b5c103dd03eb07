// print_statement, transaction control, and what all parts of the printer need.
#include "frontend/print/print.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::sql {
namespace {

// Each level takes a few frames of the stack.
constexpr std::size_t kMaximumDepth = 400;

// A placeholder in the text: no statement contains a NUL.
constexpr char kMark = '\0';

// The number after the mark at `at`, ended by another mark; `at` becomes the end.
std::size_t read_mark(const std::string& text, std::size_t& at) {
  const std::size_t end = text.find(kMark, at + 1);
  const std::size_t number = std::stoul(text.substr(at + 1, end - at - 1));
  at = end;
  return number;
}

PrintedStatement number_placeholders(const std::string& text, Dialect to) {
  PrintedStatement printed;
  std::size_t highest = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != kMark) {
      printed.text += text[at];
      continue;
    }
    const std::size_t number = read_mark(text, at);
    highest = std::max(highest, number);
    printed.text += to == Dialect::postgres ? "$" + std::to_string(number) : "?";
    if (to != Dialect::postgres) printed.parameters.push_back(number);
  }
  if (to == Dialect::postgres) {
    for (std::size_t i = 1; i <= highest; ++i) printed.parameters.push_back(i);
  }
  return printed;
}

struct TransactionWords {
  std::string_view kind;
  std::string_view words;
};
constexpr TransactionWords kTransactionWords[] = {
    {"TRANS_STMT_COMMIT", "COMMIT"},
    {"TRANS_STMT_ROLLBACK", "ROLLBACK"},
    {"TRANS_STMT_SAVEPOINT", "SAVEPOINT"},
    {"TRANS_STMT_RELEASE", "RELEASE SAVEPOINT"},
    {"TRANS_STMT_ROLLBACK_TO", "ROLLBACK TO SAVEPOINT"},
};
constexpr TransactionWords kPreparedWords[] = {
    {"TRANS_STMT_PREPARE", "PREPARE TRANSACTION"},
    {"TRANS_STMT_COMMIT_PREPARED", "COMMIT PREPARED"},
    {"TRANS_STMT_ROLLBACK_PREPARED", "ROLLBACK PREPARED"},
};

std::string mode_text(const Node& option) {
  const Node& argument = option["arg"].content();
  if (option.text("defname") == "transaction_isolation") {
    std::string level = argument["sval"].text("sval");
    std::transform(level.begin(), level.end(), level.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return "ISOLATION LEVEL " + level;
  }
  const bool is_on = has(argument["ival"], "ival");
  if (option.text("defname") == "transaction_read_only") return is_on ? "READ ONLY" : "READ WRITE";
  return is_on ? "DEFERRABLE" : "NOT DEFERRABLE";
}

// Bytes that are no UTF-8 would not come back from the tree as they were.
std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = valid_character_size(text, at);
    if (size == 0) return at;
    at += size;
  }
  return std::nullopt;
}

Diagnostic cannot_print(std::string_view sql, std::size_t offset, std::string what) {
  return {.what = std::move(what),
          .what_to_do = "give one statement of SQL in UTF-8",
          .file = {},
          .position = position_at(sql, offset),
          .trouble = Trouble::bad_input};
}

// A word, or a name without its backticks.
std::string source_spelling(const MysqlToken& token, std::string_view sql) {
  const std::string_view text = sql.substr(token.offset, token.size);
  const bool is_quoted = text.size() >= 2 && text[0] == '`';
  return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

}  // namespace

const Node& bare(const Node& node) { return node.type().empty() ? node : node.content(); }

std::size_t size_of(const Node& list) {
  std::size_t size = 0;
  for (auto at = list.begin(); at != list.end(); ++at) ++size;
  return size;
}

std::size_t location_of(const Node& content) {
  const std::string& text = content.text("location");
  const bool is_number = !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
  if (!has(content, "location")) return 0;  // absent where it is the first byte
  return is_number ? std::stoul(text) : kNoOffset;
}

Printer::Printer(const PrintSource& source, Dialect to, const Schema* schema)
    : source_(source),
      from_(source.dialect),
      to_(to),
      schema_(schema),
      tokens_(source.rewritten.text) {}

Result<PrintedStatement> Printer::print() {
  const std::string text = print_statement(source_.statement());
  if (trouble_) return *trouble_;
  return number_placeholders(text, to_);
}

std::string Printer::refuse(const Node& node, const std::string& construct,
                            const std::string& reason) {
  if (trouble_) return "";
  const std::size_t location = first_location(node);
  const std::size_t offset = location == kNoOffset ? 0 : source_.source_offset(location);
  trouble_ = {.what = fmt::format("cannot say {} in {}", construct, product_name(to_)),
              .what_to_do = reason,
              .file = {},
              .position = position_at(source_.sql, offset),
              .trouble = Trouble::bad_input};
  return "";
}

std::string Printer::lacks(const Node& node, const std::string& construct) {
  return refuse(node, construct, "it has nothing that means the same");
}

bool Printer::has_only(const Node& content, std::initializer_list<std::string_view> fields) {
  for (const Node& child : content) {
    const bool is_place = child.name == "location" || child.name.empty();
    if (is_place || std::find(fields.begin(), fields.end(), child.name) != fields.end()) continue;
    refuse(content, fmt::format("{} of {}", child.name, content.name),
           "heddle does not know how to print it");
    return false;
  }
  return true;
}

bool Printer::enter(const Node& node) {
  if (depth_ < kMaximumDepth) return !trouble_;
  refuse(node, "what is nested so deeply", "split the statement into smaller ones");
  trouble_->trouble = Trouble::bound;
  return false;
}

std::string Printer::spelled_name(const std::string& value, const Node& content) {
  const std::size_t location = location_of(content);
  const bool matters = is_from(Dialect::mysql) && is_to(Dialect::mysql) && location != kNoOffset;
  const MysqlToken* token = matters ? source_.token_at(location) : nullptr;
  const std::string spelled = token == nullptr ? value : source_spelling(*token, source_.sql);
  return name(equal_ignoring_case(spelled, value) ? spelled : value);
}

std::string Printer::spelled_alias(const std::string& value) const {
  if (!is_from(Dialect::mysql) || !is_to(Dialect::mysql)) return name(value);
  for (const MysqlToken& token : source_.tokens) {
    const std::string spelled = source_spelling(token, source_.sql);
    if (equal_ignoring_case(spelled, value)) return name(spelled);
  }
  return name(value);
}

std::string Printer::name_list(const Node& list) {
  std::vector<std::string> names;
  for (const Node& one : list) {
    if (one.type() != "String") return refuse(one, "this list of names", "it is not one");
    names.push_back(name(one.content().text("sval")));
  }
  return join(names, ", ");
}

std::string Printer::placeholder(const Node& content) {
  if (!has(content, "number")) return refuse(content, "$0", "parameters count from 1");
  return kMark + content.text("number") + kMark;
}

std::string Printer::print_statement(const Node& node) {
  struct Kind {
    std::string_view type;
    std::string (Printer::*print)(const Node&);
  };
  constexpr Kind kKinds[] = {
      {"InsertStmt", &Printer::print_insert},
      {"UpdateStmt", &Printer::print_update},
      {"DeleteStmt", &Printer::print_delete},
      {"TransactionStmt", &Printer::print_transaction},
      {"VariableSetStmt", &Printer::print_setting},
  };
  if (node.type() == "SelectStmt") return print_query(node);
  for (const Kind& kind : kKinds) {
    if (node.type() == kind.type) return (this->*kind.print)(node.content());
  }
  return refuse(node, std::string(node.type()),
                "only statements that read and write rows, and "
                "those that begin and end transactions, are said");
}

std::string Printer::print_transaction(const Node& content) {
  if (!has_only(content, {"kind", "options", "savepoint_name", "gid", "chain"})) return "";
  const std::string& kind = content.text("kind");
  if (kind == "TRANS_STMT_BEGIN" || kind == "TRANS_STMT_START") return print_begin(content);
  for (const TransactionWords& one : kTransactionWords) {
    if (kind != one.kind) continue;
    std::string text(one.words);
    if (has(content, "savepoint_name")) text += " " + name(content.text("savepoint_name"));
    if (content.is_true("chain")) {
      if (is_to(Dialect::sqlite)) return lacks(content, "AND CHAIN");
      text += " AND CHAIN";
    }
    return text;
  }
  for (const TransactionWords& one : kPreparedWords) {
    if (kind != one.kind) continue;
    if (!is_to(Dialect::postgres)) return lacks(content, std::string(one.words));
    return std::string(one.words) + " " + print_string(content.text("gid"), to_);
  }
  return refuse(content, kind, "heddle does not know how to print it");
}

std::string Printer::print_begin(const Node& content) {
  const bool starts = content.text("kind") == "TRANS_STMT_START";
  const std::string& word = source_.begin_word;
  if (!word.empty() && word != "deferred" && !is_same()) {
    return refuse(content, "a transaction that begins with " + word,
                  "it would lock, or look, at another moment");
  }
  if (is_to(Dialect::sqlite)) {
    if (has(content, "options")) {
      const std::string modes = print_modes(content["options"], content);
      if (modes != "ISOLATION LEVEL SERIALIZABLE") return lacks(content, modes);
    }
    return word == "immediate" || word == "exclusive"
               ? std::string("BEGIN ") + (word == "immediate" ? "IMMEDIATE" : "EXCLUSIVE")
               : "BEGIN";
  }
  if (is_to(Dialect::mysql) && !word.empty() && is_same()) {
    const std::string modes =
        has(content, "options") ? ", " + print_modes(content["options"], content) : "";
    return "START TRANSACTION WITH CONSISTENT SNAPSHOT" + modes;
  }
  if (!has(content, "options")) return starts ? "START TRANSACTION" : "BEGIN";
  const std::string modes = print_modes(content["options"], content);
  if (is_to(Dialect::mysql)) {
    if (modes.find("ISOLATION") != std::string::npos ||
        modes.find("DEFERRABLE") != std::string::npos)
      return refuse(content, modes + " of BEGIN", "there SET TRANSACTION before it says the level");
    return "START TRANSACTION " + modes;
  }
  return (starts ? "START TRANSACTION " : "BEGIN ") + modes;
}

std::string Printer::print_modes(const Node& options, const Node& content) {
  constexpr std::string_view kKnown[] = {"transaction_isolation", "transaction_read_only",
                                         "transaction_deferrable"};
  std::vector<std::string> modes;
  for (const Node& option : options) {
    const Node& mode = option.content();
    if (!has_only(mode, {"defname", "arg", "defaction"})) return "";
    const std::string& known = mode.text("defname");
    if (std::find(std::begin(kKnown), std::end(kKnown), known) == std::end(kKnown)) {
      return refuse(content, known, "heddle does not know how to print it");
    }
    modes.push_back(mode_text(mode));
  }
  return join(modes, ", ");
}

// SET TRANSACTION is of the transaction under way in PostgreSQL, of the next one in MySQL.
std::string Printer::print_setting(const Node& content) {
  const bool is_modes = content.text("kind") == "VAR_SET_MULTI" && !content.is_true("is_local");
  const std::string& what = content.text("name");
  const bool is_known = what == "TRANSACTION" || what == "SESSION CHARACTERISTICS";
  if (!is_modes || !is_known) return refuse(content, "SET", "settings are each product's own");
  if (!is_same() || is_to(Dialect::sqlite)) {
    return refuse(content, "SET " + what, "it is of another transaction there, or missing");
  }
  if (!has_only(content, {"kind", "name", "args"})) return "";
  const std::string modes = print_modes(content["args"], content);
  if (what == "TRANSACTION") return "SET TRANSACTION " + modes;
  return is_to(Dialect::mysql) ? "SET SESSION TRANSACTION " + modes
                               : "SET SESSION CHARACTERISTICS AS TRANSACTION " + modes;
}

}  // namespace heddle::sql

namespace heddle {

Result<PrintedStatement> print_statement(std::string_view sql, Dialect from, Dialect to,
                                         const Schema* schema) {
  if (from == Dialect::redis || to == Dialect::redis) {
    return sql::cannot_print(sql, 0, "commands of Redis are not SQL");
  }
  if (const auto offset = sql::find_invalid_utf8(sql)) {
    return sql::cannot_print(sql, *offset, "the text is not UTF-8");
  }
  sql::PrintSource source;
  if (Result<void> read = sql::read_source(sql, from, source); !read) return read.error();
  return sql::Printer(source, to, schema).print();
}

}  // namespace heddle
