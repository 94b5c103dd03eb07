#include "frontend/marks/marks.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "base/text.h"
#include "frontend/marks/sql_words.h"

namespace heddle::marks {

namespace {

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (end > at) words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// "EXEC SQL" is two words of one mark; all others have no blank.
std::vector<std::string_view> marks_of(std::string_view list) {
  if (list == "EXEC SQL") return {list};
  return words_of(list);
}

// The row whose import fits best; null: none, or what fits best does no harm.
const Technology* technology_of(std::string_view path, Family family) {
  const Technology* best = nullptr;
  std::size_t longest = 0;
  for (const Technology& one : technologies()) {
    if ((one.families & bit(family)) == 0) continue;
    for (const std::string_view named : words_of(one.imports)) {
      if (named.size() <= longest || !is_within(path, named)) continue;
      longest = named.size();
      best = &one;
    }
    for (const std::string_view named : words_of(one.harmless)) {
      if (named.size() <= longest || !is_within(path, named)) continue;
      longest = named.size();
      best = nullptr;
    }
  }
  return best;
}

bool has_word(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = words_of(list);
  return std::ranges::find(words, word) != words.end();
}

bool is_type_name(std::string_view word) {
  return !word.empty() && std::isupper(static_cast<unsigned char>(word[0])) != 0;
}

std::size_t skip_blanks(std::string_view code, std::size_t at) {
  while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])) != 0) ++at;
  return at;
}

std::string_view word_at(std::string_view code, std::size_t at) {
  std::size_t end = at;
  while (end < code.size() && is_word_character(code[end])) ++end;
  return code.substr(at, end - at);
}

// Behind the type arguments that begin there, if they do.
std::size_t skip_arguments(std::string_view code, std::size_t at) {
  constexpr std::size_t kLongest = 300;
  if (at >= code.size() || code[at] != '<') return at;
  std::size_t depth = 0;
  for (std::size_t i = at; i < code.size() && i - at < kLongest; ++i) {
    if (code[i] == '<') ++depth;
    if (code[i] == '>' && --depth == 0) return i + 1;
    if (code[i] == ';' || code[i] == '{') break;
  }
  return at;
}

// The names between a header's words and its brace.
template <class See>
void for_each_header(std::string_view code, See see) {
  for (const std::string_view word : {"class", "interface", "object", "trait", "record", "enum"}) {
    for (std::size_t at = find_word(code, word); at != std::string_view::npos;
         at = find_word(code, word, at + 1)) {
      const std::size_t begin = skip_blanks(code, at + word.size());
      const std::string_view name = word_at(code, begin);
      if (!is_type_name(name)) continue;
      const std::size_t end = code.find_first_of("{;", begin);
      see(name, at, code.substr(begin, end - begin));
    }
  }
}

class PlaceFinder {
 public:
  PlaceFinder(const ScannedText& scanned, const Language& language, const Declared& declared)
      : scanned_(scanned), language_(language), declared_(declared), code_(scanned.code) {}

  std::vector<Place> find() {
    if (language_.family == Family::xml) {
      find_elements();
    } else {
      find_imported();
      find_words();
      if (is_jvm()) find_calls_of_declared();
      if (language_.family != Family::java && language_.family != Family::sql) find_statements();
    }
    std::vector<Place> places;
    for (auto& [line, place] : places_) places.push_back(std::move(place));
    return places;
  }

 private:
  bool is_jvm() const {
    return language_.family == Family::java || language_.family == Family::jvm;
  }

  void add(const Technology& technology, std::size_t offset) {
    add(std::string(technology.name), technology.use, offset);
  }
  void add(std::string technology, Use use, std::size_t offset) {
    const std::uint32_t line = scanned_.line_of(offset);
    places_.try_emplace(line, Place{.technology = std::move(technology),
                                    .use = use,
                                    .line = line,
                                    .column = scanned_.column_of(offset),
                                    .what = scanned_.excerpt(line)});
  }

  // <mapper namespace="..."> ... <select id="...">
  void find_elements() {
    for (const Technology& one : technologies()) {
      if ((one.families & bit(Family::xml)) == 0 || !has_element(one.root)) continue;
      for (const std::string_view element : words_of(one.elements)) {
        for_each("<" + std::string(element), [&](std::size_t at) { add(one, at); });
      }
    }
  }
  bool has_element(std::string_view name) const {
    const std::size_t at = find_word(code_, "<" + std::string(name));
    if (at == std::string_view::npos) return false;
    // A list of mappers has elements of that name, too.
    return name != "mapper" ||
           code_.substr(at, code_.find('>', at) - at).find("namespace") != std::string_view::npos;
  }

  template <class See>
  void for_each(std::string_view word, See see) const {
    for (std::size_t at = find_word(code_, word); at != std::string_view::npos;
         at = find_word(code_, word, at + word.size())) {
      see(at);
    }
  }

  void find_imported() {
    std::map<const Technology*, std::vector<Import>> imported;
    for (Import& one : imports_of(scanned_, language_)) {
      const Technology* technology = technology_of(one.path, language_.family);
      if (technology != nullptr) imported[technology].push_back(std::move(one));
    }
    for (const Technology& one : technologies()) {
      const auto found = imported.find(&one);
      if (found != imported.end()) find_uses(one, found->second);
    }
  }

