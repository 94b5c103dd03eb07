// Writes one JSON object on one line, member by member. Faster than building a document, of which
// nothing is needed here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

class LineWriter {
 public:
  LineWriter();

  LineWriter& text(std::string_view name, std::string_view text);
  // Any bytes, as bytes.
  LineWriter& hex(std::string_view name, std::string_view bytes);
  LineWriter& number(std::string_view name, std::uint64_t number);
  LineWriter& flag(std::string_view name, bool is_set);
  // Lists and objects; each begin has its end.
  LineWriter& begin_list(std::string_view name);
  LineWriter& begin_object(std::string_view name);
  LineWriter& end_list();
  LineWriter& end_object();
  // Elements of a list.
  LineWriter& item(std::string_view text);
  LineWriter& item(std::uint64_t number);
  LineWriter& null_item();
  LineWriter& begin_item_list();
  LineWriter& begin_item_object();

  // The line, with its end.
  std::string finish();

 private:
  void comma();
  void key(std::string_view key);
  void value(std::string_view text);

  std::string line_;
};

}  // namespace heddle
