// What a functionality sends, as text in which the values stand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/interpret.h"

namespace heddle {

// Whether a literal says its type where it does not show.
enum class Literals : std::uint8_t {
  typed,  // for PostgreSQL, to which a bare literal may be of another type
  bare,  // for a store that computes with 5 whatever its type is: casts would have to be said there
};

// The value as PostgreSQL reads it, of that very type: 90, (-1), 5::bigint, 'a'::text. Bare: 5,
// 'a'; what is neither number, text, truth value nor time has its type even then.
std::string literal_text(const ClientValue& value, Literals literals = Literals::typed);

// The statement with values in place of $1, $2, ...
std::string text_with_values(const std::string& text, const std::vector<ClientValue>& values,
                             Literals literals = Literals::typed);

// What asks the store for a value that only it knows: SELECT nextval('orders_id_seq'::text).
// REQUIRES: unknown.expression is a call.
std::string question_text(const UnknownValue& unknown);

}  // namespace heddle
