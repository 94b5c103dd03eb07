// The values of an answer by their paths, and the same place in another answer.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "race/requests/message_values.h"

namespace heddle {

using AnswerValues = std::map<std::string, MessageValue>;

AnswerValues answer_values(std::vector<MessageValue> values);

// Where in `now` stands what stood at `path` in `recorded`: there, or in another element of the
// same list that has more in common with the recorded one. `renamed`: what a recorded value is
// called now. REQUIRES: `recorded` has that path.
std::string place_now(const AnswerValues& recorded, const AnswerValues& now,
                      const std::string& path,
                      const std::function<std::string(const std::string&)>& renamed);

}  // namespace heddle
