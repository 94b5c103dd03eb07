// Names of fields, however a language writes them: access_token, accessToken, Access-Token.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace heddle {

class FieldNames {
 public:
  explicit FieldNames(const std::vector<std::string>& names);

  bool has(std::string_view name) const;

 private:
  std::unordered_set<std::string> names_;
};

}  // namespace heddle
