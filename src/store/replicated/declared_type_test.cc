#include "store/replicated/declared_type.h"

#include <gtest/gtest.h>

namespace heddle::replicated {
namespace {

std::string scaled(const std::string& number, const std::string& type) {
  ResultSet result;
  result.columns.push_back({.name = "n", .table = "", .source = ""});
  result.columns.front().type = type;
  result.rows.push_back({number});
  write_scales(result);
  return *result.rows.front().front();
}

TEST(DeclaredTypes, have_the_catalogues_words) {
  EXPECT_EQ(type_name("INT"), "integer");
  EXPECT_EQ(type_name("varchar(10)"), "character varying(10)");
  EXPECT_EQ(type_name("decimal(8,2)"), "numeric(8,2)");
}

TEST(DeclaredTypes, say_how_many_digits_a_number_has) {
  EXPECT_EQ(scaled("50", "numeric(10,2)"), "50.00");
  EXPECT_EQ(scaled("-0.5", "numeric(10, 2)"), "-0.50");
  EXPECT_EQ(scaled("0.125", "numeric(10,2)"), "0.125");
  EXPECT_EQ(scaled("1.0e+20", "numeric(30,2)"), "1.0e+20");
  EXPECT_EQ(scaled("many", "numeric(10,2)"), "many");
  EXPECT_EQ(scaled("5.", "numeric(10,2)"), "5.00");
  EXPECT_EQ(scaled("", "numeric(10,2)"), "");
  EXPECT_EQ(scaled("-", "numeric(10,2)"), "-");
  EXPECT_EQ(scaled("50", "numeric"), "50");
  EXPECT_EQ(scaled("50", "numeric(10,0)"), "50");
  EXPECT_EQ(scaled("50", "integer"), "50");
}

}  // namespace
}  // namespace heddle::replicated
