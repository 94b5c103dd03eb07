// Names of fields, however a language writes them: access_token, accessToken, Access-Token.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace heddle {

class FieldNames {
 public:
  // "*password" is every name that ends so.
  explicit FieldNames(const std::vector<std::string>& names);

  bool has(std::string_view name) const;
  // Whether the text is a name of the list itself, and no longer one that ends so.
  bool says(std::string_view text) const;

 private:
  std::unordered_set<std::string> names_;
  std::vector<std::string> ends_;
};

}  // namespace heddle
