#include "frontend/plpgsql/types.h"

#include <string_view>
#include <vector>

#include "base/text.h"
#include "frontend/sql/reader.h"
#include "frontend/sql/words/postgres_words.h"

namespace heddle::plpgsql {

using sql::Node;

std::string type_text(const Node& type) {
  std::vector<std::string> names = sql::string_list(type["names"]);
  std::string_view after;
  if (names.size() == 2 && names[0] == "pg_catalog") {
    names.erase(names.begin());
    const sql::SpelledType* spelled = sql::find_spelled_type(names[0]);
    if (spelled != nullptr) {
      names[0] = spelled->words;
      after = spelled->after;
    }
    // Without a length, too, "char" being another type.
    if (names[0] == "bpchar") names[0] = "char";
  } else {
    for (std::string& name : names) name = sql::postgres_name(name);
  }
  std::string text = join(names, ".");
  if (type.is_true("pct_type")) return text + "%type";
  std::vector<std::string> modifiers;
  for (const Node& modifier : type["typmods"]) {
    const std::string& number = modifier.content()["ival"].text("ival");
    modifiers.push_back(number.empty() ? "0" : number);
  }
  if (!modifiers.empty() && names[0] != "interval") text += "(" + join(modifiers, ",") + ")";
  text += after;
  for (const Node& bound : type["arrayBounds"]) {
    static_cast<void>(bound);
    text += "[]";
  }
  return text;
}

}  // namespace heddle::plpgsql
