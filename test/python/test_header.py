"""What trace_lanefix.py says again of lanefix.h and the Makefile must be the same."""

import ctypes
import pathlib
import re
import unittest

import trace_lanefix

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = re.sub(r"/\*.*?\*/", "", (ROOT / "include" / "lanefix.h").read_text(), flags=re.S)
STRUCTS = {
    "options": trace_lanefix._Options,
    "error": trace_lanefix._Error,
    "totals": trace_lanefix._Totals,
    "finding": trace_lanefix._Finding,
}


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


def type_word(declared):
    """A type of C as trace_lanefix._TYPES names it."""
    declared = squeezed(re.sub(r"\b(const|volatile|LANEFIX_API)\b", "", declared))
    if declared.startswith("enum "):
        return "int"
    stars = "".join(re.findall(r"\*", declared))
    base = declared.replace("*", "").strip()
    if base in ("FILE", "struct lanefix_report") or base.endswith("_fn"):
        base = "void"
    return base.replace("struct lanefix_", "") + stars


def struct_fields(name):
    """[(field, word of its type)] as the header has them; a function's address is a "void*"."""
    body = re.search(r"struct lanefix_%s \{(.*?)\};" % name, HEADER, re.S).group(1)
    fields = []
    for declaration in filter(None, map(squeezed, body.split(";"))):
        function = re.match(r".*\(\*(\w+)\)\(.*\)$", declaration)
        if function:
            fields.append((function.group(1), "void*"))
        else:
            declared, field = re.match(r"(.*?)(\w+)$", declaration).groups()
            fields.append((field, type_word(declared)))
    return fields


def constant(name):
    text = re.search(r"#define %s \(?(\S+?)\)?$" % name, HEADER, re.M)
    text = text or re.search(r"\b%s = (\d+)" % name, HEADER)
    return text.group(1).strip('"')


class HeaderTest(unittest.TestCase):
    def test_structs(self):
        for name, struct in STRUCTS.items():
            expected = [(field, trace_lanefix._TYPES[word]) for field, word in struct_fields(name)]
            self.assertGreater(len(expected), 5, name)
            self.assertEqual(list(struct._fields_), expected, name)

    def test_functions(self):
        for function in trace_lanefix._FUNCTIONS:
            name = function.split()[1]
            result, arguments = re.search(
                r"^LANEFIX_API ([^;]*?)\b%s\(([^;]*)\);" % name, HEADER, re.M | re.S
            ).groups()
            words = [type_word(result), name]
            if squeezed(arguments) != "void":
                words += [type_word(re.sub(r"\w+$", "", a)) for a in arguments.split(",")]
            self.assertEqual(function.split(), words)

    def test_defaults(self):
        macro = re.search(r"#define LANEFIX_OPTIONS_DEFAULT(.*?)\n\n", HEADER, re.S).group(1)
        values = [squeezed(v) for v in macro.replace("\\", "").strip(" {}\n").split(",")]
        options = trace_lanefix._new_options(trace_lanefix.SNAP_THRESHOLD_US, None, None, False)
        self.assertEqual(len(values), len(options._fields_))
        for (name, _), value in zip(options._fields_, values):
            if value.startswith("LANEFIX_"):
                value = constant(value)
            elif value.startswith("sizeof"):
                value = ctypes.sizeof(options)
            value = {"NULL": 0, "false": 0, "true": 1}.get(value, value)
            self.assertEqual(int(getattr(options, name) or 0), int(value), name)

    def test_constants(self):
        self.assertEqual(trace_lanefix._JOBS_MAX, int(constant("LANEFIX_JOBS_MAX")))
        self.assertEqual(constant("LANEFIX_NOWHERE"), "UINT64_MAX")
        self.assertEqual(trace_lanefix._GZIP_AUTO, int(constant("LANEFIX_GZIP_AUTO")))
        self.assertEqual(trace_lanefix._GZIP_ON, int(constant("LANEFIX_GZIP_ON")))
        self.assertEqual(trace_lanefix._GZIP_OFF, int(constant("LANEFIX_GZIP_OFF")))
        for name, value in trace_lanefix._SNAP.items():
            self.assertEqual(int(constant("LANEFIX_SNAP_" + name.upper())), value)
        # the order of the paths in _run
        for i, name in enumerate(("INPUT", "OUTPUT", "REPORT")):
            self.assertEqual(int(constant("LANEFIX_FILE_" + name)), i)

    def test_versions(self):
        self.assertEqual(trace_lanefix.__version__, constant("LANEFIX_VERSION"))
        makefile = (ROOT / "Makefile").read_text()
        soversion = re.search(r"^SOVERSION := (\d+)$", makefile, re.M).group(1)
        self.assertEqual(trace_lanefix._SOVERSION, int(soversion))


if __name__ == "__main__":
    unittest.main()
