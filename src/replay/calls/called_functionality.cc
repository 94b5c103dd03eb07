#include "replay/calls/called_functionality.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "interpret/refusal.h"
#include "program/redis_commands.h"
#include "replay/calls/call_text.h"
#include "store/refusal_state.h"

namespace heddle {

namespace {

Diagnostic given_up() { return {.what = "the run was given up", .trouble = Trouble::interrupted}; }

// The number at the end of a command tag, INSERT 0 2, or at the beginning where the store is
// MariaDB: 2 rows.
std::size_t count_of(const std::string& tag) {
  const bool is_first = !tag.empty() && tag[0] >= '0' && tag[0] <= '9';
  const std::string_view number = std::string_view(tag).substr(is_first ? 0 : tag.rfind(' ') + 1);
  std::size_t count = 0;
  std::from_chars(number.data(), number.data() + number.size(), count);
  return count;
}

StatementResult to_result(const Reply& reply) {
  StatementResult result;
  if (reply.error) {
    const std::string& message = reply.error->message;
    result.refusal = StoreRefusal{.sqlstate = refusal_state(reply.error->code),
                                  .message = message.empty() ? reply.error->text : message};
    return result;
  }
  for (const Column& column : reply.result->columns) {
    result.columns.push_back({.name = column.name, .type = column.type});
  }
  result.rows = reply.result->rows;
  result.affected = count_of(reply.result->command_tag);
  return result;
}

}  // namespace

// Hands what the interpreter asks for to the owner of the coroutine.
class CalledFunctionality::Runner : public StatementRunner {
 public:
  explicit Runner(CalledFunctionality& call)
      : call_(call), listed_(list_statements(call.functionality_)) {}

  Result<StatementResult> run(const ProgramStatement& statement,
                              const std::vector<ClientValue>& values) override {
    calls_.push_back(call_.asked_);
    if (program::is_redis(statement)) return run_command(statement, values);
    if (auto begun = begin(statement.connection); !begun) return begun.error();
    Request request;
    request.connection = statement.connection;
    request.text = text_with_values(statement.statement.text, values, call_.literals_);
    request.pattern = statement.statement.text;
    request.values = values;
    request.statement = number_of(statement);
    return call_.ask(std::move(request));
  }

  // A command of Redis, which is of no transaction of the database. Those between MULTI and EXEC
  // are sent in one step, in which nobody else does anything.
  Result<StatementResult> run_command(const ProgramStatement& statement,
                                      const std::vector<ClientValue>& values) {
    const bool begins = program::begins_redis_group(statement);
    if (begins || program::ends_redis_group(statement)) {
      place_in_group_ = begins ? std::optional(Place::own) : std::nullopt;
      return StatementResult();
    }
    const auto command = program::redis_command_of(statement.statement.text);
    if (!command) {
      return Diagnostic{.what = "this is no command of Redis: " + statement.statement.text,
                        .trouble = Trouble::bad_input};
    }
    std::vector<Cell> cells;
    for (const ClientValue& value : values) cells.push_back(value.text);
    Request request;
    request.text = program::redis_text_with(*command, cells);
    request.is_redis = true;
    request.statement = number_of(statement);
    if (place_in_group_) request.place = std::exchange(*place_in_group_, Place::last);
    auto answer = call_.ask(std::move(request));
    if (!answer || answer->refusal) return answer;
    return answer_of(*command, *std::move(answer));
  }

  Result<StatementResult> cross(Boundary boundary, const std::string& savepoint,
                                std::size_t connection) override {
    calls_.push_back(call_.asked_);
    Line& line = lines_[connection];
    if (boundary == Boundary::begin) {
      line.owes_begin = true;
      return StatementResult();
    }
    const bool ends = boundary == Boundary::commit || boundary == Boundary::rollback;
    if (ends) line.open_begin.reset();
    if (ends && std::exchange(line.owes_begin, false)) return StatementResult();
    if (auto begun = begin(connection); !begun) return begun.error();
    Request request;
    request.connection = connection;
    request.text = to_upper(to_string(boundary));
    if (!savepoint.empty()) request.text += " " + savepoint;
    request.place = ends ? Place::own : boundary == Boundary::savepoint ? Place::next : Place::last;
    return call_.ask(std::move(request));
  }

