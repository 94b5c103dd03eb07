#include "store/trouble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

StepError error_with(const std::string& code, ErrorClass error_class = ErrorClass::other) {
  StepError error;
  error.error_class = error_class;
  error.code = code;
  error.severity = "ERROR";
  error.message = "something";
  error.text = "ERROR:  something\nDETAIL:  More.\n";
  return error;
}

TEST(StoreTrouble, codes) {
  for (const char* code :
       {"53000", "53100", "53200", "53300", "58000", "58030", "58P01", "XX001", "XX002"}) {
    EXPECT_TRUE(is_store_trouble(error_with(code))) << code;
  }
  for (const char* code :
       {"XX000", "23505", "40001", "40P01", "55P03", "57014", "54000", "P0001", "42501"}) {
    EXPECT_FALSE(is_store_trouble(error_with(code))) << code;
  }
  EXPECT_TRUE(is_store_trouble(error_with("57P01", ErrorClass::connection_lost)));
  EXPECT_TRUE(is_store_trouble(error_with("", ErrorClass::connection_lost)));
}

TEST(StoreTrouble, one_line) {
  EXPECT_EQ(in_one_line("server closed the connection unexpectedly\n"
                        "\tThis probably means the server terminated abnormally\n"
                        "\tbefore or while processing the request.\n"),
            "server closed the connection unexpectedly");
  EXPECT_EQ(in_one_line("ERROR:  a\nHINT:  b\n\n"), "ERROR:  a; HINT:  b");
  EXPECT_EQ(in_one_line("one"), "one");
  for (const char* nothing : {"", "\n", "\t\n \n"}) {
    EXPECT_EQ(in_one_line(nothing), "no reason was given");
  }
}

TEST(StoreTrouble, advice_fits_the_reason) {
  EXPECT_THAT(advice_for("could not extend file \"base/1\": No space left on device"),
              testing::StartsWith("free some space"));
  EXPECT_EQ(advice_for("out of shared memory"), "raise the server's max_locks_per_transaction");
  EXPECT_EQ(advice_for("it is Monday"), "");
}

TEST(StoreTrouble, what_failed_is_named) {
  EXPECT_EQ(to_string(trouble_with("step w1", error_with("53100"))), "step w1 failed: something");
  StepError full = error_with("53100");
  full.message = "could not write: File too large";
  EXPECT_EQ(to_string(trouble_with("the setup", full)),
            "the setup failed: could not write: File too large, raise the limit on the size of "
            "files (ulimit -f)");
}

// Who notices first that a server goes, and in which words, is a matter of chance.
TEST(StoreTrouble, lost_connections_have_one_wording) {
  constexpr const char* kLost = "lost the connection to the server while step w1 ran";
  for (const char* code : {"", "57P01", "57P02", "57P03"}) {
    EXPECT_EQ(to_string(trouble_with("step w1", error_with(code, ErrorClass::connection_lost))),
              kLost);
  }
  EXPECT_EQ(to_string(trouble_with("step w1", error_with("25P03", ErrorClass::connection_lost))),
            std::string(kLost) + ": something");
}

}  // namespace
}  // namespace heddle
