// Casts.
#pragma once

#include "interpret/type.h"
#include "interpret/value.h"

namespace heddle::interpreter {

enum class Cast : std::uint8_t {
  asked,     // CAST(x AS t): a text that is too long is cut
  assigned,  // to a variable, as PL/pgSQL does: what no cast exists for goes by way of its text,
             // and a text that is too long is an error
};

// The value as one of the type `to`, its length included.
Value convert(const Value& value, const Type& to, Cast cast, Errors& errors);

// Whether CAST can be asked for at all.
bool has_cast(const Type& from, const Type& to);

// As CAST(x AS text) gives it, which is not what the output function writes. REQUIRES: not null.
std::string cast_text(const Value& value);

// Integers of another width; 22003 where it does not fit.
Value integer_of(std::int64_t value, Base base, Errors& errors);
// 22003 where it has more digits before the point than numeric may have.
Value checked_decimal(Decimal value, Errors& errors);

}  // namespace heddle::interpreter