  void leave_out(std::size_t first) override {
    for (std::size_t i = calls_.at(first); i < call_.asked_; ++i) {
      const auto begins = [&](const auto& line) { return line.second.open_begin == i; };
      if (std::ranges::none_of(lines_, begins)) call_.left_out_.push_back(i);
    }
  }

  // Where heddle asks for a value: in a transaction that is open already, if there is one.
  Result<std::size_t> begin_any() {
    const auto open = std::ranges::find_if(
        lines_, [](const auto& line) { return line.second.open_begin.has_value(); });
    const std::size_t connection = open == lines_.end() ? 0 : open->first;
    if (auto begun = begin(connection); !begun) return begun.error();
    return connection;
  }

 private:
  // The transaction of a connection.
  struct Line {
    bool owes_begin = false;  // BEGIN has not been sent yet: nothing has happened in it
    std::optional<std::size_t> open_begin;  // the BEGIN of the open one, which goes on
  };

  // What is owed of it. A transaction in which nothing happens is none.
  Result<void> begin(std::size_t connection) {
    Line& line = lines_[connection];
    if (!std::exchange(line.owes_begin, false)) return {};
    line.open_begin = call_.asked_;
    auto begun = call_.ask(
        {.text = "BEGIN", .place = Place::next, .statement = {}, .connection = connection});
    if (!begun) return begun.error();
    return {};
  }

  std::optional<std::size_t> number_of(const ProgramStatement& statement) const {
    const auto known = std::ranges::find(listed_, &statement, &ListedStatement::statement);
    if (known == listed_.end()) return std::nullopt;
    return static_cast<std::size_t>(known - listed_.begin());
  }

  // What the statement that the command is would have been answered.
  static StatementResult answer_of(const program::RedisCommandText& command,
                                   StatementResult answer) {
    using Use = program::RedisAnswerUse;
    const Use use = command.shape == nullptr ? Use::value : command.shape->answer;
    const Cell cell = answer.rows.empty() || answer.rows[0].empty() ? Cell() : answer.rows[0][0];
    StatementResult result;
    if (use == Use::changed) {
      const bool is_ok = cell && cell->find_first_not_of("0123456789") != std::string::npos;
      result.affected = !cell ? 0 : is_ok ? 1 : count_of(*cell);
      return result;
    }
    result.columns.push_back({.name = "value", .type = "text"});
    const bool is_none = use == Use::exists ? cell == "0" : use == Use::row && !cell;
    if (!is_none) result.rows.push_back({cell});
    result.affected = result.rows.size();
    return result;
  }

  static std::string to_upper(std::string_view words) {
    std::string text(words);
    for (char& c : text) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
  }

