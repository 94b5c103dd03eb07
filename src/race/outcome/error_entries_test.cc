#include "race/outcome/error_entries.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

std::string errors(std::string_view log) {
  std::string shown;
  for (const ErrorEntry& each : list_error_entries(log)) shown += each.words + "--\n";
  return shown;
}

TEST(ErrorEntries, are_lines_with_a_word_for_an_error) {
  EXPECT_EQ(errors("08:00:01 INFO served 17\n"
                   "08:00:02 ERROR [http-12] no seat 4\n"
                   "payments: TypeError: x is undefined\n"
                   "WARN slow\n"),
            "# ERROR [http-#] no seat #\n--\npayments: TypeError: x is undefined\n--\n");
  EXPECT_EQ(errors("{\"level\":50,\"time\":1769846400000,\"msg\":\"no seat\"}\n"),
            "{\"level\":#,\"time\":#,\"msg\":\"no seat\"}\n--\n");
}

TEST(ErrorEntries, are_none_where_nothing_went_wrong) {
  for (const char* line : {"done, error: null", "{\"error\": false, \"rows\": 4}", "errors=0",
                           "error=0", "terror and mirrors", ""}) {
    EXPECT_EQ(errors(line), "") << line;
  }
}

// Where in the program an error was thrown is one entry with it, and no part of what is compared.
TEST(ErrorEntries, have_their_stack_traces) {
  EXPECT_EQ(errors("2026-01-31 08:00:00 ERROR 7 --- [nio-80-exec-3] o.Orders : failed\n"
                   "\n"
                   "java.lang.IllegalStateException: no seat 4\n"
                   "\tat org.Seats.take(Seats.java:40)\n"
                   "Caused by: java.sql.SQLException: deadlock\n"
                   "\t... 12 more\n"
                   "INFO next\n"),
            "# ERROR # --- [nio-#-exec-#] o.Orders : failed\n"
            "java.lang.IllegalStateException: no seat #\n"
            "Caused by: java.sql.SQLException: deadlock\n--\n");
  EXPECT_EQ(errors("ERROR:app:failed\n"
                   "Traceback (most recent call last):\n"
                   "  File \"app.py\", line 7, in pay\n"
                   "    take(seat)\n"
                   "ValueError: no seat 4\n"
                   "INFO:app:next\n"),
            "ERROR:app:failed\nTraceback (most recent call last):\nValueError: no seat #\n--\n");
  EXPECT_EQ(errors("Error: no seat\n    at take (/srv/seats.js:12:3)\n    at async pay\n"),
            "Error: no seat\n--\n");
}

}  // namespace
}  // namespace heddle
