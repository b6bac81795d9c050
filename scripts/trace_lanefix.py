"""Rewrite a Chrome or Kineto trace so that Perfetto shows every slice.

    from trace_lanefix import fix_overlaps, check, explain

    report = fix_overlaps("trace.json", "trace.fixed.json.gz", pretty=False, quiet=True)
    print(report["totals"]["moved_slices"])
    if not check("trace.json")["clean"]:
        print(explain("trace.json", "gemm"))

One file that calls the shared library liblanefix (lanefix.h) by ctypes: the one that LANEFIX_LIBRARY
in the environment names; else, in a checkout, the one that `make` has built, or, installed by `make
install-python`, the one in make's LIBDIR; else what the system's loader finds.

All functions take names as str, bytes or path-like, and may be called from several threads, which
then run side by side: the library does not hold Python's lock. In the main thread Ctrl-C ends a run
soon, with nothing half-written. "-" is a file of that name, not a standard stream.
"""

from __future__ import annotations

import contextlib
import ctypes
import decimal
import functools
import inspect
import json
import math
import os
import pathlib
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Tuple,
    Type,
    TypeVar,
    Union,
)

__all__ = [
    "SNAP_THRESHOLD_US",
    "TraceError",
    "TraceWarning",
    "check",
    "explain",
    "fix_overlaps",
    "trace_handler",
]
__version__ = "0.1.0"  # of the library too: another one may have other structs

SNAP_THRESHOLD_US = 5.0

StrPath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Report = Dict[str, Any]
_T = TypeVar("_T")

# What follows, down to _declare, says again what lanefix.h says; test/python compares the two.
_SOVERSION = 0
_LEVEL = -1
_JOBS_MAX = 1024
_NOWHERE = 2**64 - 1
_GZIP_AUTO, _GZIP_ON, _GZIP_OFF = 0, 1, 2
_SNAP = {"first": 0, "soft": 1, "least": 2}


_TYPES: Dict[str, Any] = {
    "size_t": ctypes.c_size_t,
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "bool": ctypes.c_bool,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "char*": ctypes.c_char_p,
    "char**": ctypes.POINTER(ctypes.c_char_p),
    "void*": ctypes.c_void_p,
    "sig_atomic_t*": ctypes.POINTER(ctypes.c_int),
}


def _fields(*rows: str) -> List[Tuple[str, Any]]:
    """Rows of a type and the names of fields that have it."""
    words = [row.split() for row in rows]
    return [(name, _TYPES[kind]) for kind, *names in words for name in names]


class _Options(ctypes.Structure):
    _fields_ = _fields(
        "size_t options_nbytes",
        "int64_t snap_threshold_ns",
        "int gzip level",
        "size_t chunk_nbytes",
        "char* report_path",
        "sig_atomic_t* cancel",
        "unsigned jobs",
        "bool salvage no_sync",
        "uint64_t max_size_nbytes",
        "bool examine repair rebase in_place keep_original",
        "void* progress progress_data",
        "bool pretty dry_run",
        "int snap",
        "char** soft",
        "size_t soft_count",
        "char** no_snap",
        "size_t no_snap_count",
        "bool trim_unfinished",
        "char* html_path svg_path explain",
    )


class _Error(ctypes.Structure):
    _fields_ = _fields("int code file", "char* message", "uint64_t offset event", "int sys_errno")


class _Totals(ctypes.Structure):
    _fields_ = _fields(
        "uint64_t events slices tracks crossings too_deep snaps snapped_slices moved_slices lanes",
        "uint64_t flow_endpoints",
        "int64_t start_shift_ns end_shift_ns",
        "uint64_t unread_events unread_offset unread_event garbage_nbytes",
        "uint64_t lost_places lost_nbytes lost_offset lost_event",
        "char* lost_reason",
        "uint64_t new_ids",
        "int64_t ts_shift_us",
        "uint64_t pairs pair_crossings unchanged unfinished_slices",
    )


