#include "frontend/yaml/yaml_tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <fmt/format.h>

#include "base/utf8.h"

namespace heddle {

namespace {

constexpr std::size_t kDeepest = 50;
constexpr std::size_t kLongestText = std::size_t{1} << 20U;

SourcePosition position_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {.line = static_cast<std::uint32_t>(mark.line + 1),
          .column = static_cast<std::uint32_t>(mark.column + 1)};
}

// Ends the parser from within its callbacks.
struct Refusal {
  SourcePosition position;
  std::string what;
  std::string what_to_do;
};

// Makes the tree of what the parser tells. The parser calls itself for what is nested, so that the
// depth is bounded here, where it learns of each level before it enters the next.
class TreeMaker : public YAML::EventHandler {
 public:
  YamlPart root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) {
      throw Refusal{position_of(mark), "a second document begins here",
                    "put everything into one, without ---"};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(YamlKind::nothing, mark, anchor), 0);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Named& named = anchors_[anchor];
    if (!named.is_whole) {
      throw Refusal{position_of(mark), "this alias is inside of what it names", "write it out"};
    }
    check_depth(position_of(mark), open_.size() + named.height);
    add(named.node, named.height);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::shared_ptr<YamlNode> node = make(YamlKind::scalar, mark, anchor);
    node->text = value;
    add(node, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(make(YamlKind::list, mark, anchor), anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(make(YamlKind::map, mark, anchor), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  // A list or map whose end has not come yet.
  struct Open {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    std::size_t height = 1;  // how deep it is nested below here, its aliases written out
    YamlPart key = {};       // whose value comes next
  };

  // What an alias can stand for.
  struct Named {
    YamlPart node = {};
    std::size_t height = 0;
    bool is_whole = false;
  };

  static void check_depth(const SourcePosition& position, std::size_t depth) {
    if (depth <= kDeepest) return;
    throw Refusal{position, "this is nested too deeply",
                  fmt::format("nest at most {} deep", kDeepest)};
  }

  std::shared_ptr<YamlNode> make(YamlKind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->position = position_of(mark);
    const bool is_whole = kind == YamlKind::nothing || kind == YamlKind::scalar;
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {.node = node, .is_whole = is_whole};
    return node;
  }

  void open(std::shared_ptr<YamlNode> node, YAML::anchor_t anchor) {
    check_depth(node->position, open_.size() + 1);
    open_.push_back({.node = std::move(node), .anchor = anchor});
  }

  void close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    if (closed.anchor != YAML::NullAnchor) {
      anchors_[closed.anchor] = {.node = closed.node, .height = closed.height, .is_whole = true};
    }
    add(closed.node, closed.height);
  }

  void add(YamlPart part, std::size_t height) {
    if (open_.empty()) {
      root_ = std::move(part);
      return;
    }
    Open& around = open_.back();
    around.height = std::max(around.height, height + 1);
    if (around.node->kind == YamlKind::list) {
      around.node->items.push_back(std::move(part));
    } else if (!around.key) {
      around.key = std::move(part);
    } else {
      around.node->entries.emplace_back(std::move(around.key), std::move(part));
      around.key = nullptr;
    }
  }

  YamlPart root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Named> anchors_;
};

SourcePosition place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {.line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
          .column = static_cast<std::uint32_t>(at - line_start + 1)};
}

// What the parser would guess an encoding for, or read up to.
std::optional<Refusal> trouble_with_bytes(std::string_view text) {
  if (text.size() > kLongestText) {
    return Refusal{{}, fmt::format("this is longer than {} bytes", kLongestText), "give less"};
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return Refusal{place_of(text, at), "this is no UTF-8", "save it as UTF-8"};
    if (text[at] == '\0') return Refusal{place_of(text, at), "here is a NUL", "take it out"};
    at += length;
  }
  return std::nullopt;
}

// The parser's words for a tab in front of a line's text are about something else.
std::optional<Refusal> trouble_with_tabs(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const std::size_t tab = line.substr(0, line.find_first_not_of(" \t")).find('\t');
    if (tab != line.npos && line.find_first_not_of(" \t\r") != line.npos) {
      return Refusal{place_of(text, start + tab), "a tab is no indentation in YAML",
                     "indent with spaces"};
    }
    start = end + 1;
  }
  return std::nullopt;
}

Diagnostic diagnostic(Refusal refusal, const std::string& file) {
  return {.what = std::move(refusal.what),
          .what_to_do = std::move(refusal.what_to_do),
          .file = file,
          .position = refusal.position};
}

}  // namespace

Result<YamlPart> parse_yaml(std::string_view text, const std::string& file, std::string_view form) {
  if (auto trouble = trouble_with_bytes(text)) return diagnostic(*std::move(trouble), file);
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  TreeMaker maker;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(maker)) {
    }
  } catch (const Refusal& refusal) {
    return diagnostic(refusal, file);
  } catch (const YAML::Exception& exception) {
    if (auto trouble = trouble_with_tabs(text)) return diagnostic(*std::move(trouble), file);
    return diagnostic(
        {position_of(exception.mark), "this is no YAML: " + exception.msg, std::string(form)},
        file);
  }
  if (!maker.root()) return YamlPart(std::make_shared<YamlNode>());
  return maker.root();
}

}  // namespace heddle
