// Values that were read and never written.
#include "check/levels/outside.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// s1 writes x=2 and reads x=3, y=3; s2 reads x=3, x=2 and that y is not there.
TransactionHistory two_readers() {
  TransactionHistory history;
  history.sessions = {"a", "b"};
  const KeyId x = history.keys.of(Value::number(1));
  const KeyId y = history.keys.of(Value::number(2));
  TransactionBuilder(history, 0).write(x, Value::number(2)).end();
  TransactionBuilder(history, 0).read(x, Value::number(3)).read(y, Value::number(3)).end();
  TransactionBuilder(history, 1)
      .read(x, Value::number(3))
      .read(x, Value::number(2))
      .read(x, Value::number(2))
      .read(y, kNil)
      .end();
  // Read more often than it is written.
  TransactionBuilder(history, 1).read(x, Value::number(2)).end();
  return history;
}

TEST(Outside, one_writer_for_each_value_that_nobody_wrote) {
  TransactionHistory history = two_readers();
  history.partial = true;
  add_outside_writers(history);
  ASSERT_EQ(history.transactions.size(), 6U);
  for (std::size_t i = 4; i < 6; ++i) {
    EXPECT_EQ(history.transactions[i].outcome, TransactionOutcome::unknown);
    ASSERT_EQ(history.transactions[i].count, 1U);
    const KeyOperation& write = history.operations_of(TransactionId(i))[0];
    EXPECT_EQ(write.action, KeyAction::write);
    EXPECT_EQ(write.value, Value::number(3));
    EXPECT_EQ(history.sessions.at(history.transactions[i].session), "outside");
  }
  EXPECT_NE(history.transactions[4].session, history.transactions[5].session);
}

TEST(Outside, whole_histories_stay_as_they_are) {
  TransactionHistory history = two_readers();
  add_outside_writers(history);
  EXPECT_EQ(history.transactions.size(), 4U);
}

}  // namespace
}  // namespace heddle