class _Finding(ctypes.Structure):
    _fields_ = _fields(
        "char* id what viewer",
        "bool error mended",
        "uint64_t count offset event",
        "char* name",
        "uint64_t left",
    )


_TYPES.update(
    {
        "void": None,
        "void**": ctypes.POINTER(ctypes.c_void_p),
        "size_t*": ctypes.POINTER(ctypes.c_size_t),
        "options*": ctypes.POINTER(_Options),
        "error*": ctypes.POINTER(_Error),
        "totals*": ctypes.POINTER(_Totals),
        "finding*": ctypes.POINTER(_Finding),
    }
)

_FUNCTIONS = (
    "char* lanefix_version",
    "int lanefix_fix char* char* options* void** error*",
    "int lanefix_check char* options* void** error*",
    "totals* lanefix_report_totals void*",
    "finding* lanefix_report_findings void* size_t*",
    "int lanefix_report_text void* void*",
    "int lanefix_report_explanation void* void*",
    "void lanefix_report_free void*",
    "int lanefix_finding_text finding* char* size_t",
    "int lanefix_error_text error* char* char* size_t",
    "bool lanefix_salvageable error*",
)


def _open(path: Optional[str], functions: Tuple[str, ...]) -> ctypes.CDLL:
    """A library whose functions have their types: what they return, their name, what they take."""
    lib = ctypes.CDLL(path)
    for result, name, *arguments in (function.split() for function in functions):
        function = getattr(lib, name)
        function.restype = _TYPES[result]
        function.argtypes = [_TYPES[argument] for argument in arguments]
    return lib


_LIBDIR = ""  # make install-python writes its LIBDIR here


def _library_paths() -> Iterator[str]:
    """Where the library may be, best first."""
    given = os.environ.get("LANEFIX_LIBRARY")
    if given:
        yield given
        return
    names = [f"liblanefix.so.{_SOVERSION}"]
    if sys.platform == "darwin":
        names.insert(0, f"liblanefix.{_SOVERSION}.dylib")
    folder = _LIBDIR or str(pathlib.Path(__file__).resolve().parent.parent / "build")
    for name in names:
        yield os.path.join(folder, name)
    yield from names  # by the loader


def _load() -> ctypes.CDLL:
    tried: List[str] = []
    for path in _library_paths():
        try:
            lib = _open(path, _FUNCTIONS)
        except (OSError, AttributeError) as error:
            tried.append(str(error) if path in str(error) else f"{path}: {error}")
            continue
        version: str = lib.lanefix_version().decode()
        if version.partition("-")[0] == __version__:
            return lib
        tried.append(f"{path}: version {version}, but {__file__} is {__version__}")
    raise ImportError(
        "cannot load liblanefix (run make or make install, or let LANEFIX_LIBRARY name the shared "
        "library); tried:" + "".join("\n  " + line for line in tried)
    )


_lib = _load()
_libc = _open(None, ("void* open_memstream void** size_t*", "int fclose void*", "void free void*"))


class TraceWarning(UserWarning):
    """What is odd about a trace, or was lost of it."""


class TraceError(ValueError):
    """A trace cannot be read, understood or written; nothing was, and an old output is as it was.

    Where a call of the system failed, it is the OSError of that as well, so that
    `except FileNotFoundError` and `except OSError` find it.

    code         the number of enum lanefix_status in lanefix.h
    path         the file that it is about, as it was given
    offset       the byte in the uncompressed trace
    event        the event there or, between events, the next one; numbered from 0
    salvageable  may the run succeed with salvage=True?

    Each is None where it is not known.
    """

    code: Optional[int] = None
    path: Optional[StrPath] = None
    offset: Optional[int] = None
    event: Optional[int] = None
    salvageable: Optional[bool] = None

    def __str__(self) -> str:  # not as OSError does
        return str(self.args[0])

    def __reduce__(self) -> Tuple[Any, ...]:  # for processes that hand errors on
        return _new_error, (getattr(self, "errno", 0), str(self), vars(self))


