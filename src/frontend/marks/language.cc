#include "frontend/marks/language.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace heddle::marks {

namespace {

constexpr Language kLanguages[] = {
    {.name = "Java",
     .family = Family::java,
     .extensions = " .java ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .has_triple_quotes = true},
    {.name = "Kotlin",
     .family = Family::jvm,
     .extensions = " .kt .kts ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .has_triple_quotes = true},
    {.name = "Scala",
     .family = Family::jvm,
     .extensions = " .scala .sc ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .has_triple_quotes = true},
    {.name = "Groovy",
     .family = Family::jvm,
     .extensions = " .groovy ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .has_triple_quotes = true,
     .has_triple_apostrophes = true,
     .quotes_with_apostrophes = true},
    {.name = "Python",
     .family = Family::python,
     .extensions = " .py .pyx ",
     .line_comments = " # ",
     .has_triple_quotes = true,
     .has_triple_apostrophes = true,
     .quotes_with_apostrophes = true},
    {.name = "Go",
     .family = Family::go,
     .extensions = " .go ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .quotes_with_backticks = true},
    {.name = "JavaScript",
     .family = Family::script,
     .extensions = " .js .jsx .mjs .cjs ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .quotes_with_apostrophes = true,
     .quotes_with_backticks = true},
    {.name = "TypeScript",
     .family = Family::script,
     .extensions = " .ts .tsx .mts .cts ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .quotes_with_apostrophes = true,
     .quotes_with_backticks = true},
    {.name = "C#",
     .family = Family::csharp,
     .extensions = " .cs ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .has_triple_quotes = true,
     .has_verbatim = true},
    {.name = "PHP",
     .family = Family::php,
     .extensions = " .php ",
     .line_comments = " // # ",
     .block_open = "/*",
     .block_close = "*/",
     .quotes_with_apostrophes = true,
     .quotes_span_lines = true,
     .has_heredocs = true},
    {.name = "Ruby",
     .family = Family::ruby,
     .extensions = " .rb .rake ",
     .line_comments = " # ",
     .quotes_with_apostrophes = true,
     .quotes_span_lines = true,
     .has_heredocs = true},
    {.name = "Rust",
     .family = Family::rust,
     .extensions = " .rs ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .quotes_span_lines = true,
     .has_raw = true},
    {.name = "C",
     .family = Family::c,
     .extensions = " .c .h .pgc ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/"},
    {.name = "C++",
     .family = Family::c,
     .extensions = " .cc .cpp .cxx .hpp .hh .hxx ",
     .line_comments = " // ",
     .block_open = "/*",
     .block_close = "*/",
     .has_raw = true},
    {.name = "Perl",
     .family = Family::perl,
     .extensions = " .pl .pm ",
     .line_comments = " # ",
     .quotes_with_apostrophes = true,
     .quotes_span_lines = true},
    {.name = "Elixir",
     .family = Family::elixir,
     .extensions = " .ex .exs ",
     .line_comments = " # ",
     .has_triple_quotes = true,
     .quotes_with_apostrophes = true},
    {.name = "SQL",
     .family = Family::sql,
     .extensions = " .sql ",
     .line_comments = " -- ",
     .block_open = "/*",
     .block_close = "*/",
     .quotes_with_apostrophes = true,
     .quotes_span_lines = true,
     .doubles_quotes = true,
     .has_dollar_quotes = true},
    {.name = "XML",
     .family = Family::xml,
     .extensions = " .xml ",
     .block_open = "<!--",
     .block_close = "-->"},
    {.name = "Prisma's language",
     .family = Family::prisma,
     .extensions = " .prisma ",
     .line_comments = " // "},
};

struct Document {
  std::string_view extension;
  std::string_view name;
};
constexpr Document kDocuments[] = {
    {".json", "JSON"},
    {".yaml", "YAML"},
    {".yml", "YAML"},
    {".properties", "properties"},
    {".toml", "TOML"},
    {".md", "Markdown"},
    {".html", "HTML"},
    {".css", "CSS"},
    {".class", "a compiled class"},
    {".jar", "an archive"},
    {".war", "an archive"},
    {".zip", "an archive"},
    {".gz", "an archive"},
    {".vue", "Vue"},
    {".swift", "Swift"},
    {".dart", "Dart"},
    {".clj", "Clojure"},
    {".gradle", "a build file"},
    {".sh", "a shell script"},
    {".csv", "CSV"},
};

std::string extension_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : to_lower(name.substr(dot));
}

}  // namespace

const Language* language_of(std::string_view path) {
  const std::string extension = extension_of(path);
  if (extension.empty()) return nullptr;
  const std::string wanted = " " + extension + " ";
  const auto* const found = std::ranges::find_if(kLanguages, [&](const Language& one) {
    return one.extensions.find(wanted) != std::string_view::npos;
  });
  return found == std::end(kLanguages) ? nullptr : found;
}

std::string_view foreign_document(std::string_view path) {
  const auto* const found = std::ranges::find(kDocuments, extension_of(path), &Document::extension);
  return found == std::end(kDocuments) ? std::string_view() : found->name;
}

}  // namespace heddle::marks
