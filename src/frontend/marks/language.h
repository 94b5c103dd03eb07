// The languages in which programs use stores: by the names of their files, and how they write
// comments and strings.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::marks {

// Languages that import libraries in the same way.
enum class Family : std::uint8_t {
  java,
  jvm,  // others on the JVM: Kotlin, Scala, Groovy
  python,
  go,
  script,  // JavaScript and TypeScript
  csharp,
  php,
  ruby,
  rust,
  c,
  perl,
  elixir,
  sql,
  xml,
  prisma,
};

struct Language {
  std::string_view name;
  Family family = Family::java;
  std::string_view extensions = {};     // between blanks: " .kt .kts "
  std::string_view line_comments = {};  // likewise: " // # "
  std::string_view block_open = {};
  std::string_view block_close = {};
  bool has_triple_quotes = false;        // """text""", over several lines
  bool has_triple_apostrophes = false;   // '''text'''
  bool quotes_with_apostrophes = false;  // 'text'; else '...' is one character, or nothing
  bool quotes_with_backticks = false;    // over several lines
  bool quotes_span_lines = false;        // "text" over several lines
  bool doubles_quotes = false;           // a quote inside of a string is written twice
  bool has_verbatim = false;             // @"text" with "" for a quote
  bool has_raw = false;                  // R"(text)", r#"text"#
  bool has_dollar_quotes = false;        // $tag$text$tag$
  bool has_heredocs = false;             // <<~SQL ... SQL, <<<SQL ... SQL;
};

// By the file's name; null: nothing that is known to use stores.
const Language* language_of(std::string_view path);

// What kind of document a file is that nobody would take for a program or for SQL, by its name:
// "JSON", "an archive"; empty: none.
std::string_view foreign_document(std::string_view path);

}  // namespace heddle::marks
