"""What C++ sources declare outside function bodies, read as clang-format lays it out: the functions
and members of namespaces and classes, with their parameters, lines and access. It knows neither
macros nor types; initializers and bodies are passed over."""

import dataclasses
import re

NOISE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/'
                   r"|^#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.M)
SCOPE = re.compile(r"\b(namespace|struct|class|union|extern)\b(?!.*\()", re.DOTALL)
ATTRIBUTE = re.compile(r"\[\[.*?\]\]")
ACCESS = re.compile(r"\s*(public|private|protected):")
OPENS, CLOSES = "([{<", ")]}>"


@dataclasses.dataclass
class Declaration:
    line: int
    text: str          # without comments and texts, with its body or initializer
    owner: str         # the class it is in, or nothing
    access: str        # public in a struct and at namespace scope
    name: str
    parameters: list   # none: not a function

    @property
    def qualifier(self):
        """The class that the definition of a member outside of it names."""
        found = re.search(r"(\w+)::~?\w+\(", self.text)
        return found[1] if found else ""

    @property
    def is_function(self):
        return self.parameters is not None


def without_noise(text):
    """As long as the text, with its lines."""
    return NOISE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def split_outside(text, separator):
    """The parts of a text between separators that stand in no brackets."""
    parts, depth, begin = [], 0, 0
    text = text.replace("->", "  ").replace(">=", "  ").replace("<=", "  ")
    for index, letter in enumerate(text):
        depth += (letter in OPENS) - (letter in CLOSES)
        if letter == separator and depth == 0:
            parts.append(text[begin:index])
            begin = index + 1
    return parts + [text[begin:]]


def closing(text, begin):
    """The place of the bracket that closes the one at that place, or the end."""
    depth = 0
    for index in range(begin, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth == 0:
            return index
    return len(text)


def parameter_list(text):
    """The place of the first parenthesis outside <>, or None where there is no function."""
    depth = 0
    for index, letter in enumerate(text):
        if letter == "(" and depth == 0:
            before = text[:index].rstrip()
            if before.endswith("operator") and text[index:index + 2] == "()":
                continue
            return index if re.search(r"(\w|operator *[^\w\s]+)$", before) else None
        if letter in "={" and depth == 0 and not re.search(r"operator[^\w\s]*$", text[:index]):
            return None
        if not re.search(r"operator *[^\w\s]*$", text[:index]):
            depth += (letter == "<") - (letter == ">")
    return None


def declaration(text, line, owner, access):
    text = ATTRIBUTE.sub(lambda found: " " * len(found[0]), text)
    place = parameter_list(text)
    if place is None:
        # Neither arrays nor bit fields have what follows their names in them.
        named = re.split(r"[={]|(?<!:):(?!:)", text, maxsplit=1)[0]
        name = re.search(r"(\w+)\s*(?:\[\w*\]\s*)*$", named)
        return Declaration(line, text, owner, access, name[1] if name else "", None)
    inside = text[place + 1:closing(text, place)]
    parameters = [p.strip() for p in split_outside(inside, ",")] if inside.strip() else []
    name = re.search(r"(~?\w+|operator.*)$", text[:place].rstrip())
    return Declaration(line, text, owner, access, name[1], parameters)


def read(text):
    """All declarations outside bodies, in their order; classes are not among them."""
    text = without_noise(text)
    found, scopes, begin, index = [], [("", "public")], 0, 0
    while index < len(text):
        letter = text[index]
        label = ACCESS.match(text, index) if begin == index else None
        if label:
            scopes[-1] = (scopes[-1][0], label[1])
            begin = index = label.end()
            continue
        if letter == "(":
            index = closing(text, index)
        elif letter == "{":
            head = text[begin:index]
            scope = SCOPE.search(re.sub(r"template <.*>\n", "", head))
            if scope and "=" not in head:
                name = re.search(r"(\w+)\s*(?:final\s*)?(?::.*)?$", head, re.DOTALL)
                is_class = scope[1] in ("struct", "class", "union")
                scopes.append((name[1] if name and is_class else "",
                               "private" if scope[1] == "class" else "public"))
                begin = index + 1
            else:
                index = closing(text, index)
                is_initializer = re.match(r"[^(]*=", head) or re.match(r"\s*;", text[index + 1:])
                if "(" in head and not is_initializer:
                    found += told(text, begin, index, scopes[-1])
                    begin = index + 1
        elif letter == ";":
            found += told(text, begin, index, scopes[-1])
            begin = index + 1
        elif letter == "}":
            scopes = scopes[:-1] or [("", "public")]
            begin = index + 1
        index += 1
    return found


# What begins with a comma is the rest of what a constructor initializes with braces.
NOT_TOLD = re.compile(r",|(?:using|friend|typedef|static_assert|enum|struct|class|namespace|union|"
                      r"extern)\b")


def told(text, begin, end, scope):
    lead = len(text[begin:end]) - len(text[begin:end].lstrip())
    said = text[begin + lead:end]
    if not said or NOT_TOLD.match(re.sub(r"^template <.*>\n\s*", "", said)):
        return []
    return [declaration(said, text.count("\n", 0, begin + lead) + 1, *scope)]
