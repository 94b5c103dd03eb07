#include "frontend/history/jepsen.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "frontend/history/jepsen_calls.h"
#include "frontend/history/jepsen_transactions.h"

namespace heddle {

namespace {

constexpr int kFirstOperations = 1000;

// Whether one of the first operations is a transaction; none: there is no operation.
Result<bool> begins_with_transactions(OperationSource& source) {
  JepsenOperation operation;
  bool has_operations = false;
  for (int i = 0; i < kFirstOperations && source.next(operation); ++i) {
    if (is_transaction(operation)) return true;
    has_operations = true;
  }
  if (source.reader().trouble()) return *source.reader().trouble();
  if (has_operations) return false;
  return Diagnostic{.what = "there is no operation in this history",
                    .what_to_do = "give a history with operations of clients",
                    .file = source.reader().name()};
}

}  // namespace

Result<RecordedHistory> read_jepsen(std::string_view bytes, const std::string& name,
                                    HistoryFormat format, const ReadHistoryOptions& options) {
  const Result<bool> has_transactions =
      begins_with_transactions(*make_operation_source(format, bytes, name));
  if (!has_transactions) return has_transactions.error();
  const std::unique_ptr<OperationSource> source = make_operation_source(format, bytes, name);
  if (!*has_transactions) return recorded(read_jepsen_calls(*source, options));
  if (options.model) {
    return Diagnostic{.what = fmt::format("the operations are transactions, which no {} has",
                                          to_string(*options.model)),
                      .what_to_do = "leave the model out; it is for single calls on objects",
                      .file = name};
  }
  Result<TransactionHistory> history = read_jepsen_transactions(*source, options);
  if (history) history->partial = true;
  return recorded(std::move(history));
}

}  // namespace heddle
