#include "frontend/plpgsql/types.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "frontend/sql/reader.h"

namespace heddle::plpgsql {

namespace {

using sql::Node;
using Spelling = std::pair<std::string_view, std::string_view>;

// Types whose names PostgreSQL's grammar replaces by those of its catalogue.
constexpr std::array kTypes = {
    Spelling{"int4", "integer"},
    Spelling{"int8", "bigint"},
    Spelling{"int2", "smallint"},
    Spelling{"float8", "double precision"},
    Spelling{"float4", "real"},
    Spelling{"bool", "boolean"},
    Spelling{"bpchar", "char"},
    Spelling{"varchar", "varchar"},
    Spelling{"numeric", "numeric"},
    Spelling{"timestamp", "timestamp"},
    Spelling{"timestamptz", "timestamp with time zone"},
    Spelling{"time", "time"},
    Spelling{"timetz", "time with time zone"},
    Spelling{"interval", "interval"},
    Spelling{"bit", "bit"},
    Spelling{"varbit", "bit varying"},
};

}  // namespace

std::string type_text(const Node& type) {
  std::vector<std::string> names = sql::string_list(type["names"]);
  if (names.size() == 2 && names[0] == "pg_catalog") {
    names.erase(names.begin());
    for (const auto& [catalogue, written] : kTypes) {
      if (catalogue == names[0]) names[0] = written;
    }
  }
  std::string text = join(names, ".");
  if (type.is_true("pct_type")) return text + "%type";
  std::vector<std::string> modifiers;
  for (const Node& modifier : type["typmods"]) {
    const std::string& number = modifier.content()["ival"].text("ival");
    modifiers.push_back(number.empty() ? "0" : number);
  }
  // char(1) is written with its length, and "char" alone is another type.
  if (!modifiers.empty() && names[0] != "interval") text += "(" + join(modifiers, ",") + ")";
  for (const Node& bound : type["arrayBounds"]) {
    static_cast<void>(bound);
    text += "[]";
  }
  return text;
}

}  // namespace heddle::plpgsql
