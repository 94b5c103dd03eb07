// Text of Redis commands cut into arguments, as redis-cli cuts them: one command per line.
//
//   split_redis("SET user:1 \"two words\"\n# a comment\nGET user:1;")
//       // {SET, user:1, two words}, {GET, user:1}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle {

struct RedisCommand {
  std::vector<std::string> arguments;  // the first is the command's name; never empty
  std::string text;                    // as written, without the semicolon
  SourcePosition position;             // of its first byte
};

// White space separates arguments. "..." knows \n \r \t \b \a \\ \" and \xHH, '...' knows \';
// behind the closing quote an argument ends. Blank lines, lines that begin with # and a semicolon
// at the end of a line are nothing. Error: a quote that its line does not close, or that has
// something right behind it, with the position of its beginning.
Result<std::vector<RedisCommand>> split_redis(std::string_view text);

}  // namespace heddle
