"""trace_lanefix.py as someone who calls it sees it."""

import contextlib
import errno
import gzip
import io
import json
import math
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from unittest import mock

import trace_lanefix
from trace_lanefix import TraceError, TraceWarning, check, explain, fix_overlaps, trace_handler

SLICES = [
    {"ph": "X", "cat": "kernel", "name": "k0", "pid": 0, "tid": 7, "ts": 100.0, "dur": 50.0},
    {"ph": "X", "cat": "kernel", "name": "k1", "pid": 0, "tid": 7, "ts": 120.0, "dur": 40.0},
    {"ph": "X", "cat": "cpu", "name": "k2 \u00e9", "pid": 0, "tid": 7, "ts": 149.7, "dur": 10.0},
]
NO_DUR = {"ph": "X", "name": "step", "pid": 0, "tid": 7, "ts": 1.0}
LINES = """processing 1 track(s)
  pid=0 tid=7: 2 lane(s), 1 slice(s) moved, 1 snapped
snapped 1 sub-5.0us crossing(s)
updated 2 slice(s): total |start shift|=300ns, total |end shift|=0.000us, total |boundary shift|=300ns
kernel timing summary (1 run(s) across 1 kernel name(s)):
  k1: runs=1, total delayed=0.000us, total trimmed=0.000us, total boundary shift=0.000us, moved=1, snapped=0
snapped slices (1):
  k2 \u00e9 pid=0 tid=7: start delayed by 300ns
rewrote 0 flow endpoint(s) onto rewritten slice starts/lanes
wrote %s: 3 slices, 1 new lanes
"""
ENUM = {"OPEN": 3, "GZIP_CUT": 10, "CUT_EVENT": 13, "TOO_LARGE": 17, "NO_SLICE": 24}  # of lanefix_status


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "in.json"
        self.out = self.folder / "out.json"
        self.write(SLICES)
        # what runs print and warn of, unless a test looks at it
        self.printed = self.enterContext_(contextlib.redirect_stdout(io.StringIO()))
        self.warned = self.enterContext_(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")

    def enterContext_(self, manager):  # unittest has it from Python 3.11 on
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def write(self, events):
        self.source.write_text(json.dumps({"traceEvents": events}))

    def names(self):
        return sorted(os.listdir(self.folder))

    def assert_failed(self, kind, *arguments, **options):
        """The error, after a look that the run has left nothing."""
        self.out.write_text("old")
        before = self.names()
        with self.assertRaises(kind) as raised:
            fix_overlaps(*arguments, **options)
        self.assertEqual(self.out.read_text(), "old")
        self.assertEqual(self.names(), before)
        return raised.exception


class FixTest(Case):
    def test_prints_and_report(self):
        report = fix_overlaps(self.source, self.out)
        self.assertEqual(self.printed.getvalue(), LINES % self.out)
        self.assertEqual(self.names(), ["in.json", "out.json"])
        moved, snapped = report["changes"]
        self.assertEqual((moved["name"], moved["new_tid"]), ("k1", 7001))
        self.assertEqual((snapped["name"], snapped["new_start_ns"]), ("k2 \u00e9", 150000))
        self.assertEqual(report["lanes"][0]["tid"], 7001)
        self.assertEqual(report["totals"]["start_shift_ns"], 300)
        self.assertIsNone(report["totals"]["lost_offset"])
        events = json.loads(self.out.read_text())["traceEvents"]
        self.assertEqual([e["tid"] for e in events if e["ph"] == "X"], [7, 7001, 7])
        json.dumps(report)

    def test_threshold(self):
        for us, ns, moved in ((5.0, 5000, 1), (0.1, 100, 2), (0, 0, 2), (0.30001, 301, 1)):
            report = fix_overlaps(self.source, self.out, us)
            self.assertEqual(report["snap_threshold_ns"], ns)
            self.assertEqual(report["totals"]["moved_slices"], moved, us)
        self.assertEqual(fix_overlaps(self.source, self.out, 1e300)["totals"]["snaps"], 2)

    def test_arguments_out_of_range(self):
        for options in (
            {"snap_threshold_us": -0.1},
            {"snap_threshold_us": math.nan},
            {"snap_threshold_us": math.inf},
            {"jobs": 0},
            {"jobs": 2**32 + 1},
            {"level": 10},
            {"level": -1},
            {"max_size": 0},
            {"max_size": 2**64 + 1},
            {"snap": "last"},
            {"snap": ""},
            {"soft": ["mine"]},
            {"snap": "least", "soft": ["mine"]},
            {"snap": "soft", "soft": "mine"},
            {"snap": "soft", "soft": ["mine", ""]},
            {"no_snap": "kernel"},
            {"no_snap": b"kernel"},
            {"no_snap": [","]},
            {"no_snap": ["a\0b"]},
        ):
            self.assert_failed(ValueError, self.source, self.out, **options)
        self.assert_failed(TypeError, None, self.out)
        self.assert_failed(ValueError, str(self.source) + "\0", self.out)

    def test_names(self):
        """str, bytes, path-like; bytes that are no UTF-8; in place; a file called -."""
        fix_overlaps(self.source, self.out, quiet=True)
        expected = self.out.read_bytes()
        strange = os.fsencode(self.folder) + b"/\xff.json"
        report = fix_overlaps(str(self.source), strange)
        with open(strange, "rb") as file:
            self.assertEqual(file.read(), expected)
        self.assertEqual(os.fsencode(report["output"]), strange)
        self.assertEqual(os.fsencode(fix_overlaps(strange, self.out)["input"]), strange)
        self.assertIn("\\xff.json", self.printed.getvalue())
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        fix_overlaps(os.fsencode(self.source), "-")
        self.assertEqual((self.folder / "-").read_bytes(), expected)
        fix_overlaps(self.source, self.source)
        self.assertEqual(self.source.read_bytes(), expected)

    def test_pretty(self):
        """The layout of json.dump(..., indent=2) and a line feed; else the bytes stay."""
        self.write([SLICES[0]])
        fix_overlaps(self.source, self.out)
        trace = json.loads(self.source.read_text())
        self.assertEqual(self.out.read_text(), json.dumps(trace, indent=2) + "\n")
        fix_overlaps(self.source, self.out, pretty=False)
        self.assertEqual(self.out.read_bytes(), self.source.read_bytes())

    def test_pictures(self):
        page, picture = self.folder / "page.html", self.folder / "picture.svg"
        fix_overlaps(self.source, self.out, html=page, svg=str(picture))
        self.assertIn('<article class="fix"', page.read_text(encoding="utf-8"))
        self.assertIn('<rect class="cx"', picture.read_text(encoding="utf-8"))
        check(self.source, html=page)
        self.assertIn("what a fix would do", page.read_text(encoding="utf-8"))
        with self.assertRaises(TraceError) as raised:
            check(self.source, svg=self.folder / "missing" / "p.svg")
        self.assertEqual(raised.exception.path, str(self.folder / "missing" / "p.svg"))

    def test_dry_run(self):
        report = fix_overlaps(self.source, self.out, dry_run=True)
        self.assertEqual(self.names(), ["in.json"])
        self.assertEqual(len(report["changes"]), 2)
        self.assertIn("processing 1 track(s)\n", self.printed.getvalue())

    def test_options(self):
        """What can hardly be seen from outside."""
        with mock.patch("trace_lanefix._run") as run:
            fix_overlaps("in", "out", jobs=3, level=0, max_size=2**64 - 1)
            fix_overlaps("in", "out", sync=False)
        first, second = (call[0][2] for call in run.call_args_list)
        self.assertEqual((first.jobs, first.level, first.max_size_nbytes), (3, 0, 2**64 - 1))
        self.assertEqual((second.jobs, second.level, second.max_size_nbytes), (0, -1, 0))
        self.assertEqual((first.no_sync, second.no_sync), (False, True))

    def test_rules(self):
        """Lists that nobody else holds, of strings that are made anew."""
        for given in (False, True, self.folder / "report.json"):
            report = fix_overlaps(
                self.source,
                self.out,
                snap="soft",
                soft=("cat%d" % i for i in range(3)),
                no_snap=["k\u00e9rnel", "a,b"],
                trim_unfinished=True,
                report=given,
            )
            self.assertEqual(report["snap"], "soft")
            self.assertEqual(report["soft"], ["cat0", "cat1", "cat2"])
            self.assertEqual(report["no_snap"], ["k\u00e9rnel", "a,b"])
            self.assertIs(report["trim_unfinished"], True)
        self.assertIn("times kept: k\u00e9rnel, a,b; unf", self.printed.getvalue())
        for no_snap, moved in (["x"], 1), (["cpu"], 2):
            report = fix_overlaps(self.source, self.out, no_snap=no_snap)
            self.assertEqual(report["totals"]["moved_slices"], moved)
        report = check(self.source, snap="least", no_snap=["x"], trim_unfinished=True)
        self.assertEqual((report["snap"], report["soft"], report["no_snap"]), ("least", [], ["x"]))
        report = check(self.source, report=False)
        self.assertEqual((report["snap"], report["trim_unfinished"]), ("first", False))

    def test_reports_are_freed(self):
        free = trace_lanefix._lib.lanefix_report_free
        with mock.patch.object(trace_lanefix._lib, "lanefix_report_free", wraps=free) as freed:
            fix_overlaps(self.source, self.out)
        self.assertEqual(freed.call_count, 1)

    def test_gzip(self):
        packed = self.folder / "out.json.gz"
        fix_overlaps(self.source, packed, level=9)
        fix_overlaps(self.source, self.out)
        self.assertEqual(gzip.decompress(packed.read_bytes()), self.out.read_bytes())
        fix_overlaps(self.source, packed, gzip=False)
        self.assertEqual(packed.read_bytes(), self.out.read_bytes())
        fix_overlaps(self.source, self.out, gzip=True)
        self.assertEqual(gzip.decompress(self.out.read_bytes()), packed.read_bytes())

    def test_quiet(self):
        self.write(SLICES + [NO_DUR])
        fix_overlaps(self.source, self.out, quiet=True, jobs=1, sync=False)
        self.assertEqual(self.printed.getvalue(), "")
        self.assertEqual(self.warned, [])

    def test_output_that_takes_no_accents(self):
        raw = io.BytesIO()
        with contextlib.redirect_stdout(io.TextIOWrapper(raw, encoding="ascii")) as stream:
            fix_overlaps(self.source, self.out)
            stream.flush()
            self.assertIn(b"  k2 \\xe9 pid=0", raw.getvalue())

    def test_short_report(self):
        """Without the lists, but what is there is the same as with them."""
        self.write(SLICES + [NO_DUR])
        whole = fix_overlaps(self.source, self.out)
        short = fix_overlaps(self.source, self.out, report=False)
        self.assertEqual(len(short["findings"]), 1)
        self.assertEqual(short, {key: whole[key] for key in short})
        self.assertIn("totals", short)
        path = self.folder / "report.json"
        self.assertEqual(fix_overlaps(self.source, self.out, report=path), short)
        written = json.loads(path.read_text())
        self.assertEqual(written["changes"], whole["changes"])
        for name, value in written["totals"].items():
            self.assertEqual(whole["totals"][name], value)
        self.assertEqual(list(whole)[: len(written)], list(written))

    def test_rebase_and_repair(self):
        self.write([dict(SLICES[0], ts=1e15 + 0.25), {"ph": "C", "pid": 1, "ts": "1e15"}])
        report = fix_overlaps(self.source, self.out, rebase=True)
        self.assertEqual(report["totals"]["ts_shift_us"], 10**15)
        self.source.write_text(self.source.read_text().replace("50.0", "NaN"))
        fix_overlaps(self.source, self.out, repair=True)
        self.assertNotIn("NaN", self.out.read_text())

    def test_ids_of_any_length(self):
        """Python refuses to read integers of more than 4300 digits, so there must be none."""
        text = json.dumps(SLICES).replace('"tid": 7', '"tid": ' + "9" * 5000)
        self.source.write_text(text)
        report = fix_overlaps(self.source, self.out, repair=True)
        self.assertEqual(report["totals"]["moved_slices"], 1)
        self.assertEqual(report["new_ids"][0]["tid"][:3], "999")

    def test_threads(self):
        """Several at once, each with its own output and report."""
        results = {}

        def fix(i):
            out = self.folder / f"{i}.json"
            results[i] = fix_overlaps(self.source, out, 5.0 if i % 2 else 0.1, quiet=True)

        threads = [threading.Thread(target=fix, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, report in results.items():
            self.assertEqual(report["output"], str(self.folder / f"{i}.json"))
            self.assertEqual(report["totals"]["moved_slices"], 1 if i % 2 else 2)
        self.assertEqual(len(results), 8)


class WarningTest(Case):
    def texts(self):
        for warning in self.warned:
            self.assertIs(warning.category, TraceWarning)
            self.assertEqual(warning.filename, __file__)
        return [str(warning.message) for warning in self.warned]

    def test_findings(self):
        self.write(SLICES + [NO_DUR])
        fix_overlaps(self.source, self.out)
        offset = self.source.read_text().index(json.dumps(NO_DUR))
        self.assertEqual(
            self.texts(),
            [
                f"{self.source}: 1 X event(s) without dur: Perfetto skips them (first: byte "
                f"{offset}, event 3, step)"
            ],
        )

    def test_mended(self):
        self.write([dict(SLICES[0], ts=math.nan), dict(SLICES[0], dur=None)])
        fix_overlaps(self.source, self.out, repair=True)
        self.assertIn(": mended: 1 ", self.texts()[0])
        del self.warned[:]
        fix_overlaps(self.source, self.out)
        self.assertTrue(any(text.endswith("; repair=True mends it") for text in self.texts()))

    def test_some_mended(self):
        finding = trace_lanefix._Finding(
            id=b"x", what=b"X", viewer=b"skips them", count=3, left=1, offset=2**64 - 1, mended=True
        )
        line = trace_lanefix._finding_line(finding)
        self.assertEqual(line, "3 X: Perfetto skips them; 2 of them mended")

    def test_losses(self):
        self.source.write_text(self.source.read_text()[:-40])
        fix_overlaps(self.source, self.out, salvage=True)
        self.assertRegex(
            self.texts()[-1], r": \d+ byte\(s\) lost in 1 place\(s\), the first after event 1 "
        )
        self.assertIsNotNone(fix_overlaps(self.source, self.out, salvage=True)["losses"])

    def test_garbage(self):
        self.source.write_bytes(gzip.compress(self.source.read_bytes()) + b"garbage")
        fix_overlaps(self.source, self.out)
        self.assertIn("7 byte(s) of garbage after the gzip stream", self.texts()[0])


class ErrorTest(Case):
    def test_cut_trace(self):
        text = self.source.read_text()
        self.source.write_text(text[: text.index('"k2')])
        error = self.assert_failed(TraceError, self.source, self.out)
        self.assertIsInstance(error, ValueError)
        self.assertNotIsInstance(error, OSError)
        self.assertEqual(error.code, ENUM["CUT_EVENT"])
        self.assertEqual(error.path, self.source)
        self.assertEqual(error.event, 2)
        self.assertEqual(error.offset, text.index('"k2'))
        self.assertTrue(error.salvageable)
        self.assertEqual(
            str(error),
            f"{self.source}: the input ends inside an event (byte {error.offset}, event 2); "
            "salvage=True keeps what is whole",
        )
        self.assertEqual(fix_overlaps(self.source, self.out, salvage=True)["totals"]["slices"], 2)

    def test_missing_file(self):
        """What an OSError is for the tool that this replaces is one here."""
        missing = str(self.folder / "none.json")
        error = self.assert_failed(FileNotFoundError, missing, self.out)
        self.assertIsInstance(error, TraceError)
        self.assertEqual((error.errno, error.filename), (errno.ENOENT, missing))
        self.assertEqual((error.code, error.path), (ENUM["OPEN"], missing))
        self.assertIsNone(error.offset)
        self.assertIsNone(error.event)
        self.assertEqual(str(error), f"{missing}: cannot open: No such file or directory")
        self.assertIsInstance(
            self.assert_failed(OSError, self.folder, self.out), IsADirectoryError
        )

    def test_output_and_report(self):
        """The error names the file that it is about."""
        nowhere = self.folder / "none" / "x"
        self.assertEqual(self.assert_failed(OSError, self.source, nowhere).path, nowhere)
        error = self.assert_failed(OSError, self.source, self.out, report=nowhere)
        self.assertEqual(error.path, nowhere)

    def test_other_errors(self):
        error = self.assert_failed(TraceError, self.source, self.out, max_size=10)
        self.assertEqual(error.code, ENUM["TOO_LARGE"])
        self.source.write_bytes(gzip.compress(self.source.read_bytes())[:-9])
        error = self.assert_failed(TraceError, self.source, self.out)
        self.assertEqual(error.code, ENUM["GZIP_CUT"])
        self.source.write_text("{}")
        self.assert_failed(ValueError, self.source, self.out)

    def test_pickle(self):
        """Pools of processes hand errors on."""
        for error in (
            self.assert_failed(TraceError, self.source, self.out, max_size=10),
            self.assert_failed(TraceError, "none", self.out),
        ):
            copy = pickle.loads(pickle.dumps(error))
            self.assertIs(type(copy), type(error))
            self.assertEqual(type(error).__module__, "trace_lanefix")
            self.assertEqual(str(copy), str(error))
            self.assertEqual(vars(copy), vars(error))
            self.assertEqual(getattr(copy, "errno", None), getattr(error, "errno", None))

    def test_raised_by_hand(self):
        self.assertIsNone(TraceError("text").offset)
        self.assertEqual(str(TraceError("text")), "text")


class CheckTest(Case):
    def test_crossings(self):
        report = check(self.source)
        self.assertIs(report["clean"], False)
        self.assertEqual(report["totals"]["crossings"], 2)
        self.assertEqual(report["findings"][0]["kind"], "crossing")
        self.assertIsNone(report["output"])
        self.assertEqual(self.names(), ["in.json"])
        self.assertEqual(self.printed.getvalue(), "")
        self.assertIs(check(self.source, crossings_only=True)["clean"], False)

    def test_clean(self):
        fix_overlaps(self.source, self.out)
        self.assertIs(check(self.out)["clean"], True)
        self.assertIs(check(self.out, crossings_only=True)["clean"], True)

    def test_args(self):
        """Only the whole check looks at args."""
        self.write([dict(SLICES[0], args={"a": math.nan})])
        self.assertIs(check(self.source)["clean"], False)
        self.assertIs(check(self.source, True)["clean"], True)

    def test_broken(self):
        self.source.write_text(self.source.read_text()[:-40])
        report = check(self.source)
        self.assertIs(report["clean"], False)
        self.assertIn("torn", [finding["kind"] for finding in report["findings"]])
        with self.assertRaises(TraceError):
            check(self.source, crossings_only=True)

    def test_not_quiet(self):
        check(self.source, quiet=False)
        self.assertIn("found 2 crossing slice(s) among 3 slices\n", self.printed.getvalue())
        self.assertEqual(self.warned, [])


class ExplainTest(Case):
    def test_a_slice(self):
        text = explain(self.source, "k2 \u00e9")
        self.assertTrue(text.startswith("slices named 'k2 \u00e9': 1 (1 changed, "), text)
        self.assertIn("\n  so: ts 150.000, dur 9.700 (was ts 149.700, dur 10.000)\n", text)
        self.assertEqual(explain(self.source, 2), text[text.index("\n\n") + 2 :])
        self.assertEqual(explain(self.source, "2"), explain(self.source, 2))
        self.assertEqual(self.names(), ["in.json"])
        self.assertEqual((self.printed.getvalue(), self.warned), ("", []))

    def test_by_other_options(self):
        self.assertIn("so: it goes to lane 1", explain(self.source, 2, snap_threshold_us=0))
        self.write([dict(s, ts=s["ts"] + 2**52) for s in SLICES])
        self.assertIn(": ts 20.000, dur 40", explain(self.source, 1, rebase=True, jobs=2))

    def test_by_other_rules(self):
        text = explain(self.source, 2)
        self.assertIn("\n  with --snap=soft: ", text)
        self.assertIn("\n  with --snap=first: ", explain(self.source, 2, snap="soft", soft=["x"]))
        self.assertIn("so: it goes to lane 1", explain(self.source, 2, no_snap=["cpu"]))
        with self.assertRaises(ValueError):
            explain(self.source, 2, snap="hard")
        self.write([SLICES[0]] + [dict(s, dur=200.0 - s["ts"]) for s in SLICES[1:]])
        self.assertIn("it never returned", explain(self.source, 1, trim_unfinished=True))

    def test_pictures(self):
        page, picture = os.path.join(self.folder, "p.html"), os.path.join(self.folder, "p.svg")
        text = explain(self.source, 2)
        self.assertEqual(text, explain(self.source, 2, html=page, svg=picture))
        self.assertEqual(self.names(), ["in.json", "p.html", "p.svg"])
        nowhere = os.path.join(self.folder, "none", "p.svg")
        with self.assertRaises(FileNotFoundError) as caught:
            explain(self.source, 2, svg=nowhere)
        self.assertEqual(caught.exception.path, nowhere)

    def test_no_such_slice(self):
        for what in ("k9", 3):
            with self.assertRaises(TraceError) as caught:
                explain(self.source, what)
            self.assertEqual(caught.exception.code, ENUM["NO_SLICE"])
            self.assertFalse(caught.exception.salvageable)
        for what in ("", "a\0b"):
            with self.assertRaises(ValueError):
                explain(self.source, what)

    def test_reports_are_freed(self):
        free = trace_lanefix._lib.lanefix_report_free
        with mock.patch.object(trace_lanefix._lib, "lanefix_report_free", wraps=free) as freed:
            explain(self.source, 0)
        self.assertEqual(freed.call_count, 1)


class Profiler:
    """As torch.profiler.profile hands itself to on_trace_ready."""

    def __init__(self, text):
        self.text = text

    def export_chrome_trace(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)


class HandlerTest(Case):
    def test_fixed(self):
        folder = self.folder / "traces" / "new"
        handler = trace_handler(folder, "worker")
        for _ in range(2):
            handler(Profiler(self.source.read_text()))
        names = os.listdir(folder)
        self.assertEqual(len(names), 2)
        for name in names:
            packed = (folder / name).read_bytes()
            self.assertNotIn(b"\n", gzip.decompress(packed)[:-1])
            self.assertRegex(name, r"^worker\.\d+\.pt\.trace\.json\.gz$")
            self.assertIs(check(folder / name)["clean"], True)
        self.assertEqual(self.printed.getvalue(), "")

    def test_rank(self):
        self.addCleanup(os.environ.pop, "RANK", None)
        os.environ.pop("RANK", None)
        trace_handler(self.folder / "a")(Profiler("[]"))
        os.environ["RANK"] = "3"
        trace_handler(self.folder / "b", report=self.folder / "report")(Profiler("[]"))
        self.assertIn(f"_{os.getpid()}.", os.listdir(self.folder / "a")[0])
        self.assertTrue(os.listdir(self.folder / "b")[0].startswith("rank3."))
        self.assertIn("report", self.names())

    def test_rules(self):
        path = self.folder / "report.json"
        rules = {"snap": "soft", "soft": ["a"], "no_snap": ["b"], "trim_unfinished": True}
        trace_handler(self.folder / "a", report=path, **rules)(Profiler("[{}]"))
        report = json.loads(path.read_text())
        self.assertEqual({name: report[name] for name in rules}, rules)

    def test_broken(self):
        """The trace is kept, and no training ends."""
        trace_handler(self.folder / "a", "w")(Profiler("[{"))
        (name,) = os.listdir(self.folder / "a")
        self.assertRegex(name, r"^w\.\d+\.pt\.trace\.json$")
        self.assertEqual((self.folder / "a" / name).read_text(), "[{")
        self.assertIn("ends inside an event", str(self.warned[0].message))

    def test_dry_run(self):
        """Nothing takes the trace's place, so it stays."""
        trace_handler(self.folder / "a", "w", dry_run=True)(Profiler("[{}]"))
        (name,) = os.listdir(self.folder / "a")
        self.assertEqual((self.folder / "a" / name).read_text(), "[{}]")

    def test_wrong_option(self):
        """Is said at once, not when the first trace is there, hours later."""
        with self.assertRaises(TypeError):
            trace_handler(self.folder / "a", levle=3)
        trace_handler(self.folder / "a", level=10)(Profiler("[{}]"))  # no training ends for that
        self.assertEqual(len(os.listdir(self.folder / "a")), 1)
        self.assertIn("level must be 0 to 9", str(self.warned[0].message))

    def test_no_memory(self):
        with mock.patch.object(trace_lanefix, "fix_overlaps", side_effect=MemoryError("no room")):
            trace_handler(self.folder / "a", "w")(Profiler("[{}]"))
        self.assertEqual(len(os.listdir(self.folder / "a")), 1)
        self.assertIn("no room", str(self.warned[0].message))


class LibraryTest(Case):
    def run_python(self, code, folder=None, **environment):
        """A new Python that finds the module in `folder`, and its output."""
        folder = folder or pathlib.Path(trace_lanefix.__file__).parent
        names = {k: v for k, v in os.environ.items() if k != "LANEFIX_LIBRARY"}
        environment = {**names, "PYTHONPATH": str(folder), **environment}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        return done.stdout

    def copy(self, *replacement):
        text = pathlib.Path(trace_lanefix.__file__).read_text()
        for old, new in replacement:
            self.assertIn(old, text)
            text = text.replace(old, new)
        (self.folder / "trace_lanefix.py").write_text(text)
        return self.folder

    def test_missing(self):
        said = self.run_python("import trace_lanefix", LANEFIX_LIBRARY="/nowhere/x.so")
        self.assertIn("ImportError: cannot load liblanefix", said)
        self.assertIn("\n  /nowhere/x.so: ", said)
        folder = self.copy((f"_SOVERSION = {trace_lanefix._SOVERSION}", "_SOVERSION = 999"))
        said = self.run_python("import trace_lanefix", folder)
        self.assertIn(f"\n  {folder.resolve().parent}/build/liblanefix.so.999: ", said)
        self.assertIn("\n  liblanefix.so.999: ", said)

    def test_other_library(self):
        """One of another version, and one that is something else."""
        library = os.environ["LANEFIX_LIBRARY"]
        folder = self.copy(('__version__ = "', '__version__ = "9'))
        said = self.run_python("import trace_lanefix", folder, LANEFIX_LIBRARY=library)
        self.assertIn(f"\n  {library}: version {trace_lanefix.__version__}, but ", said)
        said = self.run_python("import trace_lanefix", LANEFIX_LIBRARY="libc.so.6")
        self.assertIn("ImportError: cannot load liblanefix", said)
        self.assertIn("lanefix_version", said)

    def test_checkout(self):
        """Without the variable: ../build beside the module, also if that is a link to it."""
        scripts, build = self.folder / "scripts", self.folder / "build"
        scripts.mkdir()
        build.mkdir()
        name = f"liblanefix.so.{trace_lanefix._SOVERSION}"
        os.symlink(os.environ["LANEFIX_LIBRARY"], build / name)
        self.copy()
        os.rename(self.folder / "trace_lanefix.py", scripts / "trace_lanefix.py")
        links = self.folder / "far" / "links"
        links.mkdir(parents=True)
        os.symlink(scripts / "trace_lanefix.py", links / "trace_lanefix.py")
        for folder in (scripts, links):
            said = self.run_python("import trace_lanefix as t; print(t._lib._name)", folder)
            self.assertEqual(said, f"{build.resolve() / name}\n")

    def test_while_python_ends(self):
        """No thread can be started any more then, from 3.12 on; profilers write traces then."""
        code = (
            "import atexit, sys, trace_lanefix as t\n"
            f"atexit.register(t.fix_overlaps, {str(self.source)!r}, {str(self.out)!r}, quiet=True)"
        )
        library = os.environ["LANEFIX_LIBRARY"]
        self.assertEqual(self.run_python(code, LANEFIX_LIBRARY=library), "")
        self.assertIs(check(self.out)["clean"], True)


if __name__ == "__main__":
    unittest.main()
