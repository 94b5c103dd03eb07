#include "frontend/marks/scan.h"

#include <gtest/gtest.h>

namespace heddle::marks {
namespace {

// The literals of a text in a language, by a file's name, each in brackets.
std::string literals(const std::string& file, const std::string& text) {
  std::string found;
  for (const Literal& one : joined_literals(scan(text, *language_of(file)))) {
    found += "[" + one.text + "]";
  }
  return found;
}

std::string code(const std::string& file, const std::string& text) {
  return scan(text, *language_of(file)).code;
}

TEST(Scan, comments_are_blank_and_keep_their_lines) {
  EXPECT_EQ("a       \nb", code("A.java", "a // x;y\nb"));
  EXPECT_EQ("a   \n   b", code("A.java", "a /*\n*/ b"));
  EXPECT_EQ("a    \nb", code("a.py", "a # x\nb"));
  EXPECT_EQ("<a>        </a>", code("a.xml", "<a><!--b--></a>"));
  EXPECT_EQ("a", code("A.java", "a"));
  EXPECT_EQ("a   ", code("A.java", "a /*")) << "a comment that nobody closes";
}

TEST(Scan, strings_are_as_their_language_writes_them) {
  EXPECT_EQ("[a\"b]", literals("A.java", R"(x = "a\"b";)"));
  EXPECT_EQ("[ two  lines ]", literals("A.java", "x = \"\"\"\ntwo\n lines\n\"\"\";"));
  EXPECT_EQ("", literals("A.java", "char c = '\"'; char d = '\\'';"));
  EXPECT_EQ("[a][b]", literals("a.py", "f('a', \"b\")"));
  EXPECT_EQ("[SELECT  1]", literals("a.py", "'''SELECT\n 1'''"));
  EXPECT_EQ("[a b]", literals("a.go", "x := `a\nb`"));
  EXPECT_EQ("[a \"\"b]", literals("A.cs", "var x = @\"a \"\"b\";"));
  EXPECT_EQ("[a 'b']", literals("a.rs", "let x = r#\"a 'b'\"#; fn f<'a>(y: &'a str) {}"));
  EXPECT_EQ("[a)b]", literals("a.cc", "auto x = R\"sql(a)b)sql\";"));
  EXPECT_EQ("[ SELECT 1 ]", literals("a.rb", "x = <<~SQL\nSELECT 1\nSQL\n"));
  EXPECT_EQ("[BEGIN; END]", literals("a.sql", "AS $x$BEGIN; END$x$ LANGUAGE sql"));
  EXPECT_EQ("[it''s]", literals("a.sql", "SELECT 'it''s'"));
}

TEST(Scan, what_the_code_joins_is_one_text) {
  EXPECT_EQ("[SELECT a FROM t]", literals("A.java", "x = \"SELECT a \" + // first\n \"FROM t\";"));
  EXPECT_EQ("[SELECT  ?  FROM t]", literals("A.java", "x = \"SELECT \" + COLUMNS + \" FROM t\";"));
  EXPECT_EQ("[a][b]", literals("A.java", "f(\"a\", \"b\")"));
  EXPECT_EQ("[ab]", literals("a.py", "f('a'\n  'b')"));
}

TEST(Scan, places_are_counted_from_one) {
  const ScannedText scanned = scan("ab\n\n  cd(\"x\");\n", *language_of("A.java"));
  EXPECT_EQ(3U, scanned.line_of(scanned.code.find("cd")));
  EXPECT_EQ(3U, scanned.column_of(scanned.code.find("cd")));
  EXPECT_EQ("cd(\"x\");", scanned.excerpt(3));
}

TEST(Scan, no_text_is_too_strange) {
  for (const char* file : {"A.java", "a.py", "a.cs", "a.rb", "a.rs", "a.cc", "a.sql", "a.xml",
                           "a.php", "a.ts", "a.go"}) {
    for (const char* text :
         {"", "\"", "'", "`", "'''", "\"\"\"", "/*", "$", "$$", "r#", "R\"", "<<~", "<<~A", "@\"",
          "\\", "\"\\", "'\\", "\xff\xfe\"\xff\"", "<!--"}) {
      EXPECT_EQ(std::string(text).size(), code(file, text).size()) << file << " " << text;
    }
  }
}

}  // namespace
}  // namespace heddle::marks
