"""A type has one definition: two files that define a struct, class or enum of one qualified name are
two programs to the linker, which keeps one of them; whoever was compiled with the other crashes. What
stands in an unnamed namespace is its file's own, as is what a function defines."""

import collections
import re
import unittest

import declarations
import house

HEAD = re.compile(r"\b(?:(namespace)\b(?:[ \t]+([\w:]+))?|"
                  r"(struct|class|union|enum(?:[ \t]+(?:class|struct))?)\b(?:\s*\[\[.*?\]\])*"
                  r"\s+([\w:]+)(?:\s+final)?)(?=[^;{}()=]*\{)[^;{}()=]*\{", re.DOTALL)
TEMPLATE = re.compile(r"\btemplate\s*<")
SPECIALIZED = re.compile(r"[\w:]+\s*<")


def brackets(text, begin):
    """The place behind the bracket that closes the one at that place."""
    return declarations.closing(text, begin) + 1


def without_template_heads(text):
    """Parameters of templates are called class, too; the text keeps its length."""
    while True:
        found = TEMPLATE.search(text)
        if not found:
            return text
        depth, end = 0, found.end() - 1
        while end < len(text):
            depth += (text[end] == "<") - (text[end] == ">")
            end += 1
            if depth == 0:
                break
        blank = re.sub(r"[^\n]", " ", text[found.start():end])
        text = text[:found.start()] + blank + text[end:]


def types_of(text):
    """(qualified name, line) of each type with linkage that the text defines."""
    text = without_template_heads(declarations.without_noise(text))
    found, scopes, index = [], [], 0
    while index < len(text):
        head = HEAD.match(text, index) if text[index].isalpha() else None
        if head and not (index and (text[index - 1].isalnum() or text[index - 1] in "_:")):
            name = head[2] if head[1] else head[4]
            is_hidden = any(scope is None for scope in scopes) or (head[1] and name is None)
            if not head[1] and not is_hidden and not SPECIALIZED.search(head[0][:-1].split(":")[0]):
                found.append(("::".join(filter(None, [*scopes, name])),
                              text.count("\n", 0, index) + 1))
            scopes.append(None if is_hidden else name)
            index = head.end()
            continue
        if text[index] == "{":
            index = brackets(text, index)  # of a function, or an initializer
            continue
        if text[index] == "}" and scopes:
            scopes.pop()
        index += 1
    return found


def check(root):
    places = collections.defaultdict(list)
    for path in house.files(root, house.CXX, "src", "include"):
        for name, line in types_of(path.read_text()):
            places[name].append((house.relative(path, root), line))
    found = []
    for name, where in sorted(places.items()):
        first, *others = where
        found += [f"{file}:{line}: {name} is defined in {first[0]}, too"
                  for file, line in others if file != first[0]]
    return found


class TypesTest(house.HouseTest):
    def in_files(self, first, second):
        return self.violations_in(check, {"src/a/a.cc": first, "include/heddle/b.h": second})

    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_catches_types_of_one_name(self):
        for one in ("struct Draft {\n  int a;\n};", "class Draft final : public Base<int> {\n};",
                    "enum class Draft : int { a, b };", "template <class T>\nstruct Draft {\n};",
                    "class [[nodiscard]] Draft {\n};"):
            text = f"namespace heddle {{\n\n{one}\n\n}}\n"
            line = text[:text.index("Draft")].count("\n") + 1
            self.assertEqual([f"src/a/a.cc:{line}: heddle::Draft is defined in "
                              "include/heddle/b.h, too"], self.in_files(text, text), one)

    def test_knows_namespaces_and_classes(self):
        one = "namespace heddle {\nstruct A {\n  struct Draft {\n    int a;\n  };\n};\n}\n"
        other = "namespace heddle::race {\nstruct B {\n  struct Draft {\n    int a;\n  };\n};\n}\n"
        self.assert_clean(self.in_files(one, other))
        self.assertEqual(2, len(self.in_files(one, one)))
        nested = "namespace heddle {\nclass A {\n  class B;\n};\nclass A::B {\n};\n}\n"
        self.assertEqual([("heddle::A", 2), ("heddle::A::B", 5)], types_of(nested))

    def test_leaves_alone_what_is_a_files_own(self):
        hidden = "namespace heddle {\nnamespace {\nstruct Draft {\n  int a;\n};\n}\n}\n"
        local = "namespace heddle {\nvoid f() {\n  struct Draft {\n    int a;\n  };\n}\n}\n"
        declared = "namespace heddle {\nstruct Draft;\nstruct Draft f(struct Draft a);\n}\n"
        for text in (hidden, local, declared):
            self.assert_clean(self.in_files(text, text))


if __name__ == "__main__":
    unittest.main()
