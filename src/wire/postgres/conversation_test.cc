#include "wire/postgres/conversation.h"

#include <string>

#include <gtest/gtest.h>

#include "wire/postgres/conversation_testing.h"

namespace heddle::postgres {
namespace {

// One statement of the extended protocol with its Sync.
const std::string kBegin = "> P||BEGIN & B|| & E| & S\n< 1 & 2 & C|BEGIN & Z|T\n";

TEST(Conversation, a_simple_query_is_one_unit) {
  EXPECT_EQ(told("> Q|SELECT id, name FROM t\n"
                 "< T|id:23|name:25 & D|5|x & D|6|null & C|SELECT 2 & Z|I\n"
                 "> Q|UPDATE t SET a = 1\n"
                 "< C|UPDATE 3 & Z|I\n"),
            "1 query I>I g1: SELECT id, name FROM t -> [id name] {5 x} {6 null} SELECT 2\n"
            "2 query I>I g2: UPDATE t SET a = 1 -> UPDATE 3\n");
}

TEST(Conversation, an_execution_has_the_text_and_the_values_it_was_bound_with) {
  EXPECT_EQ(told("> P||SELECT name FROM t WHERE id = $1|23 & B|||5 & D|P| & E| & S\n"
                 "< 1 & 2 & T|name:25 & D|x & C|SELECT 1 & Z|I\n"),
            "1 execution I>I g1: SELECT name FROM t WHERE id = $1 ($1=5:23) -> [name] {x} "
            "SELECT 1\n");
}

TEST(Conversation, several_statements_of_one_query_are_one_unit) {
  EXPECT_EQ(told("> Q|BEGIN; UPDATE a; SELECT 1; COMMIT\n"
                 "< C|BEGIN & C|UPDATE 1 & T|?column?:23 & D|1 & C|SELECT 1 & C|COMMIT & Z|I\n"),
            "1 query I>I g1: BEGIN; UPDATE a; SELECT 1; COMMIT -> BEGIN, UPDATE 1, [?column?] {1} "
            "SELECT 1, COMMIT\n");
  EXPECT_EQ(told("> Q|UPDATE a; UPDATE b; UPDATE c\n"
                 "< C|UPDATE 1 & E|23505 & Z|I\n"
                 "> Q|SELECT 1\n< T|a:23 & D|1 & C|SELECT 1 & Z|I\n"),
            "1 query I>I g1: UPDATE a; UPDATE b; UPDATE c -> UPDATE 1; error 23505\n"
            "2 query I>I g2: SELECT 1 -> [a] {1} SELECT 1\n");
}

TEST(Conversation, the_state_between_begin_and_the_first_statement_is_known_under_one_sync) {
  EXPECT_EQ(told("> P||BEGIN & B|| & E| & P||UPDATE a & B|| & E| & S\n"
                 "< 1 & 2 & C|BEGIN & 1 & 2 & C|UPDATE 1 & Z|T\n"
                 "> P||COMMIT & B|| & E| & S\n< 1 & 2 & C|COMMIT & Z|I\n"),
            "1 execution I>T g1: BEGIN -> BEGIN\n"
            "2 execution T>T g1: UPDATE a -> UPDATE 1\n"
            "3 execution T>I g2: COMMIT -> COMMIT\n");
}

TEST(Conversation, a_rollback_to_a_savepoint_does_not_end_the_transaction) {
  EXPECT_EQ(told(kBegin + "> P||ROLLBACK TO SAVEPOINT s & B|| & E| & P||ROLLBACK & B|| & E| "
                          "& P||SELECT 1 & B|| & E| & S\n"
                          "< 1 & 2 & C|ROLLBACK & 1 & 2 & C|ROLLBACK & 1 & 2 & C|SELECT 0 & Z|I\n"),
            "1 execution I>T g1: BEGIN -> BEGIN\n"
            "2 execution T>T g2: ROLLBACK TO SAVEPOINT s -> ROLLBACK\n"
            "3 execution T>I g2: ROLLBACK -> ROLLBACK\n"
            "4 execution I>I g2: SELECT 1 -> SELECT 0\n");
  EXPECT_EQ(
      told(kBegin + "> P||/* customer TOTAL */ ROLLBACK & B|| & E| & P||SELECT 1 & B|| & E| & S\n"
                    "< 1 & 2 & C|ROLLBACK & 1 & 2 & C|SELECT 0 & Z|I\n"),
      "1 execution I>T g1: BEGIN -> BEGIN\n"
      "2 execution T>I g2: /* customer TOTAL */ ROLLBACK -> ROLLBACK\n"
      "3 execution I>I g2: SELECT 1 -> SELECT 0\n");
}

TEST(Conversation, units_are_told_in_their_order_when_a_client_does_not_wait) {
  EXPECT_EQ(told("> P|a|SELECT $1 & B||a|1 & E| & S & B||a|2 & E| & S\n"
                 "> Q|SELECT 3\n"
                 "< 1 & 2 & D|1 & C|SELECT 1 & Z|I & 2 & D|2 & C|SELECT 1 & Z|I\n"
                 "< T|c:23 & D|3 & C|SELECT 1 & Z|I\n"),
            "1 execution I>I g1: SELECT $1 ($1=1:0) -> {1} SELECT 1\n"
            "2 execution I>I g2: SELECT $1 ($1=2:0) -> {2} SELECT 1\n"
            "3 query I>I g3: SELECT 3 -> [c] {3} SELECT 1\n");
}

TEST(Conversation, behind_an_error_all_is_skipped_to_the_sync) {
  EXPECT_EQ(told("> P||A & B|| & E| & P||B & B|| & E| & P||C & B|| & E| & S\n"
                 "> P||D & B|| & E| & S\n"
                 "< 1 & 2 & C|UPDATE 1 & 1 & 2 & E|23505 & Z|I & 1 & 2 & C|UPDATE 1 & Z|I\n"),
            "1 execution I>I g1: A -> UPDATE 1\n"
            "2 execution I>I g1: B; error 23505\n"
            "3 execution I>I g1: C; skipped\n"
            "4 execution I>I g2: D -> UPDATE 1\n");
  // The error may be of the Parse or of the Bind, too.
  EXPECT_EQ(told(kBegin + "> P||A & B|| & E| & P||B & B|| & E| & S\n< E|42601 & Z|E\n"
                          "> P||C & B|| & E| & S\n< 1 & E|25P02 & Z|E\n"),
            "1 execution I>T g1: BEGIN -> BEGIN\n"
            "2 execution T>E g2: A; error 42601\n"
            "3 execution E>E g2: B; skipped\n"
            "4 execution E>E g3: C; error 25P02\n");
}

TEST(Conversation, what_is_sent_behind_an_error_that_was_seen_is_skipped_too) {
  EXPECT_EQ(told(kBegin + "> P||A & B|| & E| & H\n< 1 & 2 & E|23505\n"
                          "> P||B & B|| & E|\n> P||C & B|| & E| & S\n< Z|E\n"
                          "> Q|ROLLBACK\n< C|ROLLBACK & Z|I\n"),
            "1 execution I>T g1: BEGIN -> BEGIN\n"
            "2 execution T>E g2: A; error 23505\n"
            "3 execution E>E g2: B; skipped\n"
            "4 execution E>E g2: C; skipped\n"
            "5 query E>I g3: ROLLBACK -> ROLLBACK\n");
}

TEST(Conversation, a_query_behind_an_error_in_a_pipeline_is_skipped_like_all_else) {
  EXPECT_EQ(told("> P||A & B|| & E| & Q|B & P||C & B|| & E| & S\n"
                 "< 1 & 2 & E|23505 & Z|I\n"
                 "> Q|D\n< C|UPDATE 1 & Z|I\n"),
            "1 execution I>I g1: A; error 23505\n"
            "2 query I>I g1: B; skipped\n"
            "3 execution I>I g2: C; skipped\n"
            "4 query I>I g3: D -> UPDATE 1\n");
  EXPECT_EQ(told("> P||A & B|| & E| & H\n< 1 & 2 & E|23505\n> Q|B & F & S\n< Z|I\n"
                 "> Q|D\n< C|UPDATE 1 & Z|I\n"),
            "1 execution I>I g1: A; error 23505\n"
            "2 query I>I g1: B; skipped\n"
            "3 call I>I g2:; skipped\n"
            "4 prepare I>I g3:\n"
            "5 query I>I g4: D -> UPDATE 1\n");
}

TEST(Conversation, an_error_of_a_unit_that_the_client_has_not_ended_belongs_to_it) {
  EXPECT_EQ(told("> P||A & H\n< E|42601\n> B|| & E| & S\n< Z|I\n"),
            "1 execution I>I g1: A; error 42601\n");
  EXPECT_EQ(told("> P|s|A & D|S|s & H\n< E|42601\n> S\n< Z|I\n"
                 "> Q|B\n< C|UPDATE 1 & Z|I\n"),
            "1 prepare I>I g1:; error 42601\n"
            "2 query I>I g2: B -> UPDATE 1\n");
}

TEST(Conversation, bind_may_come_before_parse_was_answered) {
  EXPECT_EQ(told("> P|s|SELECT $1 & D|S|s\n> B||s|5\n> E|\n> S\n"
                 "< 1 & t|20 & T|v:20 & 2 & D|5 & C|SELECT 1 & Z|I\n"),
            "1 execution I>I g1: SELECT $1 ($1=5:20) -> [v] {5} SELECT 1\n");
}

TEST(Conversation, types_that_the_client_leaves_open_are_those_that_the_server_tells) {
  EXPECT_EQ(told("> P|s|SELECT $1, $2|0|0 & D|S|s & S\n< 1 & t|23|25 & T|a:23|b:25 & Z|I\n"
                 "> B||s|0x00000007|x & E| & S\n< 2 & D|7|x & C|SELECT 1 & Z|I\n"),
            "1 prepare I>I g1:\n"
            "2 execution I>I g2: SELECT $1, $2 ($1=7:23 $2=x:25) -> [a b] {7 x} SELECT 1\n");
}

TEST(Conversation, rows_are_read_in_the_formats_that_the_client_asked_for) {
  EXPECT_EQ(told("> P|s|SELECT & D|S|s & S\n< 1 & t & T|a:23|b:25|c:1700 & Z|I\n"
                 "> B||s|=>|1 & E| & S\n< 2 & D|0xfffffffe|x|0x0001 & C|SELECT 1 & Z|I\n"
                 "> B||s|=>|0|1|1 & E| & S\n< 2 & D|-2|x|null & C|SELECT 1 & Z|I\n"),
            "1 prepare I>I g1:\n"
            "2 execution I>I g2: SELECT -> [a b c] {-2 x (binary)} SELECT 1\n"
            "3 execution I>I g3: SELECT -> [a b c] {-2 x null} SELECT 1\n");
}

TEST(Conversation, flush_waits_without_a_sync) {
  EXPECT_EQ(told("> P||A & B|| & E| & H\n< 1 & 2 & C|UPDATE 1\n"
                 "> P||B & B|| & E| & H\n< 1 & 2 & C|UPDATE 2\n> S\n< Z|I\n"),
            "1 execution I>I g1: A -> UPDATE 1\n"
            "2 execution I>I g1: B -> UPDATE 2\n");
}

TEST(Conversation, a_portal_gives_more_rows_when_it_is_executed_again) {
  EXPECT_EQ(
      told(kBegin + "> P||SELECT a & B|p| & D|P|p & E|p & S\n< 1 & 2 & T|a:23 & D|1 & s & Z|T\n"
                    "> E|p & S\n< D|2 & s & Z|T\n"
                    "> E|p & C|P|p & S\n< D|3 & C|SELECT 1 & 3 & Z|T\n"),
      "1 execution I>T g1: BEGIN -> BEGIN\n"
      "2 execution T>T g2: SELECT a -> [a] {1} suspended -\n"
      "3 more_rows T>T g3: SELECT a -> [a] {2} suspended -\n"
      "4 more_rows T>T g4: SELECT a -> [a] {3} SELECT 1\n"
      "5 prepare T>T g4:\n");
}

TEST(Conversation, portals_end_with_their_transaction) {
  EXPECT_EQ(told("> P||SELECT a & B|p| & E|p & S & P||SELECT b & B|q| & E|q & S\n"
                 "< 1 & 2 & s & Z|I\n"
                 "> E|p & S\n< 1 & 2 & s & Z|I & E|34000 & Z|I\n"),
            "1 execution I>I g1: SELECT a -> suspended -\n"
            "2 execution I>I g2: SELECT b -> suspended -\n"
            "3 execution I>I g3: p; error 34000\n");
}

TEST(Conversation, notices_notifications_and_settings_come_at_any_time) {
  EXPECT_EQ(
      told("< N|00000 & A & S|TimeZone|UTC\n"
           "> P||SELECT 1 & B|| & E| & S\n"
           "< A & 1 & N|00000 & 2 & S|TimeZone|UTC & D|1 & N|00000 & C|SELECT 1 & A & N|1 & Z|I\n"
           "< A & N|00000\n"
           "> Q|DO 1\n< N|00000 & C|DO & Z|I\n"),
      "1 execution I>I g1: SELECT 1 -> {1} SELECT 1; notices 2\n"
      "2 query I>I g2: DO 1 -> DO; notices 1\n");
}

TEST(Conversation, an_empty_query_is_a_unit_without_a_tag) {
  EXPECT_EQ(told("> Q|\n< I & Z|I\n> P|| & B|| & E| & S\n< 1 & 2 & I & Z|I\n> S\n< Z|I\n"),
            "1 query I>I g1: -> -\n2 execution I>I g2: -> -\n3 prepare I>I g3:\n");
}

TEST(Conversation, copies_are_counted_both_ways) {
  EXPECT_EQ(told("> Q|COPY t TO STDOUT\n< H & d|1 & d|23 & c & C|COPY 2 & Z|I\n"
                 "> P||COPY t TO STDOUT & B|| & E| & S\n< 1 & 2 & H & d|1 & c & C|COPY 1 & Z|I\n"
                 "> Q|COPY t FROM STDIN\n< G\n> d|12 & d|34 & c\n< C|COPY 2 & Z|I\n"
                 "> Q|SELECT 1\n< T|a:23 & D|1 & C|SELECT 1 & Z|I\n"),
            "1 query I>I g1: COPY t TO STDOUT -> copied out 2/3 COPY 2\n"
            "2 execution I>I g2: COPY t TO STDOUT -> copied out 1/1 COPY 1\n"
            "3 query I>I g3: COPY t FROM STDIN -> copied 2/4 COPY 2\n"
            "4 query I>I g4: SELECT 1 -> [a] {1} SELECT 1\n");
}

TEST(Conversation, a_server_that_copies_ignores_syncs) {
  const std::string copied =
      "1 execution I>I g1: COPY t FROM STDIN -> copied 2/4 COPY 2\n"
      "2 query I>I g3: SELECT 1 -> [a] {1} SELECT 1\n";
  // It was sent with the statement, or while the data were sent.
  EXPECT_EQ(told("> P||COPY t FROM STDIN & B|| & E| & S\n< 1 & 2 & G\n"
                 "> d|12 & d|34 & c & S\n< C|COPY 2 & Z|I\n"
                 "> Q|SELECT 1\n< T|a:23 & D|1 & C|SELECT 1 & Z|I\n"),
            copied);
  EXPECT_EQ(told("> P||COPY t FROM STDIN & B|| & E| & H\n< 1 & 2 & G\n"
                 "> d|12 & S & d|34 & S & c & S\n< C|COPY 2 & Z|I\n"
                 "> Q|SELECT 1\n< T|a:23 & D|1 & C|SELECT 1 & Z|I\n"),
            "1 execution I>I g1: COPY t FROM STDIN -> copied 2/4 COPY 2\n"
            "2 query I>I g2: SELECT 1 -> [a] {1} SELECT 1\n");
  // A second one would have been a unit of its own.
  EXPECT_EQ(told("> P||COPY t FROM STDIN & B|| & E| & S & S\n< 1 & 2 & G\n"
                 "> d|12 & c & S\n< C|COPY 1 & Z|I\n> Q|A\n< C|UPDATE 1 & Z|I\n"),
            "1 execution I>I g1: COPY t FROM STDIN -> copied 1/2 COPY 1\n"
            "2 prepare I>I g2:; skipped\n"
            "3 query I>I g4: A -> UPDATE 1\n");
}

TEST(Conversation, a_copy_fails_in_the_middle_or_because_the_client_wants_it) {
  EXPECT_EQ(told("> Q|COPY t FROM STDIN\n< G\n> d|12 & f|no\n< E|57014 & Z|I\n"
                 "> Q|COPY t FROM STDIN\n< G\n> d|1\n< E|22P02\n> d|2 & d|3\n< Z|I\n> d|4 & c\n"
                 "> Q|A\n< C|UPDATE 1 & Z|I\n"),
            "1 query I>I g1: COPY t FROM STDIN -> copied 1/2 -; error 57014\n"
            "2 query I>I g2: COPY t FROM STDIN -> copied 1/1 -; error 22P02\n"
            "3 query I>I g3: A -> UPDATE 1\n");
  EXPECT_EQ(told("> P||COPY t FROM STDIN & B|| & E| & S\n< 1 & 2 & G\n> d|1\n< E|22P02\n"
                 "> d|2 & c & S\n< Z|I\n> Q|A\n< C|UPDATE 1 & Z|I\n"),
            "1 execution I>I g1: COPY t FROM STDIN -> copied 1/1 -; error 22P02\n"
            "2 query I>I g3: A -> UPDATE 1\n");
  EXPECT_EQ(
      told("> P||COPY t FROM STDIN & B|| & E| & H\n< 1 & 2 & G\n> d|1 & c & S\n< E|22P02 & Z|I\n"
           "> Q|A\n< C|UPDATE 1 & Z|I\n"),
      "1 execution I>I g1: COPY t FROM STDIN -> copied 1/1 -; error 22P02\n"
      "2 query I>I g2: A -> UPDATE 1\n");
}

TEST(Conversation, a_client_may_send_its_data_before_it_is_asked_for_them) {
  EXPECT_EQ(told("> P||COPY t FROM STDIN & B|| & E| & d|12 & c & S & P||A & B|| & E| & S\n"
                 "< 1 & 2 & G & C|COPY 1 & Z|I & 1 & 2 & C|UPDATE 1 & Z|I\n"),
            "1 execution I>I g1: COPY t FROM STDIN -> copied 1/2 COPY 1\n"
            "2 execution I>I g2: A -> UPDATE 1\n");
}

TEST(Conversation, an_error_at_the_sync_is_that_of_the_last_statement) {
  EXPECT_EQ(told("> P||A & B|| & E| & P||B & B|| & E| & S\n"
                 "< 1 & 2 & C|UPDATE 1 & 1 & 2 & C|UPDATE 1 & E|23503 & Z|I\n"
                 "> Q|C\n< C|UPDATE 1 & Z|I\n"),
            "1 execution I>I g1: A -> UPDATE 1\n"
            "2 execution I>I g1: B -> UPDATE 1; error 23503\n"
            "3 query I>I g2: C -> UPDATE 1\n");
}

TEST(Conversation, a_server_may_leave_in_the_middle) {
  EXPECT_EQ(told("> P||A & B|| & E| & P||B & B|| & E| & S & Q|C\n< 1 & 2 & D|1 & E|57P01|FATAL\n"),
            "1 execution I>I g1: A -> {1} -; error 57P01\n"
            "2 execution I>? g1: B; skipped\n"
            "unanswered:\n"
            "3 query ?>? g2: C\n");
  EXPECT_EQ(told("> Q|A\n< C|UPDATE 1 & Z|I & E|57P01|FATAL\n"),
            "1 query I>I g1: A -> UPDATE 1\nlast words 57P01\n");
}

TEST(Conversation, a_name_whose_parse_failed_keeps_its_meaning) {
  const std::string prepared = "> P|s|OLD & S\n< 1 & Z|I\n";
  const std::string used = "> B||s & E| & S\n< 2 & C|UPDATE 1 & Z|I\n";
  // The Parse failed, was skipped, or was sent when the error had been seen.
  EXPECT_EQ(told(prepared + "> P|s|NEW & B||s & E| & S\n< E|42P05 & Z|I\n" + used),
            "1 prepare I>I g1:\n2 execution I>I g2: NEW; error 42P05\n"
            "3 execution I>I g3: OLD -> UPDATE 1\n");
  EXPECT_EQ(told(prepared + "> B||x & E| & P|s|NEW & B||s & E| & S\n< E|26000 & Z|I\n" + used),
            "1 prepare I>I g1:\n2 execution I>I g2: x; error 26000\n"
            "3 execution I>I g2: NEW; skipped\n4 execution I>I g3: OLD -> UPDATE 1\n");
  EXPECT_EQ(told(prepared +
                 "> B||x & E| & H\n< E|26000\n> P|s|NEW & B||s & E| & C|S|s & S\n< Z|I\n" + used),
            "1 prepare I>I g1:\n2 execution I>I g2: x; error 26000\n"
            "3 execution I>I g2: NEW; skipped\n4 prepare I>I g2:\n"
            "5 execution I>I g3: OLD -> UPDATE 1\n");
  // What was prepared behind the Sync stays.
  EXPECT_EQ(told("> P||A & B|| & E| & S & P||B & S\n< E|42601 & Z|I & 1 & Z|I\n"
                 "> B|| & E| & S\n< 2 & C|UPDATE 1 & Z|I\n"),
            "1 execution I>I g1: A; error 42601\n2 prepare I>I g2:\n"
            "3 execution I>I g3: B -> UPDATE 1\n");
}

TEST(Conversation, names_are_forgotten_when_they_are_deallocated) {
  const std::string prepared = "> P|s|A & P|t|B & S\n< 1 & 1 & Z|I\n";
  const std::string used =
      "> B||s & E| & S & B||t & E| & S\n< E|26000 & Z|I & 2 & C|SELECT 0 & Z|I\n";
  for (const std::string all : {"DEALLOCATE ALL", "DISCARD ALL"}) {
    EXPECT_EQ(
        told(prepared + "> Q|" + all + " & P|t|C & S\n< C|" + all + " & Z|I & 1 & Z|I\n" + used),
        "1 prepare I>I g1:\n2 query I>I g2: " + all + " -> " + all +
            "\n3 prepare I>I g3:\n"
            "4 execution I>I g4: s; error 26000\n5 execution I>I g5: C -> SELECT 0\n");
  }
  for (const std::string one : {"DEALLOCATE s", "deallocate prepare \"s\";"}) {
    EXPECT_EQ(told(prepared + "> Q|" + one + "\n< C|DEALLOCATE & Z|I\n" + used),
              "1 prepare I>I g1:\n2 query I>I g2: " + one +
                  " -> DEALLOCATE\n"
                  "3 execution I>I g3: s; error 26000\n4 execution I>I g4: B -> SELECT 0\n");
  }
  EXPECT_EQ(told(prepared + "> C|S|s & S\n< 3 & Z|I\n" + used),
            "1 prepare I>I g1:\n2 prepare I>I g2:\n"
            "3 execution I>I g3: s; error 26000\n4 execution I>I g4: B -> SELECT 0\n");
}

TEST(Conversation, a_call_by_number_is_a_unit) {
  EXPECT_EQ(told("> F\n< V & Z|I\n> F\n< E|42883 & Z|I\n> Q|A\n< C|UPDATE 1 & Z|I\n"),
            "1 call I>I g1:\n2 call I>I g2:; error 42883\n3 query I>I g3: A -> UPDATE 1\n");
}

TEST(Conversation, of_long_messages_the_beginning_is_told) {
  const TellOptions options{.most_kept = 24};
  const std::string longer(100, 'x');
  EXPECT_EQ(told("> P||" + longer + " & B|| & E| & S\n< 1 & 2 & C|SELECT 0 & Z|I\n", options),
            "1 execution I>I g1: " + std::string(23, 'x') + "... of 104 -> SELECT 0\n");
  EXPECT_EQ(told("> Q|" + longer + "\n< C|SELECT 0 & Z|I\n", options),
            "1 query I>I g1: " + std::string(24, 'x') + "... of 100 -> SELECT 0\n");
  EXPECT_EQ(told("> P|s|A & B||s|" + longer + " & E| & S\n< 1 & 2 & C|SELECT 0 & Z|I\n", options),
            "1 execution I>I g1: A (too long) -> SELECT 0\n");
  EXPECT_EQ(told("> Q|A\n< T|a:25 & D|1 & D|" + longer + " & D|2 & C|SELECT 3 & Z|I\n", options),
            "1 query I>I g1: A -> [a] {1} of 3 rows SELECT 3\n");
  EXPECT_EQ(told("> Q|COPY\n< H & d|" + longer + " & c & C|COPY 1 & Z|I\n", options),
            "1 query I>I g1: COPY -> copied out 1/100 COPY 1\n");
  EXPECT_EQ(told("> P|" + longer + "|A & S\n", options),
            "malformed\nunanswered:\n1 prepare ?>? g1:\n");
}

// The hash of the only result.
std::uint64_t hash_of(std::string_view answer) {
  Conversation conversation({.rows = 1, .row_bytes = 100});
  conversation.server_message({.type = 'Z', .body = "I", .size = 1});
  for (const SentMessage& sent : read_conversation("> Q|A\n< " + std::string(answer) + " & Z|I")) {
    const CutMessage message = cut_at(sent.message, 24);
    if (sent.is_client) {
      EXPECT_TRUE(conversation.client_message(message));
    } else {
      conversation.server_message(message);
    }
  }
  const std::vector<WireUnit> units = conversation.take_answered();
  EXPECT_EQ(units.size(), 1U);
  return units.at(0).results.at(0).hash.value();
}

TEST(Conversation, rows_beyond_the_limits_are_counted_and_hashed) {
  const std::string three = "> Q|A\n< D|1 & D|2 & D|3 & C|SELECT 3 & C|SELECT 0 & Z|I\n";
  EXPECT_EQ(told(three, {.limits = {.rows = 2, .row_bytes = 100}}),
            "1 query I>I g1: A -> {1} {2} of 3 rows SELECT 3, SELECT 0\n");
  // A row of one value of one byte has seven bytes.
  EXPECT_EQ(told(three, {.limits = {.rows = 9, .row_bytes = 8}}),
            "1 query I>I g1: A -> {1} of 3 rows SELECT 3, SELECT 0\n");
  const std::string longer(100, 'x');
  EXPECT_EQ(hash_of("D|1 & D|2 & C|SELECT 2"), hash_of("D|1 & D|2 & C|SELECT 2"));
  EXPECT_NE(hash_of("D|1 & D|2 & C|SELECT 2"), hash_of("D|1 & D|3 & C|SELECT 2"));
  EXPECT_NE(hash_of("D|1 & D|" + longer + "a & C|SELECT 2"),
            hash_of("D|1 & D|" + longer + "b & C|SELECT 2"));
  EXPECT_NE(hash_of("H & d|" + longer + "a & C|COPY 1"),
            hash_of("H & d|" + longer + "b & C|COPY 1"));
}

TEST(Conversation, what_was_not_answered_is_told_at_the_end) {
  EXPECT_EQ(
      told("> P||A & B|| & E| & P||B & B|| & E| & S & Q|C\n< 1 & 2 & C|UPDATE 1 & 1 & 2 & D|1\n"),
      "1 execution I>? g1: A -> UPDATE 1\n"
      "unanswered:\n"
      "2 execution ?>? g1: B -> {1} -\n"
      "3 query ?>? g2: C\n");
}

TEST(Conversation, many_that_wait_for_a_sync_are_told_before_it) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "> P||A & B|| & E|\n< 1 & 2 & C|UPDATE 1\n";
  Conversation conversation;
  std::size_t count = 0;
  for (const SentMessage& sent : read_conversation(text)) {
    const CutMessage message = cut_at(sent.message, 100);
    if (!sent.is_client) conversation.server_message(message);
    if (sent.is_client) {
      EXPECT_TRUE(conversation.client_message(message));
    }
    count += conversation.take_answered().size();
  }
  EXPECT_GT(count, 200U);
}

TEST(Conversation, what_a_client_sends_before_it_is_let_in_waits_for_its_own_answer) {
  Conversation conversation;
  std::string lines;
  for (const SentMessage& sent : read_conversation(
           "> Q|A\n< R & S|a|b & K & Z|I & C|UPDATE 1 & Z|I\n> Q|B\n< C|UPDATE 2 & Z|I\n")) {
    const CutMessage message = cut_at(sent.message, 100);
    if (!sent.is_client) conversation.server_message(message);
    if (sent.is_client) {
      EXPECT_TRUE(conversation.client_message(message));
    }
    for (const WireUnit& unit : conversation.take_answered()) lines += unit_line(unit) + "\n";
  }
  EXPECT_EQ(lines, "1 query I>I g1: A -> UPDATE 1\n2 query I>I g2: B -> UPDATE 2\n");
}

TEST(Conversation, messages_that_are_not_well_formed_are_errors) {
  const auto is_read = [](char type, std::string_view body) {
    Conversation conversation;
    return bool(conversation.client_message({.type = type, .body = body, .size = body.size()}));
  };
  EXPECT_FALSE(is_read('P', "s"));
  EXPECT_FALSE(is_read('B', "s"));
  EXPECT_FALSE(is_read('D', ""));
  EXPECT_FALSE(is_read('C', ""));
  EXPECT_TRUE(is_read('Q', ""));
}

}  // namespace
}  // namespace heddle::postgres
