// The server's side of a client's units (client_statements.h): what to say to each message of one
// when its statement has been executed.
//
//   UnitAnswers answers(describe);
//   answers.answer(unit, {.columns = ..., .rows = ..., .tag = "SELECT 2"});
//
// ReadyForQuery is the caller's, who knows of transactions. No sockets and no store here.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "wire/postgres/client_statements.h"
#include "wire/postgres/messages.h"

namespace heddle::postgres {

using DataRow = std::vector<std::optional<std::string>>;

// What a statement gave. Neither columns nor a tag: the statement was empty.
struct StatementResult {
  std::optional<std::vector<FieldDescription>> columns = {};  // none: it gives no rows
  std::vector<DataRow> rows = {};
  std::string tag = {};
};

struct UnitAnswer {
  std::string bytes;
  std::string refusal = {};  // what the ErrorResponse says that is the last of them; empty: none is
};

class UnitAnswers {
 public:
  // The columns of a statement that nobody has executed yet; error: nobody can say.
  using Describe =
      std::function<Result<std::optional<std::vector<FieldDescription>>>(const std::string& text)>;

  explicit UnitAnswers(Describe describe) : describe_(std::move(describe)) {}

  // Of a unit with a statement that gave this; of others the result is of no interest. What is not
  // served (rows in binary, calls by number) is an error of its own.
  UnitAnswer answer(const ClientUnit& unit, const StatementResult& result);

 private:
  struct Portal {
    std::string statement;
    std::optional<std::vector<FieldDescription>> columns;
    std::deque<DataRow> rows;  // that have not been asked for
    std::string tag;
    bool is_executed = false;
  };

  struct Executed {
    std::string portal;
    std::string statement;
  };

  void find_executed(const ClientUnit& unit, const std::vector<WireMessage>& messages);
  void answer_message(const WireMessage& message, const StatementResult& result,
                      UnitAnswer& answer);
  void bind(const BindMessage& message, UnitAnswer& answer);
  void describe(const TargetMessage& target, const StatementResult& result, UnitAnswer& answer);
  void execute(const ExecuteMessage& message, const StatementResult& result, UnitAnswer& answer);

  Describe describe_;
  std::optional<Executed> executed_;  // by the unit that is answered
  std::map<std::string, ParseMessage> statements_;
  std::map<std::string, Portal> portals_;
};

// The SQLSTATE of what a server does not do (feature_not_supported).
inline constexpr const char* kNotSupported = "0A000";

}  // namespace heddle::postgres
