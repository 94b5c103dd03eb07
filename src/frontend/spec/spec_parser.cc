// A recursive-descent parser without recursion: PostgreSQL's grammar (specparse.y) is a flat list
// of items, each known by its first word. heddle's own items begin with words that PostgreSQL's
// grammar has no place for, with one exception: in a permutation any word may be the name of a
// step. There a word begins an item only if no step has that name, and since PostgreSQL rejects
// unknown steps, every file it accepts keeps its meaning.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/call_steps.h"
#include "frontend/spec/calls.h"
#include "frontend/spec/instructions.h"
#include "frontend/spec/permutation_links.h"
#include "frontend/spec/text/service_tables.h"
#include "frontend/spec/text/spec_token.h"
#include "heddle/scenario.h"

namespace heddle {

namespace {

using TokenKind = SpecToken::Kind;

constexpr std::uint32_t kMostCallSteps = 10'000;

std::string describe(const SpecToken& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "end of the file";
    case TokenKind::block:
      return "block";
    default:
      return fmt::format("\"{}\"", token.text);
  }
}

// Each method reads one construct beginning at `current_` and leaves `current_` behind it; false
// means that `error_` is set.
class SpecParser {
 public:
  SpecParser(std::string_view text, std::string_view file) : scanner_(text, file) {
    scenario_.file = std::string(file);
  }

  Result<Scenario> parse();

 private:
  // How far PostgreSQL's fixed order of items has been followed.
  enum class Stage : std::uint8_t { setups, teardown, sessions, permutations };

  struct Item {
    std::string_view word;
    std::optional<Stage> stage;  // heddle's own items have none: they stand anywhere
    bool repeatable;
    bool (SpecParser::*parse)();
  };

  static const Item kItems[];

  bool parse_item();
  bool enter(const Item& item);
  bool parse_setup();
  bool parse_teardown();
  bool parse_session();
  bool parse_session_blocks(std::string_view word, std::optional<SqlBlock>& block);
  bool parse_step(SessionId session);
  bool parse_call(SessionId id);
  bool parse_method(std::string& method);
  bool parse_step_count(std::optional<std::uint32_t>& steps);
  bool add_step(SessionId session, const SpecToken& name, SqlBlock sql);
  bool parse_permutation();
  bool parse_placed_step(PermutationText& permutation);
  bool parse_blocker(PlacedStepText& step);
  bool parse_store();
  bool parse_service();
  bool read_service_tables(const SpecToken& block, ServiceDeclaration& service);
  bool parse_isolation();
  bool parse_level(std::string_view whose, std::optional<IsolationLevel>& known);
  bool parse_invariant();
  bool parse_refusal();
  bool parse_program();
  bool read_program();

  bool at_word(std::string_view word) const;
  bool at_symbol(std::string_view symbol) const;
  bool at_name() const;
  bool at_placed_step() const;
  bool advance(BlockEnd end = BlockEnd::first_brace);
  bool take_name(std::string_view whose, SpecToken& name);
  bool take_store(SqlBlock& block);
  bool take_block(std::string_view owner, SqlBlock& block);
  bool unknown_item();
  bool fail(SourcePosition where, std::string what, std::string what_to_do);
  bool unexpected(std::string_view expected);

