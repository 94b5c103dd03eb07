// What expressions are is what PostgreSQL says they are: value, type, or SQLSTATE.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "interpret/interpret_testing.h"

namespace heddle::interpreter {
namespace {

// Each is compared; what is not known here is a failure, too.
void expect_same_values(const std::vector<std::string>& texts) {
  const std::vector<std::string> answers = answered(texts);
  ASSERT_EQ(answers.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(computed(expression_of(texts[i])), answers[i]) << texts[i];
  }
}

// All values at the place of each $.
std::vector<std::string> filled(const std::vector<std::string>& patterns,
                                const std::vector<std::string>& values) {
  std::vector<std::string> texts = patterns;
  for (std::size_t i = 0; i < texts.size();) {
    const std::size_t at = texts[i].find('$');
    if (at == std::string::npos) {
      ++i;
      continue;
    }
    const std::string pattern = texts[i];
    texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(i));
    for (const std::string& value : values) {
      std::string text = pattern;
      texts.push_back(text.replace(at, 1, value));
    }
  }
  return texts;
}

TEST(Evaluate, three_valued_logic) {
  expect_same_values(filled({"$ AND $",
                             "$ OR $",
                             "NOT $",
                             "$ IS NULL",
                             "$ IS TRUE",
                             "$ IS NOT FALSE",
                             "$ IS UNKNOWN",
                             "$ IS DISTINCT FROM $",
                             "$ IS NOT DISTINCT FROM $",
                             "$ = $",
                             "$ < $",
                             "$ AND $ OR $",
                             "$ IN ($, $)",
                             "$ NOT IN ($, $)",
                             "CASE WHEN $ THEN 1 WHEN $ THEN 2 END",
                             "coalesce($, $)",
                             "nullif($, $)",
                             "greatest($, $)",
                             "$ BETWEEN $ AND $",
                             "$ NOT BETWEEN $ AND $",
                             "concat($, $)",
                             "$ || 'x'",
                             "$::text",
                             "$::int"},
                            {"true", "false", "null::boolean"}));
}

TEST(Evaluate, integers) {
  expect_same_values(filled(
      {"$ + $", "$ - $", "$ * $", "$ / $", "$ % $", "mod($, $)"},
      {"7", "-7", "2", "-2", "0", "(-3)::smallint", "2147483647", "-2147483648",
       "9223372036854775807", "(-9223372036854775807 - 1)", "null::int", "32767::smallint"}));
  expect_same_values(
      filled({"- $",           "abs($)",          "~ $",     "sign($)",   "$::smallint", "$::int",
              "$::bigint",     "$::numeric(5,2)", "$::real", "$::float8", "$::boolean",  "$::text",
              "$::varchar(2)", "$::char(3)",      "sqrt($)", "round($)",  "floor($)",    "trunc($)",
              "$ << 3",        "$ >> 1"},
             {"7", "-7", "0", "2147483647", "-2147483648", "9223372036854775807",
              "(-9223372036854775807 - 1)", "(-32768)::smallint", "16777217"}));
  expect_same_values(
      filled({"$ & $", "$ | $", "$ # $"}, {"12", "10::smallint", "-1", "7::bigint"}));
}

TEST(Evaluate, numerics) {
  const std::vector<std::string> values = {"0.0",           "1.5",
                                           "-1.5",          "0.25",
                                           "-2.345",        "10",
                                           "3.00",          "123456789.123456789",
                                           "0.00001",       "99999999999999999999",
                                           "null::numeric", "7::bigint",
                                           "100000.0",      "12345.6789"};
  expect_same_values(filled({"$ + $", "$ - $", "$ * $", "$ / $", "$ % $", "$ = $", "$ < $",
                             "$ >= $", "greatest($, $)", "div($, $)"},
                            values));
  expect_same_values(
      filled({"- $",           "abs($)",        "sign($)",          "round($)",
              "round($, 1)",   "round($, -2)",  "trunc($)",         "trunc($, 2)",
              "trunc($, -1)",  "floor($)",      "ceil($)",          "sqrt(abs($))",
              "$::int",        "$::bigint",     "$::numeric(10,2)", "$::numeric(3,1)",
              "$::float8",     "$::real",       "$::text",          "$ ^ 2::numeric",
              "power($, 3.0)", "power($, -2.0)"},
             values));
}

TEST(Evaluate, floats) {
  const std::vector<std::string> values = {"0.0::float8",
                                           "1.5::float8",
                                           "(-2.5)::float8",
                                           "0.1::float8",
                                           "1e300::float8",
                                           "3::float8",
                                           "1e-300::float8",
                                           "'NaN'::float8",
                                           "'Infinity'::float8",
                                           "0.1::real",
                                           "3::int",
                                           "2.5",
                                           "1e20::real",
                                           "123456789012345680::float8",
                                           "1e15::float8",
                                           "null::float8"};
  expect_same_values(
      filled({"$ + $", "$ - $", "$ * $", "$ / $", "$ = $", "$ < $", "$ <> $"}, values));
  expect_same_values(
      filled({"- $", "abs($)", "sign($)", "round($)", "trunc($)", "floor($)", "ceiling($)",
              "sqrt($)", "$::int", "$::bigint", "$::real", "$::text", "$ || ''", "power($, 2)"},
             values));
  expect_same_values({"2 ^ 10", "2 ^ -1", "0 ^ -1", "(-8) ^ 0.5::float8", "power(2, 0.5::float8)",
                      "2.5::float8::numeric", "0.1::real::numeric", "123456.789::real::numeric",
                      "2.5::float8::int", "3.5::float8::int", "1e10::float8::int",
                      "'1e400'::float8"});
}

TEST(Evaluate, texts) {
  const std::vector<std::string> values = {
      "'abc'",   "''",         "'  a b '",       "'äöü€'",
      "'it''s'", "null::text", "'ab '::char(5)", "'xyz'::varchar(2)"};
  expect_same_values(filled({"length($)",       "char_length($)",
                             "upper($)",        "lower($)",
                             "btrim($)",        "ltrim($)",
                             "rtrim($)",        "substring($, 2)",
                             "substr($, 0, 2)", "substring($, -1, 3)",
                             "left($, 2)",      "left($, -1)",
                             "right($, 2)",     "right($, -2)",
                             "lpad($, 6)",      "lpad($, 6, 'xy')",
                             "rpad($, 2)",      "rpad($, 7, 'äb')",
                             "reverse($)",      "repeat($, 2)",
                             "$::char(2)",      "$::varchar(1)",
                             "octet_length($)"},
                            values));
  expect_same_values(filled(
      {"$ || $", "$ = $", "$ < $", "concat($, 1, $)", "strpos($, $)", "btrim($, $)", "$ LIKE $",
       "coalesce($, $)", "replace($, $, 'zz')", "$ IN ($, 'abc')", "concat_ws($, 'a', null, $)"},
      values));
  expect_same_values(filled({"'a%_b' LIKE $", "'abc' LIKE $", "'' LIKE $", "'äbc' LIKE $",
                             "'ABC' ILIKE $", "'abc' NOT LIKE $"},
                            {"'%'", "'a%'", "'_bc'", "'%c'", "'a\\%\\_b'", "'ab\\'", "''", "'%b%'",
                             "'__'", "'a_c%'", "'%_%_%_%'", "'%\\'"}));
  expect_same_values({"substring('abc', 1, -1)", "substr('abc', 2147483647, 5)", "repeat('ab', -1)",
                      "starts_with('abc', 'ab')", "'5' || 5", "5 || 5", "true || 'x'"});
}

TEST(Evaluate, casts_of_texts) {
  expect_same_values(
      filled({"$::int", "$::smallint", "$::bigint", "$::numeric", "$::numeric(4,1)", "$::float8",
              "$::real", "$::boolean", "$::text", "$::text::int", "$::text::boolean",
              "$::text::numeric", "$::varchar(2)"},
             {"' 12 '", "'-7'", "'1.5'", "'1e3'", "''", "'abc'", "'true'", "'of'", "'o'",
              "'99999999999'", "'+5'", "'.5'", "'5.'", "'1e-3'", "'--1'", "'1 2'"}));
  expect_same_values({"true::int", "5::boolean", "true::bigint", "1.5::boolean",
                      "7::smallint::boolean", "'2024-02-29'::date",
                      "'2024-02-29 12:30:00.5'::timestamp",
                      "'2024-02-29 12:30:00.5+02'::timestamptz", "'12:00'::time",
                      "'1 year 2 days 03:04:05'::interval", "5::date", "'{1,2}'::int[]",
                      "'{a,\"b c\",NULL}'::text[]", "'{1,x}'::int[]", "'[2:3]={1,2}'::int[]"});
}

TEST(Evaluate, which_operator_is_meant) {
  expect_same_values({"1 = '1'",
                      "'a' = 'b'",
                      "1.5 = '1.5'",
                      "1 = 'x'",
                      "1 = 'x'::text",
                      "'1' + '1'",
                      "1 + '1'",
                      "1 + 1.5",
                      "1 + true",
                      "1::real + 1",
                      "1::real + 1::real",
                      "1::real + 1.5",
                      "1 / 2.0",
                      "5 % 2.5",
                      "5.0::float8 % 2",
                      "coalesce(1, 2.5)",
                      "coalesce(1, 'a')",
                      "coalesce(null, 'a')",
                      "coalesce(1, true)",
                      "nullif(1, 1.0)",
                      "nullif(1, 2.0)",
                      "greatest(1, 2.5, null)",
                      "least('b', 'a')",
                      "greatest(1, 2::bigint)",
                      "CASE WHEN true THEN 1 ELSE 2.5 END",
                      "CASE WHEN null THEN 1 END",
                      "CASE WHEN 1 THEN 1 END",
                      "CASE 1 WHEN 1.0 THEN 'a' ELSE 'b' END",
                      "not 1",
                      "true and 1",
                      "'t' and true",
                      "1 in (1, 2.5)",
                      "1 in ('1', '2')",
                      "1 in ('a')",
                      "1 in (true)",
                      "1 between '0' and 2.5",
                      "round(2.5)",
                      "round(2)",
                      "round('2.5')",
                      "abs('-1')",
                      "sqrt('4')",
                      "length(5)",
                      "upper(5)",
                      "1 is distinct from '1'",
                      "null = null",
                      "null is null",
                      "null + null",
                      "null || 'a'",
                      "-'5'",
                      "'a' < 'B'",
                      "1 << 33",
                      "1::bigint << 33",
                      "1 << 2::bigint",
                      "true = 'yes'",
                      "true < false",
                      "row(1, 'a') = row(1, 'a')",
                      "row(1, null) is null",
                      "row(null, null) is null",
                      "1 < 2 is true",
                      "false and 1/0 = 1",
                      "true or 1/0 = 1",
                      "case when true then 1 else 1/0 end",
                      "coalesce(1, 1/0)",
                      "1/0 is null"});
}

TEST(Evaluate, arrays) {
  expect_same_values({"array[1, 2]",
                      "array['a', null]",
                      "array[1, 2.5]",
                      "array[1, 2] || 3",
                      "0 || array[1]",
                      "array[1] || array[2]",
                      "array[1] || null",
                      "array[1] || 2.5",
                      "array_append(array[1], 2)",
                      "array_prepend(1, array[2])",
                      "array_cat(array[1], array[2])",
                      "array_append(null::int[], 1)",
                      "array_position(array[1, 2], 2)",
                      "array_position(array[1, 2], 3)",
                      "array_position(array[1, null], null)",
                      "array_position(array['a', 'b'], 'b')",
                      "array_position(array[1, 2], 2::bigint)",
                      "array_position(array[1.0, 2], 1)",
                      "array_position(null::int[], 1)",
                      "array_position('{}'::text[], 'a')",
                      "array_position('[2:3]={5,6}'::int[], 6)",
                      "array_position(array[1], 'x'::text)",
                      "array_to_string(array['a', 'b'], ', ')",
                      "array_to_string(array[1, null, 3], '-')",
                      "array_to_string('{}'::text[], ',')",
                      "array_to_string(array[1, 2], null)",
                      "(array[1, 2])[null]",
                      "cardinality(array[1, 2])",
                      "cardinality('{}'::int[])",
                      "array_length(array[1, 2], 1)",
                      "array_length('{}'::int[], 1)",
                      "array_length(array[1], 2)",
                      "array_upper('[2:3]={1,2}'::int[], 1)",
                      "array_lower('[2:3]={1,2}'::int[], 1)",
                      "(array[1, 2])[1]",
                      "(array[1, 2])[3]",
                      "('[2:3]={1,2}'::int[])[3]",
                      "array[1, 2] = array[1, 2]",
                      "array[1] < array[1, 2]",
                      "array[1, null] = array[1, null]",
                      "array['a b', 'c', '', 'NULL', '{']",
                      "array[1, 2]::text",
                      "array[1, 2]::bigint[]",
                      "array['1', '2']::int[]",
                      "array[1, 'x']",
                      "array[true]",
                      "'{1}'::int[] || 5"});
}

TEST(Evaluate, functions_of_arrays) {
  expect_same_values({"array_fill(0, array[3])",
                      "array_fill(null::int, array[2])",
                      "array_fill('x'::text, array[1])",
                      "array_fill(true, array[0])",
                      "array_fill(0, array[-1])",
                      "array_fill(0, null)",
                      "array_fill(0, array[null::int])",
                      "array_fill(0, '{}'::int[])",
                      "array_position(array[1, 2, 1], 1)",
                      "array_position(array[1, 2, 1], 1, 2)",
                      "array_position(array[1, 2], 3)",
                      "array_position(array[1, null], null)",
                      "array_position('[2:3]={5,6}'::int[], 6)",
                      "array_position(null::int[], 1)",
                      "array_position(array[1, 2], 2.0)",
                      "array_position(array['a', 'b'], 'b')",
                      "array_position(array[1], 1, null)",
                      "array_remove(array[1, 2, 1], 1)",
                      "array_remove(array[1, null], null)",
                      "array_remove(null::int[], 1)",
                      "array_remove('[2:3]={5,6}'::int[], 6)",
                      "array_replace(array[1, 2, 1], 1, 9)",
                      "array_replace(array[1, null], null, 5)",
                      "array_to_string(array[1, null, 3], ',')",
                      "array_to_string(array[1, null, 3], ',', '-')",
                      "array_to_string(array['a b', ''], '')",
                      "array_to_string('{}'::int[], ',')",
                      "array_to_string(array[1], null)",
                      "array_to_string(array[true, false], ' ')",
                      "string_to_array('a,b,,c', ',')",
                      "string_to_array('a,b,', ',')",
                      "string_to_array(',', ',')",
                      "string_to_array('abc', null)",
                      "string_to_array('\u00e4b', null)",
                      "string_to_array('abc', '')",
                      "string_to_array('', ',')",
                      "string_to_array('a--b', '--', 'b')",
                      "string_to_array(null, ',')",
                      "array_ndims(array[1])",
                      "array_ndims('{}'::int[])",
                      "trim_array(array[1, 2, 3], 2)",
                      "trim_array(array[1, 2], 3)",
                      "trim_array(array[1, 2], -1)"});
}

TEST(Evaluate, dates) {
  expect_same_values({"'2024-02-28'::date + 2",
                      "3 + '2023-12-30'::date",
                      "'2024-03-01'::date - 1",
                      "'2024-03-01'::date - '2024-02-01'::date",
                      "'2024-03-01'::date < '2024-02-01'::date",
                      "'12'::date",
                      "'2024'::date",
                      "CASE WHEN false THEN '2024-03-01'::date ELSE '12' END",
                      "'2024-01-31'::timestamp + '1 month'::interval",
                      "'2024-01-31'::date + '1 day'::interval",
                      "'2024-01-31 10:00'::timestamp - '1 mon 1 day 11:00'::interval",
                      "'2024-01-31 10:00'::timestamp - '2024-01-01 11:30'::timestamp",
                      "'2024-01-31 10:00+00'::timestamptz + '01:00'::interval",
                      "'2024-01-31 10:00+00'::timestamptz < '2024-01-31 10:00+01'::timestamptz",
                      "'2024-01-31'::date = '2024-01-31 00:00'::timestamp",
                      "'2024-01-31 10:20'::timestamp::date",
                      "'2024-01-31 10:20'::timestamp::time",
                      "'2024-01-31'::date::timestamp",
                      "'1 month'::interval = '30 days'::interval",
                      "'1 day'::interval < '25:00'::interval",
                      "'1 day'::interval + '-02:00'::interval",
                      "-'1 mon -2 days 03:00'::interval",
                      "'2024-01-31'::date || ''",
                      "'10:00'::time < '11:00'::time",
                      "'2024-01-31'::date = '2024-01-31'",
                      "'0001-01-01'::date - 1",
                      "'2024-01-31'::date + 10000000"});
}

TEST(Evaluate, what_is_not_known_is_asked_for) {
  const Variables variables;
  std::string asked;
  const ValueSource source = [&](const UnknownValue& unknown) -> Result<Cell> {
    asked += print_expression(*unknown.expression) + " " + unknown.type;
    for (const ClientValue& operand : unknown.operands)
      asked += " " + operand.text.value_or("null");
    asked += ";";
    return Cell("7");
  };
  Evaluator evaluator(variables, source);
  Errors errors;
  const SourceLocation nowhere;
  const Expression expression = expression_of(
      "heddle_unknown('dice', 1 + 1) + 1 = 8 AND heddle_unknown('x') BETWEEN 6 AND 8");
  const Value value = evaluator.evaluate(expression, nowhere, errors);
  EXPECT_FALSE(errors.any()) << errors.message();
  EXPECT_TRUE(value.boolean());
  EXPECT_EQ(asked, "heddle_unknown('dice', 1 + 1) unknown 2;heddle_unknown('x') unknown;");
  EXPECT_EQ(computed(expression), "? the value of heddle_unknown('dice', 1 + 1) is not known");
}

}  // namespace
}  // namespace heddle::interpreter
