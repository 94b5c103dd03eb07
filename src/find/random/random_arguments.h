// Arguments as somebody draws them who tests a program without looking for anything: keys that are
// there, and otherwise small numbers and short texts.
//
// A parameter is a key where a statement compares a column with it, or puts it into a column that
// refers to another table; it is then one of the values of these columns at the beginning. One that
// the code compares with NULL is NULL every other time. The arrays of a call have one length.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "find/random/random_numbers.h"
#include "find/search/filled_row.h"
#include "heddle/outcome.h"
#include "heddle/program.h"
#include "heddle/schema.h"

namespace heddle::find {

class RandomArguments {
 public:
  RandomArguments(const Program& program, const std::vector<FilledRow>& rows);

  // As interpret() takes them.
  std::vector<Cell> draw(std::size_t functionality, RandomNumbers& random) const;

 private:
  struct Parameter {
    ColumnType type;
    bool may_be_null = false;
    std::vector<std::string> keys;  // empty: any value
  };

  static std::string value(const Parameter& parameter, ValueType type, RandomNumbers& random);

  std::vector<std::vector<Parameter>> parameters_;  // by functionality
};

}  // namespace heddle::find