@functools.lru_cache(maxsize=None)
def _error_class(errno: int) -> Type[TraceError]:
    """TraceError, and the kind of OSError that belongs to the number, unless that is 0."""
    if not errno:
        return TraceError
    names = {"__module__": __name__, "__doc__": TraceError.__doc__}
    return type("TraceError", (TraceError, type(OSError(errno, ""))), names)


def _new_error(errno: int, message: str, known: Dict[str, Any]) -> TraceError:
    error = _error_class(errno)(message)
    vars(error).update(known)
    if isinstance(error, OSError):
        error.errno, error.strerror, error.filename = errno, os.strerror(errno), error.path
    return error


def _known(place: int) -> Optional[int]:
    return None if place == _NOWHERE else place


def _text_of(function: Any, *arguments: Any) -> str:
    """What a function of the library puts into the room that it is given, as snprintf does."""
    size = function(*arguments, None, 0) + 1
    room = ctypes.create_string_buffer(size)
    function(*arguments, room, size)
    return room.value.decode("utf-8", "replace")


def _as_error(error: _Error, paths: List[Optional[StrPath]], salvage: bool) -> TraceError:
    known = {
        "code": error.code,
        "path": paths[error.file],
        "offset": _known(error.offset),
        "event": _known(error.event),
        "salvageable": _lib.lanefix_salvageable(error),
    }
    line = _text_of(_lib.lanefix_error_text, error, os.fsencode(known["path"] or ""))
    if known["salvageable"] and not salvage:
        line += "; salvage=True keeps what is whole"
    return _new_error(error.sys_errno, line, known)


def _file_name(path: StrPath) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("embedded null byte")
    return b"./-" if name == b"-" else name


def _set_pictures(options: _Options, html: Optional[StrPath], svg: Optional[StrPath]) -> None:
    options.html_path = None if html is None else _file_name(html)
    options.svg_path = None if svg is None else _file_name(svg)


def _pictures(options: _Options) -> List[Optional[StrPath]]:
    """Their names, for errors."""
    return [path and os.fsdecode(path) for path in (options.html_path, options.svg_path)]


def _threshold_ns(us: float) -> int:
    """A rest below 1 ns is rounded up: shifts are whole ns, so below 0.5 is below 1."""
    us = float(us)
    if not math.isfinite(us) or us < 0:
        raise ValueError("snap_threshold_us must be finite and not negative")
    ns = (decimal.Decimal(repr(us)) * 1000).to_integral_value(decimal.ROUND_CEILING)
    return min(int(ns), 2**63 - 1)


def _in_range(name: str, value: Optional[int], least: int, most: int, default: int) -> int:
    """ctypes would cut what does not fit."""
    if value is None:
        return default
    if not least <= value <= most:
        raise ValueError(f"{name} must be {least} to {most}")
    return int(value)


def _new_options(
    snap_threshold_us: float, jobs: Optional[int], max_size: Optional[int], salvage: bool
) -> _Options:
    return _Options(
        options_nbytes=ctypes.sizeof(_Options),
        snap_threshold_ns=_threshold_ns(snap_threshold_us),
        level=_LEVEL,
        jobs=_in_range("jobs", jobs, 1, _JOBS_MAX, 0),
        max_size_nbytes=_in_range("max_size", max_size, 1, 2**64 - 1, 0),
        salvage=salvage,
    )


def _categories(name: str, given: Iterable[str]) -> List[bytes]:
    """A string would be taken for as many categories as it has letters."""
    if isinstance(given, (str, bytes)):
        raise ValueError(f"{name} takes a list of categories, not one alone")
    categories = [category.encode("utf-8", "surrogateescape") for category in given]
    if not all(category.strip(b",") and b"\0" not in category for category in categories):
        raise ValueError(f"{name} must not have an empty category, or one with a null byte")
    return categories