  SpecScanner scanner_;
  SpecToken current_;
  Scenario scenario_;
  std::optional<SqlBlock> program_;
  StepNames step_names_;
  Stage stage_ = Stage::setups;
  std::optional<Diagnostic> error_;
};

const SpecParser::Item SpecParser::kItems[] = {
    {"setup", Stage::setups, true, &SpecParser::parse_setup},
    {"teardown", Stage::teardown, false, &SpecParser::parse_teardown},
    {"session", Stage::sessions, true, &SpecParser::parse_session},
    {"permutation", Stage::permutations, true, &SpecParser::parse_permutation},
    {"store", std::nullopt, true, &SpecParser::parse_store},
    {"service", std::nullopt, true, &SpecParser::parse_service},
    {"isolation", std::nullopt, true, &SpecParser::parse_isolation},
    {"invariant", std::nullopt, true, &SpecParser::parse_invariant},
    {"program", std::nullopt, true, &SpecParser::parse_program},
    {"refusal", std::nullopt, true, &SpecParser::parse_refusal},
};

Result<Scenario> SpecParser::parse() {
  if (!advance()) return *std::move(error_);
  while (current_.kind != TokenKind::end) {
    if (!parse_item()) return *std::move(error_);
  }
  if (scenario_.sessions.empty()) {
    fail(current_.position, "the file has no session", "add one: session NAME step NAME { SQL }");
    return *std::move(error_);
  }
  if (!read_program()) return *std::move(error_);
  if (scenario_.program) scenario_.warnings = scenario_.program->program.notes;
  std::ranges::move(unused_steps(scenario_), std::back_inserter(scenario_.warnings));
  return std::move(scenario_);
}

bool SpecParser::parse_item() {
  const auto* item =
      std::ranges::find_if(kItems, [this](const Item& row) { return at_word(row.word); });
  if (item == std::end(kItems)) return unknown_item();
  return enter(*item) && (this->*item->parse)();
}

bool SpecParser::enter(const Item& item) {
  if (!item.stage) return true;
  if (*item.stage == Stage::permutations && scenario_.sessions.empty()) {
    return fail(current_.position, "a permutation stands before the first session",
                "put it after the sessions");
  }
  if (*item.stage == stage_ && !item.repeatable) {
    return fail(current_.position, fmt::format("a second {} of the scenario", item.word),
                "put all its SQL into the first one");
  }
  if (*item.stage < stage_) {
    return fail(current_.position, fmt::format("{} stands too late", item.word),
                "keep the order: setup, teardown, sessions (each: setup, steps, teardown), "
                "permutations");
  }
  stage_ = *item.stage;
  return true;
}

bool SpecParser::unknown_item() {
  if (at_word("step")) {
    return fail(current_.position, "a step stands outside of a session",
                "put it next to the other steps of its session");
  }
  std::vector<std::string> words;
  for (const Item& item : kItems) words.emplace_back(item.word);
  const std::string closest =
      current_.kind == TokenKind::word ? closest_word(current_.text, words) : std::string();
  if (closest.empty()) return unexpected(fmt::format("one of: {}", join(words, ", ")));
  return fail(current_.position, fmt::format("unexpected {}", describe(current_)),
              fmt::format("did you mean \"{}\"?", closest));
}

bool SpecParser::parse_setup() {
  return advance() && take_block("setup", scenario_.setups.emplace_back());
}

bool SpecParser::parse_teardown() {
  return advance() && take_block("teardown", scenario_.teardown.emplace());
}

bool SpecParser::parse_session() {
  SpecToken name;
  if (!advance() || !take_name("a session", name)) return false;
  const SessionId id(scenario_.sessions.size());
  Session& session = scenario_.sessions.emplace_back();
  session.name = name.text;
  session.position = name.position;
  session.is_first = at_word("first");
  if (session.is_first && !advance()) return false;
  if (at_word("isolation") && !parse_level(" of the session", session.isolation)) return false;
  if (!parse_session_blocks("setup", session.setup)) return false;
  if (at_word("call")) {
    if (!parse_call(id)) return false;
  } else if (!at_word("step")) {
    return unexpected(session.setup ? "a step of the session: step NAME { SQL }"
                                    : "setup or a step of the session: step NAME { SQL }");
  }
  while (at_word("step")) {
    if (!parse_step(id)) return false;
  }
  return parse_session_blocks("teardown", session.teardown);
}

bool SpecParser::parse_session_blocks(std::string_view word, std::optional<SqlBlock>& block) {
  if (!at_word(word)) return true;
  return advance() && take_block(fmt::format("{} of a session", word), block.emplace());
}

bool SpecParser::parse_step(SessionId session) {
  if (scenario_.sessions[session.index()].call) {
    return fail(current_.position, "a session that calls a functionality has steps of its own",
                "take the step out, or the call");
  }
  SpecToken name;
  SqlBlock sql;
  if (!advance() || !take_name("a step", name) || !take_store(sql)) return false;
  if (current_.kind != TokenKind::block) return unexpected("the SQL of the step between { and }");
  sql.text = current_.text;
  sql.position = current_.content;
  if (!add_step(session, name, std::move(sql))) return false;
  Step& step = scenario_.steps.back();
  Result<std::vector<Instruction>> instructions = split_instructions(step.sql, scenario_.file);
  if (!instructions) {
    error_ = instructions.error();
    return false;
  }
  step.instructions = *std::move(instructions);
  return advance();
}

bool SpecParser::add_step(SessionId session, const SpecToken& name, SqlBlock sql) {
  const StepId id(scenario_.steps.size());
  if (const auto known = step_names_.find(name.text); known != step_names_.end()) {
    const SourcePosition first = scenario_.steps[known->second.index()].position;
    return fail(name.position, fmt::format("duplicate step name \"{}\"", name.text),
                fmt::format("rename it: line {} has that name already", first.line));
  }
  Step& step = scenario_.steps.emplace_back();
  step.name = name.text;
  step.position = name.position;
  step.session = session;
  step.sql = std::move(sql);
  scenario_.sessions[session.index()].steps.push_back(id);
  step_names_.emplace(step.name, id);
  return true;
}

// `call { transfer(1, 2) }`, maybe with `method { ... }` and `steps 12` behind it. The steps are
// NAME_1, NAME_2, ...
bool SpecParser::parse_call(SessionId id) {
  const SourcePosition start = current_.position;
  if (!program_) {
    return fail(start, "this session calls a functionality, and no program is given above",
                "put it above: program { CREATE FUNCTION ... }");
  }
  SqlBlock text;
  if (!read_program() || !advance(BlockEnd::outside_quotes)) return false;
  if (current_.kind != TokenKind::block)
    return unexpected("a call: call { transfer(1, 2, 10.50) }");
  text.text = current_.text;
  text.position = current_.content;
  Result<Call> call = read_call(text, scenario_);
  if (!call) {
    error_ = call.error();
    return false;
  }
  if (!advance() || !parse_method(call->method) || !parse_step_count(call->steps)) return false;
  const SqlBlock sql = called_step_text(*call);
  Session& session = scenario_.sessions[id.index()];
  session.call = *std::move(call);
  const std::uint32_t count = call_steps(*called_functionality(scenario_, id), session.call->steps);
  for (std::uint32_t number = 1; number <= count; ++number) {
    SpecToken name;
    name.text = fmt::format("{}_{}", session.name, number);
    name.position = start;
    if (!add_step(id, name, sql)) return false;
  }
  return true;
}

// `method { Bank.transfer(Connection, int, int) }`: what the functionality was read from.
bool SpecParser::parse_method(std::string& method) {
  if (!at_word("method")) return true;
  if (!advance()) return false;
  if (current_.kind != TokenKind::block) {
    return unexpected("a method: method { Bank.transfer(Connection, int, int) }");
  }
  method = current_.text;
  return advance();
}

bool SpecParser::parse_step_count(std::optional<std::uint32_t>& steps) {
  if (!at_word("steps")) return true;
  if (!advance()) return false;
  if (current_.kind != TokenKind::integer) return unexpected("a number of steps: steps 12");
  if (!parse_count(current_.text, steps.emplace()) || *steps == 0 || *steps > kMostCallSteps) {
    return fail(current_.position, fmt::format("a call cannot have {} steps", current_.text),
                fmt::format("use a number from 1 to {}", kMostCallSteps));
  }
  return advance();
}

bool SpecParser::parse_permutation() {
  PermutationText permutation;
  permutation.position = current_.position;
  if (!advance()) return false;
  // A permutation has at least one step, so that its first word can only be the name of one.
  if (!at_name()) return unexpected("the name of a step");
  do {
    if (!parse_placed_step(permutation)) return false;
  } while (at_placed_step());
  Result<Permutation> linked = link_permutation(permutation, scenario_, step_names_);
  if (!linked) {
    error_ = linked.error();
    return false;
  }
  scenario_.permutations.push_back(*std::move(linked));
  return true;
}

bool SpecParser::parse_placed_step(PermutationText& permutation) {
  PlacedStepText& step = permutation.steps.emplace_back();
  step.name = current_.text;
  step.position = current_.position;
  if (!advance()) return false;
  if (!at_symbol("(")) return true;
  do {
    if (!advance() || !parse_blocker(step)) return false;
  } while (at_symbol(","));
  if (!at_symbol(")")) return unexpected("\",\" or \")\" after a marker");
  return advance();
}

bool SpecParser::parse_blocker(PlacedStepText& step) {
  BlockerText& blocker = step.blockers.emplace_back();
  blocker.position = current_.position;
  if (at_symbol("*")) return advance();
  if (!at_name()) return unexpected("a marker: *, STEP, or STEP notices N");
  blocker.kind = Blocker::Kind::other_step;
  blocker.name = current_.text;
  if (!advance()) return false;
  if (!at_word("notices")) return true;
  if (!advance()) return false;
  if (current_.kind != TokenKind::integer) return unexpected("a number of notices");
  blocker.kind = Blocker::Kind::notices;
  if (!parse_count(current_.text, blocker.notices)) {
    return fail(current_.position, fmt::format("{} notices are too many", current_.text),
                "use a smaller number");
  }
  return advance();
}

bool SpecParser::parse_store() {
  const SourcePosition start = current_.position;
  StoreDeclaration store;
  store.position = start;
  for (std::string* part : {&store.name, &store.kind}) {
    if (!advance()) return false;
    if (!at_name() || current_.position.line != start.line) {
      return fail(start, "a store needs a name and a kind on one line",
                  "write for example: store ledger postgres");
    }
    *part = current_.text;
  }
  for (const StoreDeclaration& other : scenario_.stores) {
    if (other.name != store.name) continue;
    return fail(start, fmt::format("duplicate store name \"{}\"", store.name),
                fmt::format("rename it: line {} has that name already", other.position.line));
  }
  scenario_.stores.push_back(std::move(store));
  return advance();
}

bool SpecParser::parse_service() {
  ServiceDeclaration service;
  service.position = current_.position;
  SpecToken name;
  if (!advance() || !take_name("a service", name)) return false;
  service.name = name.text;
  for (const ServiceDeclaration& other : scenario_.services) {
    if (other.name != service.name) continue;
    return fail(name.position, fmt::format("duplicate service name \"{}\"", service.name),
                fmt::format("put all its tables where line {} names it", other.position.line));
  }
  if (at_word("isolation") && !parse_level(" of the service", service.isolation)) return false;
  if (current_.kind != TokenKind::block) {
    return unexpected("the tables of the service between { and }: { account, wallet }");
  }
  if (!read_service_tables(current_, service)) return false;
  scenario_.services.push_back(std::move(service));
  return advance();
}

bool SpecParser::read_service_tables(const SpecToken& block, ServiceDeclaration& service) {
  for (const std::string& written : split_outside_quotes(block.text, ',')) {
    const std::optional<std::string> table = table_named_by(written);
    if (!table) {
      return fail(
          block.content,
          fmt::format("\"{}\" is no name of a table of service {}", trim(written), service.name),
          "write for example: service billing { invoice, payment }");
    }
    service.tables.push_back(*table);
    for (const ServiceDeclaration& other : scenario_.services) {
      if (std::ranges::find(other.tables, *table) == other.tables.end()) continue;
      return fail(block.content,
                  fmt::format("table {} is one of service {}, too", *table, other.name),
                  "take it out of one of the two");
    }
  }
  return true;
}

bool SpecParser::parse_isolation() { return parse_level("", scenario_.isolation); }

// The word `isolation` and the rest of its line.
bool SpecParser::parse_level(std::string_view whose, std::optional<IsolationLevel>& known) {
  const SourcePosition start = current_.position;
  SpecToken level = scanner_.rest_of_line();
  std::string& name = level.text;
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
    name = name.substr(1, name.size() - 2);
  }
  if (known) {
    return fail(start, fmt::format("a second isolation level{}", whose),
                "keep one, or give several with --isolation");
  }
  if (name.empty()) {
    return fail(start, "isolation has no level", "write for example: isolation read committed");
  }
  known = find_isolation_level(name);
  if (known) return advance();
  std::vector<std::string> names;
  for (const LevelDefinition& row : isolation_levels()) names.emplace_back(row.name);
  const std::string closest = closest_word(name, names);
  return fail(level.position, fmt::format("unknown isolation level \"{}\"", name),
              closest.empty() ? fmt::format("use one of: {}", join(names, ", "))
                              : fmt::format("did you mean \"{}\"?", closest));
}

