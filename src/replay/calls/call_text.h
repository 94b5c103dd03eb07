// What a functionality sends, as text in which the values stand.
#pragma once

#include <string>
#include <vector>

#include "heddle/interpret.h"

namespace heddle {

// The value as PostgreSQL reads it, of that very type: 90, (-1), 5::bigint, 'a'::text.
std::string literal_text(const ClientValue& value);

// The statement with values in place of $1, $2, ...
std::string text_with_values(const std::string& text, const std::vector<ClientValue>& values);

// What asks the store for a value that only it knows: SELECT nextval('orders_id_seq'::text).
// REQUIRES: unknown.expression is a call.
std::string question_text(const UnknownValue& unknown);

}  // namespace heddle
