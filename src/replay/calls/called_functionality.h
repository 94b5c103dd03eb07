// A functionality that runs as far as its next statement, waits there for as long as it takes until
// the store has answered, and goes on.
//
//   CalledFunctionality call(program, functionality, {"1", "10.50"});
//   while (const CalledFunctionality::Request* request = call.next()) {
//     send(request->text);           // and wait, and do other things
//     call.take_answer(replies);
//   }
//   call.end()                       // what it returned, or the error that it ended with
//
// The interpreter asks for statements in the middle of its calls, so it runs in a coroutine. One
// that is given up in the middle is told so when it is destroyed, and ends without another request.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/coroutine.h"
#include "heddle/interpret.h"
#include "heddle/outcome.h"
#include "replay/calls/call_text.h"

namespace heddle {

class CalledFunctionality {
 public:
  // To which step of its session something belongs.
  enum class Place : std::uint8_t {
    own,   // a step of its own: statements, COMMIT, ROLLBACK
    next,  // the step of what follows: BEGIN, SAVEPOINT, values that the store knows
    last,  // that of what was before: ROLLBACK TO SAVEPOINT, RELEASE SAVEPOINT
  };

  // What is to be sent.
  struct Request {
    std::string text;
    Place place = Place::own;
    std::optional<std::size_t> statement;  // of list_statements(); none: heddle's own
    std::string pattern = {};              // the text with $1, $2, ... in place of values
    std::vector<ClientValue> values = {};  // these
    bool is_question = false;              // for a value that only the store knows
    bool is_redis = false;                 // a command, for the store that is Redis
    std::size_t connection = 0;            // as ProgramStatement::connection
  };

  // The first two must outlive the object. `refusals`: names of errors that say that nothing
  // happened (interpret/refusal.h).
  CalledFunctionality(const Program& program, const Functionality& functionality,
                      std::vector<Cell> arguments, Literals literals = Literals::typed,
                      std::vector<std::string> refusals = {});
  ~CalledFunctionality();
  CalledFunctionality(const CalledFunctionality&) = delete;
  CalledFunctionality& operator=(const CalledFunctionality&) = delete;

  // What is to be sent now; null: it has ended.
  const Request* next();
  // The replies to what `next` said. REQUIRES: next() is not null.
  void take_answer(const std::vector<Reply>& replies);

  // Requests, counted from 0 over the whole call, that belong to attempts which came to nothing and
  // were made again: as if they had not been sent. Each is told once.
  std::vector<std::size_t> take_left_out() { return std::exchange(left_out_, {}); }

  bool has_ended() const { return end_.has_value(); }
  // What it gives its caller: rows, or the error that it ends with. Errors: as interpret().
  // REQUIRES: has_ended().
  const Result<Reply>& end() const { return *end_; }

 private:
  class Runner;

  void run();
  // On the coroutine: has it sent. Errors: the run was given up.
  Result<StatementResult> ask(Request request);
  Result<Cell> ask_value(const UnknownValue& unknown, std::size_t connection);
  Reply to_reply(const Interpretation& run) const;

  const Program& program_;
  const Functionality& functionality_;
  std::vector<Cell> arguments_;
  Literals literals_;
  std::vector<std::string> refusals_;
  std::optional<Request> request_;
  Result<StatementResult> answer_;
  std::optional<StepError> refusal_;  // the last one
  std::optional<Result<Reply>> end_;
  std::size_t asked_ = 0;  // requests
  std::vector<std::size_t> left_out_;
  bool is_given_up_ = false;
  Coroutine coroutine_;
};

}  // namespace heddle