bool SpecParser::parse_invariant() {
  SpecToken name;
  if (!advance() || !take_name("an invariant", name)) return false;
  for (const Invariant& other : scenario_.invariants) {
    if (other.name != name.text) continue;
    return fail(name.position, fmt::format("duplicate invariant name \"{}\"", name.text),
                "rename one of the two");
  }
  Invariant& invariant = scenario_.invariants.emplace_back();
  invariant.name = name.text;
  return take_block("an invariant", invariant.sql);
}

bool SpecParser::parse_refusal() {
  SpecToken name;
  if (!advance() || !take_name("an error", name)) return false;
  scenario_.refusals.push_back(name.text);
  return true;
}

bool SpecParser::parse_program() {
  if (program_) {
    return fail(current_.position, "a second program", "put all routines into the first one");
  }
  if (!advance(BlockEnd::outside_quotes)) return false;
  if (current_.kind != TokenKind::block) return unexpected("the routines between { and }");
  SqlBlock text;
  text.text = current_.text;
  text.position = current_.content;
  program_ = std::move(text);
  return advance();
}

// Read when it is needed: by then all setup blocks have been seen, which make its tables.
bool SpecParser::read_program() {
  if (!program_ || scenario_.program) return true;
  auto program = read_scenario_program(*program_, scenario_);
  if (!program) {
    error_ = program.error();
    return false;
  }
  scenario_.program = *std::move(program);
  return true;
}