  void find_uses(const Technology& technology, const std::vector<Import>& imports) {
    bool has_any = false;
    const auto see = [&](std::size_t at) {
      add(technology, at);
      has_any = true;
    };
    for (const std::string_view call : words_of(technology.calls)) for_each(call, see);
    for (const std::string_view word : marks_of(technology.words)) for_each(word, see);
    if (is_jvm()) {
      find_annotations(technology, see);
      find_calls(technology, imports, see);
      find_headers(imports, see);
    }
    if (has_any) return;
    const auto used =
        std::ranges::find_if(imports, [&](const Import& one) { return is_used(one); });
    if (used != imports.end()) add(technology, used->offset);
  }

  template <class See>
  void find_annotations(const Technology& technology, See see) {
    for (const std::string_view name : words_of(technology.annotations)) {
      for_each("@" + std::string(name), see);
    }
  }

  // Calls on what has one of the technology's types, and of their static methods.
  template <class See>
  void find_calls(const Technology& technology, const std::vector<Import>& imports, See see) {
    const auto is_imported = [&](std::string_view type) {
      return std::ranges::any_of(
          imports, [&](const Import& one) { return one.name.empty() || one.name == type; });
    };
    for (const DeclaredVariable& one : variables()) {
      if (has_word(technology.types, one.type) && is_imported(one.type))
        find_calls_on(one.name, see);
    }
    for (const std::string_view type : words_of(technology.types)) {
      if (is_imported(type)) find_calls_on(type, see);
    }
  }

  template <class See>
  void find_calls_on(std::string_view name, See see) const {
    for_each(name, [&](std::size_t at) {
      std::size_t dot = skip_blanks(code_, at + name.size());
      if (dot < code_.size() && (code_[dot] == '?' || code_[dot] == '!')) ++dot;
      if (dot >= code_.size() || code_[dot] != '.') return;
      const std::size_t method = skip_blanks(code_, dot + 1);
      const std::string_view called = word_at(code_, method);
      const std::size_t open = skip_arguments(code_, skip_blanks(code_, method + called.size()));
      if (called.empty() || open >= code_.size()) return;
      if (code_[open] == '(' || (code_[open] == '{' && language_.family == Family::jvm)) see(at);
    });
  }

  // interface Orders extends JpaRepository<Order, Long>; of Kotlin, class Orders(...) : Table()
  template <class See>
  void find_headers(const std::vector<Import>& imports, See see) const {
    for_each_header(code_, [&](std::string_view, std::size_t at, std::string_view header) {
      const std::size_t parameters = header.find(')');
      const bool has_some = header.find('(') < header.find(':');
      if (has_some && parameters != std::string_view::npos) header = header.substr(parameters);
      const bool is_of = std::ranges::any_of(imports, [&](const Import& one) {
        return !one.name.empty() && find_word(header, one.name) != std::string_view::npos;
      });
      if (is_of) see(at);
    });
  }

  // Whether a name that is imported stands anywhere else.
  bool is_used(const Import& import) const {
    if (!is_jvm() || import.name.empty()) return true;
    std::size_t count = 0;
    for_each(import.name, [&](std::size_t) { ++count; });
    return count > 1;
  }

  void find_words() {
    for (const Technology& one : technologies()) {
      if ((one.families & bit(language_.family)) == 0) continue;
      for (const std::string_view word : marks_of(one.words)) {
        for_each(word, [&](std::size_t at) { add(one, at); });
      }
    }
  }

  const std::vector<DeclaredVariable>& variables() {
    if (!variables_) variables_ = variables_of(scanned_, language_);
    return *variables_;
  }

  // Of what another file declares, and of what no file does although its name says what it is.
  void find_calls_of_declared() {
    for (const DeclaredVariable& one : variables()) {
      const auto mapped = declared_.mapped.find(one.type);
      if (mapped != declared_.mapped.end()) {
        find_calls_on(one.name, [&](std::size_t at) { add(*mapped->second, at); });
      } else if (is_data_access(one.type)) {
        find_calls_on(one.name, [&](std::size_t at) {
          add("classes for data access without source here", Use::mapper, at);
        });
      }
    }
  }

  bool is_data_access(std::string_view type) const {
    if (declared_.types.contains(type)) return false;
    for (const std::string_view end : {"Repository", "Dao", "DAO"}) {
      if (type.size() > end.size() && type.ends_with(end)) return true;
    }
    // Others map objects to objects.
    return type.ends_with("Mapper") &&
           (code_.find(".mapper." + std::string(type)) != std::string_view::npos ||
            code_.find(".dao." + std::string(type)) != std::string_view::npos);
  }

  // SQL in a language that is not read.
  void find_statements() {
    for (const Literal& literal : joined_literals(scanned_)) {
      if (sql_kind(literal.text) != SqlKind::data) continue;
      const std::uint32_t first = scanned_.line_of(literal.begin);
      const auto known = places_.lower_bound(first - 1);
      if (known != places_.end() && known->first <= scanned_.line_of(literal.end) + 1) continue;
      add("SQL in " + std::string(language_.name), Use::driver, literal.begin);
    }
  }