def _set_rules(
    options: _Options,
    snap: str,
    soft: Iterable[str],
    no_snap: Iterable[str],
    trim_unfinished: bool,
) -> None:
    """The options keep the arrays alive, and these their strings."""
    if snap not in _SNAP:
        raise ValueError(f"snap must be one of {', '.join(_SNAP)}")
    marks, kept = _categories("soft", soft), _categories("no_snap", no_snap)
    if marks and snap != "soft":
        raise ValueError('soft takes categories with snap="soft" alone')
    options.snap = _SNAP[snap]
    options.soft = (ctypes.c_char_p * len(marks))(*marks)
    options.soft_count = len(marks)
    options.no_snap = (ctypes.c_char_p * len(kept))(*kept)
    options.no_snap_count = len(kept)
    options.trim_unfinished = trim_unfinished


def _nothing(*_: Any) -> None:
    pass


def _wait(
    thread: threading.Thread, done: threading.Lock, ended: List[bool], cancel: ctypes.c_int
) -> Optional[BaseException]:
    """Waits until there is something in `ended`, which the thread puts there before it releases
    `done`. What a signal's handler raises meanwhile, as Ctrl-C does, sets `cancel`; the first such
    is returned.

    What the thread waits for then comes back (with EINTR) by a signal whose handler, for that long,
    does nothing: SIGURG, as hardly anyone has a use for it."""
    raised: Optional[BaseException] = None
    old: Any = None  # SIGURG's handler, while it has another one; stays None if it is not Python's
    while True:
        try:
            while not raised and not ended:
                done.acquire()
            while not ended:
                old = signal.getsignal(signal.SIGURG) if old is None else old
                if old is not None:
                    signal.signal(signal.SIGURG, _nothing)
                    signal.pthread_kill(thread.ident or 0, signal.SIGURG)
                done.acquire(timeout=0.02)
            if old is not None:
                signal.signal(signal.SIGURG, old)
            return raised
        except BaseException as error:
            cancel.value = 1
            raised = raised or error