bool SpecParser::at_word(std::string_view word) const {
  return current_.kind == TokenKind::word && current_.text == word;
}

bool SpecParser::at_symbol(std::string_view symbol) const {
  return current_.kind == TokenKind::symbol && current_.text == symbol;
}

bool SpecParser::at_name() const {
  return current_.kind == TokenKind::quoted_name ||
         (current_.kind == TokenKind::word && !is_spec_keyword(current_.text));
}

bool SpecParser::at_placed_step() const {
  if (!at_name()) return false;
  const bool may_begin_item = current_.kind == TokenKind::word && is_extension_word(current_.text);
  return !may_begin_item || step_names_.contains(current_.text);
}

bool SpecParser::advance(BlockEnd end) {
  Result<SpecToken> token = scanner_.next(end);
  if (!token) {
    error_ = token.error();
    return false;
  }
  current_ = *std::move(token);
  return true;
}

bool SpecParser::take_name(std::string_view whose, SpecToken& name) {
  if (!at_name()) {
    if (current_.kind == TokenKind::word) {
      return fail(
          current_.position,
          fmt::format("the keyword \"{}\" stands where {} has its name", current_.text, whose),
          "put it in double quotes to use it as a name");
    }
    return unexpected(fmt::format("the name of {}", whose));
  }
  name = current_;
  return advance();
}

