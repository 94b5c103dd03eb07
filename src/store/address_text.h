// Addresses as they may be shown to people.
#pragma once

#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

// The address with *** in place of its passwords: of postgres://user:password@host/ and the like,
// of ?password=... and, in libpq's form of keywords, of password=.... Takes whatever cannot be an
// address, too, since messages about wrong addresses quote them; there, all that may be a password
// is hidden: what stands before the @, in the place of the port, or behind an unknown keyword.
std::string without_password(std::string_view address);

// `text` quotes parts of the address; so that none of its passwords is among them.
std::string without_password_of(std::string_view address, std::string text);

// Whether a word of a command line may be an address with a password, well or badly written.
bool may_hold_password(std::string_view word);

// `usual`: what the address could be. Shows no password.
Diagnostic unreadable_address(const std::string& address, const std::string& why,
                              const std::string& usual);

// The message without any password of the address.
Diagnostic without_passwords_of(const std::string& address, Diagnostic trouble);

}  // namespace heddle
