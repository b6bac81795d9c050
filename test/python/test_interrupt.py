"""Ctrl-C while the library is at work: it ends soon, with KeyboardInterrupt and nothing left behind."""

import os
import pathlib
import signal
import tempfile
import threading
import unittest
from unittest import mock

from trace_lanefix import check, fix_overlaps

TRACE = b'[{"ph":"X","pid":1,"tid":2,"ts":0,"dur":10},{"ph":"X","pid":1,"tid":2,"ts":5,"dur":10}]'


class NoThread(threading.Thread):
    def start(self):
        raise RuntimeError("can't start new thread")


class InterruptTest(unittest.TestCase):
    """The input is a pipe that nobody writes to: without the signal it would wait for ever."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.pipe = self.folder / "pipe"
        self.out = self.folder / "out.json"
        self.out.write_text("old")
        os.mkfifo(self.pipe)
        for name in ("SIGINT", "SIGALRM"):  # a shell's background jobs ignore SIGINT
            number = getattr(signal, name)
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def after(self, seconds, function, *arguments):
        timer = threading.Timer(seconds, function, arguments)
        self.addCleanup(timer.join)
        timer.start()

    def assert_nothing_happened(self):
        self.assertEqual(self.out.read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.json", "pipe"])
        self.assertNotIn("trace-lanefix", [thread.name for thread in threading.enumerate()])
        self.assertEqual(signal.getsignal(signal.SIGURG), signal.SIG_DFL)

    def test_while_opening(self):
        self.after(0.2, os.kill, os.getpid(), signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            fix_overlaps(self.pipe, self.out)
        self.assert_nothing_happened()

    def test_while_reading(self):
        writer = os.open(self.pipe, os.O_RDWR)
        self.addCleanup(os.close, writer)
        os.write(writer, TRACE)
        self.after(0.2, os.kill, os.getpid(), signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            check(self.pipe)
        self.assert_nothing_happened()

    def test_more_than_one(self):
        """The first one is raised, and only when all is tidy; what comes meanwhile is not."""
        kill, later = signal.pthread_kill, iter([KeyboardInterrupt("second"), SystemExit])

        def raise_or_kill(*arguments):
            for error in later:
                raise error
            kill(*arguments)

        self.after(0.2, os.kill, os.getpid(), signal.SIGINT)
        with mock.patch("trace_lanefix.signal.pthread_kill", raise_or_kill):
            with self.assertRaises(KeyboardInterrupt) as raised:
                fix_overlaps(self.pipe, self.out)
        self.assertEqual(raised.exception.args, ())
        self.assert_nothing_happened()

    def test_no_more_threads(self):
        """Then the call is made as it is; while Python ends, from 3.12 on, there are none."""
        self.after(0, self.pipe.write_bytes, TRACE)
        with mock.patch("trace_lanefix.threading.Thread", NoThread):
            report = fix_overlaps(self.pipe, self.out, quiet=True)
        self.assertEqual(report["totals"]["moved_slices"], 1)

    def test_handler_that_raises(self):
        class Late(Exception):
            pass

        def raise_late(*_):
            raise Late

        signal.signal(signal.SIGALRM, raise_late)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with self.assertRaises(Late):
            fix_overlaps(self.pipe, self.out)
        self.assert_nothing_happened()

    def test_handler_that_returns(self):
        """It runs at once, and the work goes on."""
        seen = threading.Event()
        signal.signal(signal.SIGALRM, lambda *_: seen.set())
        signal.setitimer(signal.ITIMER_REAL, 0.1)

        def write():
            seen.wait(10)
            self.pipe.write_bytes(TRACE)

        self.after(0, write)
        report = fix_overlaps(self.pipe, self.out, quiet=True)
        self.assertTrue(seen.is_set())
        self.assertEqual(report["totals"]["moved_slices"], 1)

    def test_in_another_thread(self):
        """Only the main thread is interrupted; the others go on."""
        results, done = [], threading.Event()

        def fix():
            results.append(fix_overlaps(self.pipe, self.out, quiet=True))
            done.set()

        thread = threading.Thread(target=fix)
        thread.start()
        self.after(0.1, os.kill, os.getpid(), signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            done.wait(30)
        self.assertNotIn("trace-lanefix", [thread.name for thread in threading.enumerate()])
        self.pipe.write_bytes(TRACE)
        thread.join()
        self.assertEqual(results[0]["totals"]["moved_slices"], 1)


if __name__ == "__main__":
    unittest.main()
