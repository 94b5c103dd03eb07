// Within message_values: goes through one part of a message and collects its values.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "race/requests/message_values.h"

namespace heddle {

// What a value is called where it stands.
struct ValuePlace {
  std::string path;
  std::string field = {};
  std::string entity = {};
};

class ValueWalk {
 public:
  ValueWalk(std::vector<MessageValue>& values, std::string_view resource)
      : values_(values), resource_(resource) {}

  // What follows is of this part.
  void begin(MessagePart part, std::size_t header = 0) {
    part_ = part;
    header_ = header;
    seen_.clear();
  }

  // "/a/b?c=d", also behind "http://host".
  void walk_target(const CodedText& target, const std::string& path);
  // "a=b&c=d".
  void walk_form(const CodedText& form, const std::string& path, std::size_t depth);
  // By the media type, or where that says nothing by its look.
  void walk_content(std::string_view type, const CodedText& content, const std::string& path,
                    std::size_t depth);
  // One document or several, which may be cut off.
  void walk_json(const CodedText& json, const std::string& path, std::size_t depth);
  // Words, each found again by what stands in front of it.
  void walk_words(const CodedText& text, const std::string& path);
  // A value that may be a URL or JSON, whose values follow it.
  void add_string(CodedText text, ValuePlace place, std::size_t depth, bool is_quoted = false);
  void add(CodedText text, ValuePlace place);
  // A number or a word of JSON.
  void add_bare(CodedText text, ValuePlace place);

  const std::string& resource() const { return resource_; }

 private:
  void walk_parts(std::string_view type, const CodedText& body, const std::string& path,
                  std::size_t depth);
  void walk_part(const CodedText& part, const std::string& path, std::size_t depth);
  // The path with the number of those that were equal before, where there were any.
  std::string unique(const std::string& path);

  std::vector<MessageValue>& values_;
  std::string resource_;
  MessagePart part_ = MessagePart::body;
  std::size_t header_ = 0;
  std::map<std::string, std::size_t> seen_ = {};
};

}  // namespace heddle
