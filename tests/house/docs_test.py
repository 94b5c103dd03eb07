"""The documents keep what they promise: links resolve, commands, options and sources exist."""

import functools
import os
import re
import subprocess
import unittest

import house

HEDDLE = os.environ.get("HEDDLE", str(house.ROOT / "build" / "dev" / "heddle"))

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*```.*?^\s*```", re.M | re.S)
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$", re.M)
SOURCE = re.compile(r"`([a-z_/]+\.cc)`")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]*)")
COMMAND_LINE = re.compile(r"^\s*(?:\$ )?(?:\S*/)?heddle\s+([a-z][a-z-]*)\b(.*)$")


@functools.lru_cache
def help_of(word):
    """The help text of a command, of heddle itself without a word, or None."""
    done = subprocess.run([HEDDLE, "help"] + ([word] if word else []), capture_output=True,
                          text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def slug(heading):
    """The anchor that renderers give a heading."""
    plain = re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(path):
    text = FENCE.sub("", path.read_text())
    return {slug(heading) for heading in HEADING.findall(text)}


def link_violations(root):
    found = []
    for path in house.files(root, (".md",)):
        text = INLINE.sub("", FENCE.sub("", path.read_text()))
        for target in LINK.findall(text) + IMAGE.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            place = (path.parent / name).resolve() if name else path
            if not place.exists():
                found.append(f"{house.relative(path, root)}: {target} leads nowhere")
            elif anchor and place.suffix == ".md" and anchor not in anchors(place):
                found.append(f"{house.relative(path, root)}: {target}: no such heading")
    return found


def command_lines(text):
    """(word, rest) of what readers may type: in fences and in inline code."""
    pieces = [line for fence in FENCE.findall(text) for line in fence.splitlines()]
    for piece in pieces + INLINE.findall(FENCE.sub("", text)):
        for part in re.split(r"&&|\||;", piece.partition(" #")[0]):
            match = COMMAND_LINE.match(part)
            if match:
                yield match.groups()


def has_option(text, option):
    return text is not None and re.search(re.escape(option) + r"(?![\w-])", text) is not None


def command_violations(root):
    found = []
    for path in house.files(root, (".md",)):
        where = house.relative(path, root)
        for word, rest in command_lines(path.read_text()):
            if help_of(word) is None:
                found.append(f"{where}: there is no command heddle {word}")
                continue
            for option in OPTION.findall(rest):
                if option != "--help" and not has_option(help_of(word), option):
                    found.append(f"{where}: heddle {word} has no option {option}")
    return found


def words_of_help():
    return re.findall(r"^  ([a-z]+) {2,}", help_of("") or "", re.M)


def lone_option_violations(root):
    """`--option` alone, in inline code, is an option of some command or of one of our scripts."""
    known = [help_of("") or ""] + [help_of(word) or "" for word in words_of_help()]
    known += [script.read_text() for script in house.scripts(root)]
    found = []
    for path in house.files(root, (".md",)):
        for code in INLINE.findall(FENCE.sub("", path.read_text())):
            match = re.fullmatch(r"(--[a-z][a-z0-9-]*)(?:=\S*)?", code)
            if match and not any(has_option(text, match.group(1)) for text in known):
                found.append(f"{house.relative(path, root)}: no command has {match.group(1)}")
    return found


def source_violations(root):
    """A source that a document names in inline code, by the end of its path, is there, and but once."""
    sources = ["/" + house.relative(path, root) for path in house.files(root, (".cc",), "src")]
    found = []
    for path in house.files(root, (".md",), "docs"):
        for name in sorted(set(SOURCE.findall(FENCE.sub("", path.read_text())))):
            count = sum(source.endswith("/" + name) for source in sources)
            if count != 1:
                found.append(f"{house.relative(path, root)}: {name} is the name of {count} sources")
    return found


def check(root):
    return (source_violations(root) + link_violations(root) + command_violations(root)
            + lone_option_violations(root))


class DocsTest(house.HouseTest):
    def in_document(self, text):
        return self.violations_in(check, {"docs/a.md": text, "docs/b.md": "# The `b` page\n"})

    def test_the_help_can_be_read(self):
        self.assertIn("explore", words_of_help())
        self.assertTrue(has_option(help_of("explore"), "--jobs"))

    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_catches_broken_links(self):
        self.assert_clean(self.in_document("[b](b.md) [b](b.md#the-b-page) [x](https://x.org)"))
        self.assertEqual(1, len(self.in_document("[c](c.md)")))
        self.assertEqual(1, len(self.in_document("[b](b.md#nowhere)")))
        self.assertEqual(1, len(self.in_document("![picture](c.svg)")))

    def test_catches_sources_that_are_not_there(self):
        sources = {"src/base/a.cc": "", "src/wire/a.cc": "", "src/wire/b.cc": ""}
        for text, count in (("`wire/a.cc` `b.cc`", 0), ("`a.cc`", 1), ("`c.cc`", 1)):
            found = self.violations_in(check, {"docs/a.md": text, **sources})
            self.assertEqual(count, len(found), text)

    def test_catches_commands_that_do_not_exist(self):
        self.assert_clean(self.in_document("`heddle explore --jobs=2 a.spec` and `--seed=1`"))
        for text in ("`heddle explode a.spec`", "```sh\nheddle explode a.spec\n```\n",
                     "`heddle explore --jbos=2 a.spec`", "the option `--jbos`",
                     "```\ncd x && heddle replay --all f.json\n```\n"):
            self.assertEqual(1, len(self.in_document(text)), text)


if __name__ == "__main__":
    unittest.main()
