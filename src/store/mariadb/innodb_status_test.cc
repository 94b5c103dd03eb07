#include "store/mariadb/innodb_status.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A section of the status: the transaction of a connection and its locks.
std::string transaction(int connection, const std::string& locks, bool waits = false) {
  return fmt::format(
      "---TRANSACTION {}, ACTIVE 1 sec\nmysql tables in use 1, locked 1\n{}2 lock struct(s), heap "
      "size 1128, 1 row lock(s)\nMariaDB thread id {}, OS thread handle 1, query id 7 localhost "
      "root Updating\nupdate `MariaDB thread id 99` set v=12\n{}",
      connection + 20, waits ? "LOCK WAIT " : "", connection, locks);
}

std::string record_lock(const std::string& words, std::initializer_list<int> records,
                        int page = 3) {
  std::string text = fmt::format(
      "RECORD LOCKS space id 5 page no {} n bits 320 index PRIMARY of table `d`.`t` trx id 25 {}\n",
      page, words);
  for (const int record : records) {
    text += fmt::format(
        "Record lock, heap no {} PHYSICAL RECORD: n_fields 4; compact format\n"
        " 0: len 4; hex 80000001; asc     ;;\n\n",
        record);
  }
  return text;
}

std::string status(const std::string& transactions) {
  return "TRANSACTIONS\n------------\nTrx id counter 26\n" + transactions +
         "--------\nFILE I/O\n--------\n" + transaction(77, "", true);
}

// Whom connection 4 waits for, which wants that lock, when connection 3 has the other.
std::vector<std::uint64_t> blockers(const std::string& wanted, const std::string& held) {
  const auto waits = read_innodb_waits(status(transaction(4, wanted, true) + transaction(3, held)));
  EXPECT_EQ(waits.size(), 1U);
  return waits.empty() ? std::vector<std::uint64_t>{} : waits[0].blockers;
}

TEST(InnodbStatus, nobody_waits) {
  EXPECT_THAT(read_innodb_waits(""), IsEmpty());
  EXPECT_THAT(read_innodb_waits("---TRANSACTION"), IsEmpty());
  EXPECT_THAT(read_innodb_waits(status(transaction(3, record_lock("lock_mode X", {2})))),
              IsEmpty());
}

TEST(InnodbStatus, rows) {
  const std::string wanted = record_lock("lock_mode X locks rec but not gap waiting", {2});
  EXPECT_THAT(blockers(wanted, record_lock("lock_mode X locks rec but not gap", {2})),
              ElementsAre(3));
  EXPECT_THAT(blockers(wanted, record_lock("lock mode S locks rec but not gap", {1, 2})),
              ElementsAre(3));
  EXPECT_THAT(blockers(wanted, record_lock("lock_mode X", {2, 3})), ElementsAre(3));
  EXPECT_THAT(blockers(wanted, record_lock("lock_mode X locks gap before rec", {2})), IsEmpty());
  EXPECT_THAT(blockers(wanted, record_lock("lock_mode X locks rec but not gap", {3})), IsEmpty());
  EXPECT_THAT(blockers(wanted, record_lock("lock_mode X", {2}, 4)), IsEmpty());
  const std::string shared = record_lock("lock mode S locks rec but not gap waiting", {2});
  EXPECT_THAT(blockers(shared, record_lock("lock mode S", {2})), IsEmpty());
  EXPECT_THAT(blockers(shared, record_lock("lock_mode X", {2})), ElementsAre(3));
}

TEST(InnodbStatus, gaps) {
  const std::string insert =
      record_lock("lock_mode X locks gap before rec insert intention waiting", {2});
  EXPECT_THAT(blockers(insert, record_lock("lock mode S locks gap before rec", {2})),
              ElementsAre(3));
  EXPECT_THAT(blockers(insert, record_lock("lock_mode X", {2})), ElementsAre(3));
  EXPECT_THAT(blockers(insert, record_lock("lock_mode X locks rec but not gap", {2})), IsEmpty());
  EXPECT_THAT(
      blockers(insert, record_lock("lock_mode X locks gap before rec insert intention", {2})),
      IsEmpty());
  // Behind the last record.
  EXPECT_THAT(blockers(record_lock("lock_mode X insert intention waiting", {1}),
                       record_lock("lock_mode X", {1})),
              ElementsAre(3));
}

TEST(InnodbStatus, tables) {
  const std::string wanted = "TABLE LOCK table `d`.`t` trx id 25 lock mode X waiting\n";
  EXPECT_THAT(blockers(wanted, "TABLE LOCK table `d`.`t` trx id 23 lock mode IS\n"),
              ElementsAre(3));
  EXPECT_THAT(blockers(wanted, "TABLE LOCK table `d`.`u` trx id 23 lock mode X\n"), IsEmpty());
  const std::string numbers = "TABLE LOCK table `d`.`t` trx id 25 lock mode AUTO-INC waiting\n";
  EXPECT_THAT(blockers(numbers, "TABLE LOCK table `d`.`t` trx id 23 lock mode AUTO-INC\n"),
              ElementsAre(3));
  EXPECT_THAT(blockers(numbers, "TABLE LOCK table `d`.`t` trx id 23 lock mode IX\n"), IsEmpty());
}

TEST(InnodbStatus, who_waits_as_well_counts_where_nobody_holds_it) {
  const std::string wanted = record_lock("lock_mode X locks rec but not gap waiting", {2});
  const auto waits = read_innodb_waits(
      status(transaction(4, wanted, true) + transaction(3, wanted, true) +
             transaction(5, record_lock("lock mode S locks rec but not gap", {2}))));
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_THAT(waits[0].blockers, ElementsAre(5));
  const auto queue =
      read_innodb_waits(status(transaction(4, wanted, true) + transaction(3, wanted, true)));
  EXPECT_THAT(queue.at(0).blockers, ElementsAre(3));
}

}  // namespace
}  // namespace heddle