  const ScannedText& scanned_;
  const Language& language_;
  const Declared& declared_;
  std::string_view code_;
  std::map<std::uint32_t, Place> places_;  // by line
  std::optional<std::vector<DeclaredVariable>> variables_;
};

}  // namespace

std::vector<DeclaredVariable> variables_of(const ScannedText& scanned, const Language& language) {
  const std::string_view code = scanned.code;
  std::vector<DeclaredVariable> found;
  std::set<std::pair<std::string_view, std::string_view>> known;
  const auto add = [&](std::string_view type, std::string_view name) {
    if (!name.empty() && known.emplace(type, name).second) {
      found.push_back({.type = std::string(type), .name = std::string(name)});
    }
  };
  for (std::size_t at = 0; at < code.size(); ++at) {
    const bool begins =
        is_word_character(code[at]) && (at == 0 || !is_word_character(code[at - 1]));
    if (!begins) continue;
    const std::string_view word = word_at(code, at);
    std::size_t next = skip_blanks(code, skip_arguments(code, at + word.size()));
    if (language.family == Family::jvm && next < code.size() && code[next] == ':') {
      next = skip_blanks(code, next + 1);
      if (is_type_name(word_at(code, next))) add(word_at(code, next), word);
    } else if (is_type_name(word) && next > at + word.size()) {
      const std::string_view name = word_at(code, next);
      const std::size_t behind = skip_blanks(code, next + name.size());
      const bool ends = behind < code.size() &&
                        std::string_view(";=,):").find(code[behind]) != std::string_view::npos;
      if (ends && !is_type_name(name)) add(word, name);
    }
    at += word.size() - 1;
  }
  return found;
}

void declare_types(const ScannedText& scanned, const Language& language, Declared& declared) {
  const std::string_view code = scanned.code;
  std::vector<std::pair<std::string, const Technology*>> imported;
  for (const Import& one : imports_of(scanned, language)) {
    const Technology* technology = technology_of(one.path, language.family);
    if (technology != nullptr) imported.emplace_back(one.name, technology);
  }
  for_each_header(code, [&](std::string_view name, std::size_t at, std::string_view header) {
    declared.types.emplace(name);
    declared.methods.emplace(name);
    for (const auto& [type, technology] : imported) {
      const bool extends = !type.empty() && find_word(header, type) != std::string_view::npos;
      // @FeignClient("orders") interface Orders
      constexpr std::size_t kFar = 200;
      const std::string_view before = code.substr(at - std::min(at, kFar), std::min(at, kFar));
      const std::size_t annotation = before.rfind("@" + type);
      const bool is_marked = !type.empty() && annotation != std::string_view::npos &&
                             before.find_first_of("};", annotation) == std::string_view::npos &&
                             (has_word(technology->annotations, type) || type == "Mapper") &&
                             type != "Entity" && type != "Document";
      if (extends || is_marked) declared.mapped.emplace(name, technology);
    }
  });
  for (std::size_t open = code.find('('); open != std::string_view::npos;
       open = code.find('(', open + 1)) {
    std::size_t end = open;
    while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1])) != 0) --end;
    std::size_t begin = end;
    while (begin > 0 && is_word_character(code[begin - 1])) --begin;
    if (begin == end) continue;
    // A method has its type before its name, a call has not.
    std::size_t before = begin;
    while (before > 0 && std::isspace(static_cast<unsigned char>(code[before - 1])) != 0) --before;
    if (before == begin || before == 0) continue;
    const char last = code[before - 1];
    std::size_t word = before;
    while (word > 0 && is_word_character(code[word - 1])) --word;
    const std::string_view type = code.substr(word, before - word);
    static constexpr std::string_view kNoTypes =
        " return new throw else assert case yield await in ";
    const bool is_type =
        last == '>' || last == ']' ||
        (!type.empty() && kNoTypes.find(" " + std::string(type) + " ") == std::string_view::npos);
    if (is_type) declared.methods.emplace(code.substr(begin, end - begin));
  }
}

void declare_mapped(const ScannedText& scanned, Declared& declared) {
  const std::string_view text = scanned.text;
  const std::size_t mapper = find_word(scanned.code, "<mapper");
  if (mapper == std::string_view::npos) return;
  const std::size_t name = scanned.code.find("namespace", mapper);
  if (name == std::string::npos) return;
  const std::size_t open = text.find_first_of("\"'", name);
  if (open == std::string_view::npos) return;
  const std::size_t close = text.find(text[open], open + 1);
  if (close == std::string_view::npos) return;
  const std::string_view path = text.substr(open + 1, close - open - 1);
  const auto of_xml = [](const Technology& one) { return one.root == "mapper"; };
  const auto found = std::ranges::find_if(technologies(), of_xml);
  declared.mapped.emplace(path.substr(path.rfind('.') + 1), &*found);
}

std::vector<Place> find_places(const ScannedText& scanned, const Language& language,
                               const Declared& declared) {
  return PlaceFinder(scanned, language, declared).find();
}

}  // namespace heddle::marks