def _call(work: Callable[[], _T], cancel: ctypes.c_int) -> _T:
    """Calls `work`, in which the library looks at `cancel`, so that Ctrl-C can end it.

    Python runs its handlers between two steps of the main thread, so that one must not be in the
    library itself, nor have anything to tidy up. In another thread nothing has to be done.

    Locks, not events: those do not survive what is raised while one waits for them."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    done, leave = threading.Lock(), threading.Lock()
    done.acquire()
    leave.acquire()
    results: List[_T] = []
    errors: List[BaseException] = []
    ended: List[bool] = []

    def body() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        ended.append(True)
        done.release()
        leave.acquire()  # a thread that has ended cannot be woken

    thread = threading.Thread(target=body, name="trace-lanefix")
    try:
        try:
            thread.start()
        except RuntimeError:  # there are none while Python ends
            return work()
        raised = _wait(thread, done, ended, cancel)
    finally:
        cancel.value = 1  # if something was raised between two steps of the above, it ends alone
        leave.release()
    thread.join()
    for error in [raised] if raised else errors:
        raise error
    return results[0]


def _print(text: str) -> None:
    try:
        print(text, end="")
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        print(text.encode(encoding, "backslashreplace").decode(encoding), end="")


def _report_text(handle: ctypes.c_void_p, function: Any = None) -> str:
    """What a function of the library writes to a stream; by default the report."""
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    stream = _libc.open_memstream(start, size)
    if not stream:
        raise MemoryError("no room for the report")
    failed = (function or _lib.lanefix_report_text)(handle, stream) != 0
    failed = _libc.fclose(stream) != 0 or failed
    text = ctypes.string_at(start, size.value) if start else b""
    _libc.free(start)
    if failed:
        raise MemoryError("no room for the report")
    return text.decode("utf-8", "replace")


def _totals(handle: ctypes.c_void_p) -> Report:
    totals = _lib.lanefix_report_totals(handle).contents
    values: Report = {name: getattr(totals, name) for name, _ in _Totals._fields_}
    if not totals.unread_events:
        values["unread_offset"] = values["unread_event"] = None
    if not totals.lost_places:
        values["lost_offset"] = values["lost_event"] = None
    if totals.lost_reason is not None:
        values["lost_reason"] = totals.lost_reason.decode()
    return values


def _found(handle: ctypes.c_void_p) -> List[_Finding]:
    n = ctypes.c_size_t()
    findings = _lib.lanefix_report_findings(handle, n)
    return [findings[i] for i in range(n.value) if findings[i].count]


def _finding(f: _Finding) -> Report:
    """A finding as the JSON report has it."""
    return {
        "kind": f.id.decode(),
        "severity": "error" if f.error else "warning",
        "count": f.count,
        "left": f.left,
        "offset": _known(f.offset),
        "event": _known(f.event),
        "name": None if f.name is None else f.name.decode("utf-8", "replace"),
        "what": f.what.decode(),
        "viewer": f.viewer.decode(),
    }


def _finding_line(f: _Finding) -> str:
    line = "" if f.left else "mended: "
    line += _text_of(_lib.lanefix_finding_text, f)
    if 0 < f.left < f.count:
        line += f"; {f.count - f.left} of them mended"
    elif f.left and f.mended:
        line += "; repair=True mends it"
    return line


def _warning_lines(handle: ctypes.c_void_p, totals: Report, fixed: bool) -> Iterator[str]:
    if fixed:
        yield from map(_finding_line, _found(handle))
    if totals["garbage_nbytes"]:
        yield f"{totals['garbage_nbytes']} byte(s) of garbage after the gzip stream ignored"
    if totals["lost_places"]:
        event = totals["lost_event"]
        where = f"after event {event - 1}" if event else "before the first event"
        yield (
            f"{totals['lost_nbytes']} byte(s) lost in {totals['lost_places']} place(s), the first "
            f"{where} (byte {totals['lost_offset']}): {totals['lost_reason']}"
        )


def _texts(strings: Any, n: int) -> List[str]:
    return [strings[i].decode("utf-8", "replace") for i in range(n)]


def _short_report(handle: ctypes.c_void_p, options: _Options) -> Report:
    """The report without what has an element for each change, track or place."""
    return {
        "version": _lib.lanefix_version().decode(),
        "snap_threshold_ns": options.snap_threshold_ns,
        "snap": list(_SNAP)[options.snap],
        "soft": _texts(options.soft, options.soft_count),
        "no_snap": _texts(options.no_snap, options.no_snap_count),
        "trim_unfinished": options.trim_unfinished,
        "findings": [_finding(f) for f in _found(handle)],
    }


def _work(
    paths: List[Optional[StrPath]], options: _Options, report: Union[bool, StrPath], quiet: bool
) -> Tuple[Report, str, List[str]]:
    """A fix, or a check without the second of the paths: its report, its text, and what is odd."""
    in_path, out_path, json_path = paths
    names = [_file_name(path) for path in (in_path, out_path) if path is not None]
    function = _lib.lanefix_check if out_path is None else _lib.lanefix_fix
    handle, error = ctypes.c_void_p(), _Error()
    with contextlib.ExitStack() as stack:
        if report is True:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="trace-lanefix-"))
            json_path = os.path.join(folder, "report.json")
        if json_path is not None:
            options.report_path = _file_name(json_path)
        if function(*names, options, handle, error):
            files = [in_path, out_path, json_path, *_pictures(options)]
            raise _as_error(error, files, options.salvage)
        stack.callback(_lib.lanefix_report_free, handle)
        result = _short_report(handle, options)
        if report is True and json_path:
            with open(json_path, encoding="utf-8") as file:
                result = json.load(file)
        result["totals"] = _totals(handle)
        odd = _warning_lines(handle, result["totals"], out_path is not None)
        said = ("", []) if quiet else (_report_text(handle), list(odd))
    return (result, *said)


def _run(
    in_path: StrPath,
    out_path: Optional[StrPath],
    options: _Options,
    report: Union[bool, StrPath],
    quiet: bool,
) -> Report:
    cancel = ctypes.c_int(0)
    options.cancel = ctypes.pointer(cancel)
    paths = [in_path, out_path, None if isinstance(report, bool) else report]
    result, text, odd = _call(lambda: _work(paths, options, report, quiet), cancel)
    result["input"] = os.fsdecode(in_path)
    result["output"] = None if out_path is None else os.fsdecode(out_path)
    if text:
        _print(text)
    for line in odd:
        warnings.warn(f"{result['input']}: {line}", TraceWarning, stacklevel=3)
    return result


def fix_overlaps(
    in_path: StrPath,
    out_path: StrPath,
    snap_threshold_us: float = SNAP_THRESHOLD_US,
    *,
    pretty: bool = True,
    quiet: bool = False,
    report: Union[bool, StrPath] = True,
    salvage: bool = False,
    repair: bool = False,
    rebase: bool = False,
    gzip: Optional[bool] = None,
    level: Optional[int] = None,
    jobs: Optional[int] = None,
    max_size: Optional[int] = None,
    sync: bool = True,
    dry_run: bool = False,
    snap: str = "first",
    soft: Iterable[str] = (),
    no_snap: Iterable[str] = (),
    trim_unfinished: bool = False,
    html: Optional[StrPath] = None,
    svg: Optional[StrPath] = None,
) -> Report:
    """Rewrites a trace so that Perfetto shows every slice. Both names may be of one file.

    snap_threshold_us  shift a boundary by less than that rather than move the slice; 0: never
    pretty             indent the output, as the tool that this replaces does. False is faster and
                       leaves every byte that need not change
    quiet              print no report, and give no TraceWarning of what is odd or lost
    report             True: the returned dict has all. False: it has no list with an element for
                       each change, track or place, which a trace may have millions of. A path: as
                       False, and all goes to that file as JSON
    salvage            of a trace that is cut, torn or damaged keep what is whole
    repair             mend what keeps the trace from showing, as far as it can be; implies salvage
    rebase             shift all ts by one constant, to begin at 0
    gzip               compress the output; None: if its name ends in .gz
    level              gzip level, 0 to 9; None: keep compressed data that does not change, else 1
    jobs               threads; None: one for each core
    max_size           refuse a trace of more bytes, uncompressed
    sync               wait until output and report are on the disk
    dry_run            write no trace: make the report alone
    snap               which of two slices that cross gives way: "first", the later one, as in the
                       tool that this replaces; "soft", the softer one, such as an annotation over
                       a kernel; "least", the one that leaves the fewest slices touched
    soft               with snap="soft": categories of slices that are annotations as well
    no_snap            categories of slices whose times are never changed: they move
    trim_unfinished    let slices that never returned, so that they end with the trace, end with
                       what is around them, however far that is
    html, svg          write a page that shows the largest fixes, a picture of the largest one,
                       to these files

    Returns the JSON report (man trace-lanefix, JSON REPORT) as a dict. Its "totals" have all of
    struct lanefix_totals (lanefix.h). Raises TraceError; ValueError for an argument out of range.
    """
    options = _new_options(snap_threshold_us, jobs, max_size, salvage)
    options.level = _in_range("level", level, 0, 9, _LEVEL)
    options.gzip = _GZIP_AUTO if gzip is None else _GZIP_ON if gzip else _GZIP_OFF
    options.no_sync = not sync
    options.repair = repair
    options.rebase = rebase
    options.pretty = pretty
    options.dry_run = dry_run
    _set_rules(options, snap, soft, no_snap, trim_unfinished)
    _set_pictures(options, html, svg)
    return _run(in_path, out_path, options, report, quiet)


def check(
    path: StrPath,
    crossings_only: bool = False,
    *,
    snap_threshold_us: float = SNAP_THRESHOLD_US,
    quiet: bool = True,
    report: Union[bool, StrPath] = True,
    salvage: bool = False,
    jobs: Optional[int] = None,
    max_size: Optional[int] = None,
    snap: str = "first",
    soft: Iterable[str] = (),
    no_snap: Iterable[str] = (),
    trim_unfinished: bool = False,
    html: Optional[StrPath] = None,
    svg: Optional[StrPath] = None,
) -> Report:
    """Looks for all that keeps a trace from showing (or, faster, for what crosses), and writes
    nothing. Arguments as of fix_overlaps, but nothing is printed unless quiet=False.

    Returns the report of what a fix would do, as a dict. Its "findings" say what was found, and
    "clean" is True if that is nothing. That a trace is broken is a finding, not an error, unless
    crossings_only.
    """
    options = _new_options(snap_threshold_us, jobs, max_size, salvage)
    options.examine = not crossings_only
    _set_rules(options, snap, soft, no_snap, trim_unfinished)
    _set_pictures(options, html, svg)
    result = _run(path, None, options, report, quiet)
    totals = result["totals"]
    crossings = totals["crossings"] or totals["pair_crossings"] or totals["too_deep"]
    result["clean"] = not crossings and not result["findings"]
    return result


def explain(
    path: StrPath,
    what: Union[str, int],
    *,
    snap_threshold_us: float = SNAP_THRESHOLD_US,
    salvage: bool = False,
    repair: bool = False,
    rebase: bool = False,
    jobs: Optional[int] = None,
    max_size: Optional[int] = None,
    snap: str = "first",
    soft: Iterable[str] = (),
    no_snap: Iterable[str] = (),
    trim_unfinished: bool = False,
    html: Optional[StrPath] = None,
    svg: Optional[StrPath] = None,
) -> str:
    """Says what a fix makes of a slice, and why: what it crosses, what decides, what else could be.
    No trace is written.

    what  the number of its event, as int or as str of digits; else its name or, if no slice has
          just that, what is in it

    Other arguments as of fix_overlaps. Returns the text that `trace-lanefix --explain` prints. Raises
    TraceError, if there is no such slice, too; ValueError for an argument out of range.
    """
    name = str(what).encode("utf-8", "surrogatepass")
    if not name or b"\0" in name:
        raise ValueError("what must be a name or a number")
    options = _new_options(snap_threshold_us, jobs, max_size, salvage)
    options.repair = repair
    options.rebase = rebase
    options.dry_run = True
    _set_rules(options, snap, soft, no_snap, trim_unfinished)
    _set_pictures(options, html, svg)
    options.explain = name
    cancel = ctypes.c_int(0)
    options.cancel = ctypes.pointer(cancel)

    def work() -> str:
        handle, error = ctypes.c_void_p(), _Error()
        file_name = _file_name(path)
        if _lib.lanefix_fix(file_name, file_name, options, handle, error):
            raise _as_error(error, [path, path, None, *_pictures(options)], salvage)
        try:
            return _report_text(handle, _lib.lanefix_report_explanation)
        finally:
            _lib.lanefix_report_free(handle)

    return _call(work, cancel)


def trace_handler(
    folder: StrPath, worker_name: Optional[str] = None, **options: Any
) -> Callable[[Any], None]:
    """A handler for on_trace_ready of torch.profiler.profile, as tensorboard_trace_handler is: it
    writes FOLDER/WORKER.TIME.pt.trace.json.gz, fixed.

    worker_name  by default rankN, where RANK in the environment is N, else HOST_PID
    options      of fix_overlaps; by default it is quiet and does not indent

    A trace that cannot be fixed is kept as it is, without .gz, and a TraceWarning says so: no
    training ends for that.
    """
    rank = os.environ.get("RANK")
    worker = worker_name or (f"rank{rank}" if rank else f"{socket.gethostname()}_{os.getpid()}")
    options = {"pretty": False, "quiet": True, "report": False, **options}
    inspect.signature(fix_overlaps).bind("", "", **options)  # a wrong name fails now

    def handler(prof: Any) -> None:
        os.makedirs(folder, exist_ok=True)
        name = f"{worker}.{time.time_ns()}.pt.trace.json"
        raw = os.path.join(os.fsdecode(folder), name)
        prof.export_chrome_trace(raw)
        try:
            fix_overlaps(raw, raw + ".gz", **options)
        except (ValueError, OSError, MemoryError) as error:  # TraceError among them
            warnings.warn(f"{error}; the trace is as it was", TraceWarning)
        else:
            if not options.get("dry_run"):
                os.remove(raw)

    return handler
