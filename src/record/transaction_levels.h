// The isolation level that a connection's transactions have, as far as the client says it itself.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

class TransactionLevels {
 public:
  // What the client has said when it connected: "-c default_transaction_isolation=serializable".
  void begin(std::string_view options);
  // Whether a statement of that text may say something of levels: cheaper than its essence.
  static bool may_concern(std::string_view text);
  // With the statement's essence (wire/postgres/statement_essence.h), before it is answered.
  void statement(std::string_view essence);
  // The transaction is over.
  void end() { transaction_.clear(); }

  // "repeatable-read"; empty: the store's default.
  const std::string& level() const { return transaction_.empty() ? session_ : transaction_; }

 private:
  std::string first_;  // that of the session when it began
  std::string session_;
  std::string transaction_;
};

}  // namespace heddle
