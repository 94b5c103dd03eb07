// Pieces of SQL text.
#pragma once

#include <string>
#include <string_view>

namespace heddle::program {

// The function that stands for a value that was not understood.
constexpr std::string_view kUnknownFunction = "heddle_unknown";

// The label of a block whose errors a client catches.
constexpr std::string_view kClientLabel = "heddle_client";

// 'it''s'
std::string string_text(std::string_view value);

// In quotes where PostgreSQL would fold or refuse it.
std::string name_text(std::string_view name);

// Words in upper case, symbols as they are.
std::string keyword_text(std::string_view name);

// row_7 -> row
std::string without_number(const std::string& name);

}  // namespace heddle::program
