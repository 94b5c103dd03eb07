// Contents by their type, as bodies have it and parts of bodies.
#pragma once

#include <string>
#include <string_view>

#include "record/redact/redactor.h"

namespace heddle {

// `type`: the value of Content-Type, with its parameters; empty: it is seen by the content.
std::string redact_content(Redactor& redactor, std::string_view type, std::string_view content);

}  // namespace heddle
