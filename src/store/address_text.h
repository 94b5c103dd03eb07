// Addresses as they may be shown to people.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// The address with *** in place of its passwords: of postgres://user:password@host/ and the like,
// of ?password=... and, in libpq's form of keywords, of password=.... Takes whatever cannot be an
// address, too, since messages about wrong addresses quote them.
std::string without_password(std::string_view address);

// `text` quotes parts of the address; so that none of its passwords is among them.
std::string without_password_of(std::string_view address, std::string text);

}  // namespace heddle