  CalledFunctionality& call_;
  std::vector<ListedStatement> listed_;
  std::optional<Place> place_in_group_;  // of the next command of Redis between MULTI and EXEC
  std::map<std::size_t, Line> lines_;    // by connection
  std::vector<std::size_t> calls_;  // of run and cross: how many requests there were before each
};

CalledFunctionality::CalledFunctionality(const Program& program, const Functionality& functionality,
                                         std::vector<Cell> arguments, Literals literals,
                                         std::vector<std::string> refusals)
    : program_(program),
      functionality_(functionality),
      arguments_(std::move(arguments)),
      literals_(literals),
      refusals_(std::move(refusals)),
      answer_(StatementResult()),
      coroutine_([this] { run(); }) {}

CalledFunctionality::~CalledFunctionality() {
  is_given_up_ = true;
  if (coroutine_.has_begun() && !coroutine_.has_ended()) coroutine_.resume();
  HEDDLE_ASSERT(!coroutine_.has_begun() || coroutine_.has_ended());
}

void CalledFunctionality::run() {
  Runner runner(*this);
  InterpretOptions options;
  options.unknown_value = [&](const UnknownValue& unknown) -> Result<Cell> {
    const auto connection = runner.begin_any();
    if (!connection) return connection.error();
    return ask_value(unknown, *connection);
  };
  auto done = interpret(program_, functionality_, arguments_, runner, options);
  end_ = done ? Result<Reply>(to_reply(*done)) : Result<Reply>(done.error());
}

const CalledFunctionality::Request* CalledFunctionality::next() {
  if (!coroutine_.has_begun()) coroutine_.resume();
  return request_ ? &*request_ : nullptr;
}

void CalledFunctionality::take_answer(const std::vector<Reply>& replies) {
  HEDDLE_ASSERT(request_.has_value());
  request_.reset();
  const auto error =
      std::ranges::find_if(replies, [](const Reply& r) { return r.error.has_value(); });
  if (error != replies.end()) refusal_ = error->error;
  answer_ = replies.empty() ? StatementResult()
                            : to_result(error == replies.end() ? replies.back() : *error);
  coroutine_.resume();
}

Result<StatementResult> CalledFunctionality::ask(Request request) {
  if (is_given_up_) return given_up();
  request_ = std::move(request);
  ++asked_;
  coroutine_.give_back();
  if (is_given_up_) {
    request_.reset();
    return given_up();
  }
  return std::move(answer_);
}

Result<Cell> CalledFunctionality::ask_value(const UnknownValue& unknown, std::size_t connection) {
  if (unknown.expression->kind != ExpressionKind::call) {
    return Diagnostic{
        .what = "the value of " + print_expression(*unknown.expression) + " is not known",
        .what_to_do = "put what it stands for into the program",
        .file = unknown.source.file,
        .position = unknown.source.position,
        .trouble = Trouble::bad_input};
  }
  const auto answer = ask({.text = question_text(unknown),
                           .place = Place::next,
                           .statement = {},
                           .is_question = true,
                           .connection = connection});
  if (!answer) return answer.error();
  if (answer->refusal || answer->rows.empty()) {
    return Diagnostic{.what = "the store does not say " + print_expression(*unknown.expression) +
                              (answer->refusal ? ": " + answer->refusal->message : ""),
                      .what_to_do = "put a value that is known into the program",
                      .file = unknown.source.file,
                      .position = unknown.source.position,
                      .trouble = Trouble::bad_input};
  }
  return answer->rows.front().at(0);
}

Reply CalledFunctionality::to_reply(const Interpretation& run) const {
  Reply reply;
  if (run.error) {
    const bool is_refusal = refusal_ && refusal_state(refusal_->code) == run.error->sqlstate &&
                            (refusal_->message.empty() || refusal_->message == run.error->message);
    StepError own;
    own.code = run.error->sqlstate;
    own.severity = "ERROR";
    own.message = run.error->message;
    reply.error = is_refusal ? *refusal_ : own;
    const bool tells_to_retry =
        run.error->gives_up || interpreter::is_refusal({.sqlstate = run.error->sqlstate,
                                                        .exception = run.error->exception,
                                                        .message = run.error->message},
                                                       refusals_);
    if (tells_to_retry && !ends_session(reply.error->error_class)) {
      reply.error->error_class = ErrorClass::refused;
    }
    return reply;
  }
  ResultSet result;
  result.has_rows = functionality_.returns && *functionality_.returns != "void";
  result.command_tag = "CALL";
  for (const ResultColumn& column : run.columns) {
    Column& known = result.columns.emplace_back();
    known.name = column.name;
    known.type = column.type;
  }
  result.rows = run.returned;
  reply.result = std::move(result);
  return reply;
}

}  // namespace heddle
