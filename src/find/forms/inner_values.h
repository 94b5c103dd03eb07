// (SELECT count(*) FROM t WHERE c) and its like: queries within an expression that give one value
// and name nothing of the statement around them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "find/forms/source_names.h"
#include "find/forms/statement_form.h"
#include "heddle/program.h"

namespace heddle::find {

// (SELECT value FROM table alias WHERE condition)
struct InnerQueryText {
  std::string value;
  std::string alias;
  std::string condition;  // empty: there is none
};

// An expression with inner_query_name(i) in place of the i-th of its inner queries.
struct WithoutInnerQueries {
  std::string rest;
  std::vector<InnerQueryText> queries;
};

// Those of one table without groups, order and limits; others stay where they are. Behind EXISTS,
// IN, ANY and their like a query is no value.
WithoutInnerQueries without_inner_queries(std::string_view expression);
std::string inner_query_name(std::size_t number);

struct InnerQueryForm {
  std::size_t source = 0;
  std::vector<Expression> conditions;  // that a row of it counts by
  Expression result;                   // in which inner_value() stands for what `values` got
};

// None, and `values` as they were: it names rows of the statement around it, or is not read
// exactly.
std::optional<InnerQueryForm> read_inner_query(const InnerQueryText& query,
                                               const SourceNames& names, const RowSources& sources,
                                               std::vector<InnerValue>& values);

// A name without a table within an inner query is a column of its own table where that has it, and
// not of the tables around it. REQUIRES: all of the statement's inner queries are inner values.
void drop_columns_of_inner(StatementForm& form);

// How many queries there are within the text.
std::size_t count_inner_queries(std::string_view text);

// What stands in an expression for StatementForm::inner_values.
Expression inner_value(std::size_t number);
// Which of them the leaf stands for, or their number: none.
std::size_t number_of_inner_value(const Expression& leaf, std::size_t count);
bool mentions_inner_value(const Expression& expression);

// count(*), sum(x), min(x), max(x)
bool is_aggregate_call(const Expression& expression);

}  // namespace heddle::find
