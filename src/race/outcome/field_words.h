// What the name of a field, column or header says of its values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// The words of the last name of a place, in lower case: "A: $.order.createdAt" has "created", "at".
std::vector<std::string> field_words(std::string_view place);

// The words of all of its names, without what stands before the first ": ".
std::vector<std::string> place_words(std::string_view place);

// "id", "orderId", "order_no", "uuid": what it holds is there to tell things apart.
bool names_identity(const std::vector<std::string>& words);

// "id", "orderId": it is the key of a row. A "number" may be one that a program counts up.
bool names_row(const std::vector<std::string>& words);

// "createdAt", "took_ms", "token": what it holds differs from run to run.
bool names_noise(const std::vector<std::string>& words);

// "took_ms", "elapsed": a number there is how long something took, which may be equal by chance.
bool names_stopwatch(const std::vector<std::string>& words);

// A table's name, or a field's, as it is called when there is one: "orders" is "order".
std::string singular(std::string name);

}  // namespace heddle