// `on STORE`, if it is there.
bool SpecParser::take_store(SqlBlock& block) {
  if (!at_word("on")) return true;
  SpecToken name;
  if (!advance() || !take_name("a store", name)) return false;
  const auto store =
      std::ranges::find(scenario_.stores, name.text, [](const auto& row) { return row.name; });
  if (store != scenario_.stores.end()) {
    block.store = static_cast<std::size_t>(store - scenario_.stores.begin());
    return true;
  }
  return fail(
      name.position, fmt::format("no store \"{}\" is declared above", name.text),
      fmt::format("declare it at the top of the file, for example: store {} redis", name.text));
}

bool SpecParser::take_block(std::string_view owner, SqlBlock& block) {
  if (!take_store(block)) return false;
  if (current_.kind != TokenKind::block) {
    return unexpected(fmt::format("the SQL of {} between {{ and }}", owner));
  }
  block.text = current_.text;
  block.position = current_.content;
  if (Result<void> checked = reject_commands(block, owner, scenario_.file); !checked) {
    error_ = checked.error();
    return false;
  }
  return advance();
}

bool SpecParser::fail(SourcePosition where, std::string what, std::string what_to_do) {
  error_ = Diagnostic{std::move(what), std::move(what_to_do), scenario_.file, where};
  return false;
}

bool SpecParser::unexpected(std::string_view expected) {
  return fail(current_.position, fmt::format("unexpected {}", describe(current_)),
              fmt::format("write {}", expected));
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view text, std::string_view file) {
  return SpecParser(text, file).parse();
}

}  // namespace heddle
