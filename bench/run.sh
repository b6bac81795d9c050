#!/bin/sh
# bench/run.sh BUILD_DIR: trace-lanefix beside cat, gzip, pigz and its Python reference.
#
# BUILD_DIR holds trace-lanefix, tracegen and measure. From the environment:
#   SIZE_MB       size of the generated trace in MiB (default 256)
#   RUNS          how often everything is measured (default 3)
#   REFERENCE     folder of the Python tool; without it that comparison is left out
#   REFERENCE_MB  size of the trace for that comparison in MiB (default 16: it is slow)
#   TMPDIR        where the files go (default /tmp); about three times SIZE_MB
#
# The commands take turns, run by run, so that a machine that slows down does so for all of them.
# Output: what ran where, then a table. MB/s is uncompressed trace text, 10^6 bytes, by the median
# of the wall time; "time / peer" below 1 is faster than the peer; the peak is that of the largest
# process of a pipeline. Nothing is judged. Exit: 0; 1 a command failed; 2 wrong usage.
set -eu
LC_ALL=C
export LC_ALL

die() {
    printf 'bench: %s\n' "$2" >&2
    exit "$1"
}

positive() { # NAME VALUE
    case $2 in
        '' | 0* | *[!0-9]*) die 2 "$1 is '$2', not a positive whole number" ;;
    esac
}

# Times COMMAND and keeps "SECONDS KIB" in ID.runs. Exit 1 of --check means that it found crossings.
run() { # ID COMMAND
    rm -f out.json out.json.gz
    status=0
    ./bin/measure -o last "$2" >log 2>&1 || status=$?
    case $1:$status in
        *:0 | check:1) cat last >>"$1.runs" ;;
        *)
            tail -n 5 log >&2
            die 1 "failed with exit $status: $2"
            ;;
    esac
    if [ -f out.json.gz ]; then
        size_of out.json.gz >"$1.packed"
    fi
}

size_of() { # FILE
    wc -c <"$1" | tr -d ' '
}

# One line of the table; prints nothing for what was not run.
row() { # ID LABEL PEER_ID PEER_LABEL INPUT_BYTES
    [ -f "$1.runs" ] || return 0
    sort -n "$1.runs" >own
    sort -n "${3:-$1}.runs" >peer
    awk -v label="$2" -v peer="$4" -v nbytes="$5" '
        function median(s, n) { return (s[int((n + 1) / 2)] + s[int(n / 2) + 1]) / 2 }
        FILENAME == "own" { own[++n] = $1; if ($2 > peak) peak = $2 }
        FILENAME == "peer" { other[++m] = $1 }
        END {
            t = median(own, n)
            ratio = peer == "" ? "" : sprintf("%.2f x %s", t / median(other, m), peer)
            spread = sprintf("%.3f..%.3f", own[1], own[n])
            printf "  %-38s %9.3f %8.1f  %-27s %-17s %8.1f\n", label, t, nbytes / 1e6 / t, ratio, \
                spread, peak / 1024
        }' own peer
}

packed() { # ID LABEL
    if [ -f "$1.packed" ]; then
        printf '  %-38s %9s bytes\n' "$2" "$(cat "$1.packed")"
    fi
}

measure_all() {
    run cat 'cat in.json > out.json'
    run fix 'trace-lanefix in.json out.json'
    run check 'trace-lanefix --check in.json'
    run gzip 'gzip -dc in.json.gz | gzip -1 > out.json.gz'
    run gunzip 'gzip -dc in.json.gz > out.json'
    run fix_gz 'trace-lanefix in.json.gz out.json.gz'
    run fix_gunzip 'trace-lanefix --no-gzip in.json.gz out.json'
    if [ -z "$no_pigz" ]; then
        run pigz 'pigz -dc in.json.gz | pigz -1 > out.json.gz'
    fi
    if [ -z "$no_reference" ]; then
        run fix_small 'trace-lanefix small.json out.json'
        run reference 'python3 -m trace_lanefix.cli small.json out.json'
    fi
}

print_machine() {
    cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
    [ -n "$cpu" ] || cpu=$(lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | head -n 1)
    printf 'machine: %s, %s, %s cores\n' "$(uname -m)" "${cpu:-unknown CPU}" \
        "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo '?')"
    printf 'trace: %s MiB (%s bytes), gzip %s bytes; %s runs, taking turns; files in %s\n' \
        "$SIZE_MB" "$nbytes" "$(size_of in.json.gz)" "$RUNS" "${TMPDIR:-/tmp}"
    if [ -n "$no_pigz" ]; then
        echo "pigz: left out, $no_pigz"
    fi
    if [ -n "$no_reference" ]; then
        echo "reference: left out, $no_reference"
    else
        printf 'reference: on %s MiB (%s bytes)\n' "$REFERENCE_MB" "$small_nbytes"
    fi
}

print_table() {
    printf '\n  %-38s %9s %8s  %-27s %-17s %8s\n' what 'median s' MB/s 'time / peer' 'spread s' \
        'peak MiB'
    echo 'plain'
    row cat 'cat IN > OUT' '' '' "$nbytes"
    row fix 'trace-lanefix IN OUT' cat 'cat' "$nbytes"
    row check 'trace-lanefix --check IN' cat 'cat' "$nbytes"
    echo 'gzip'
    row gzip 'gzip -dc IN.gz | gzip -1 > OUT.gz' '' '' "$nbytes"
    row pigz 'pigz -dc IN.gz | pigz -1 > OUT.gz' gzip 'gzip -dc | gzip -1' "$nbytes"
    row fix_gz 'trace-lanefix IN.gz OUT.gz' gzip 'gzip -dc | gzip -1' "$nbytes"
    row gunzip 'gzip -dc IN.gz > OUT' '' '' "$nbytes"
    row fix_gunzip 'trace-lanefix --no-gzip IN.gz OUT.json' gunzip 'gzip -dc' "$nbytes"
    if [ -z "$no_reference" ]; then
        echo "reference, $REFERENCE_MB MiB"
        row fix_small 'trace-lanefix IN OUT' '' '' "$small_nbytes"
        row reference 'python3 -m trace_lanefix.cli IN OUT' fix_small trace-lanefix "$small_nbytes"
    fi
    # A fast compressor may simply compress less.
    echo 'size of OUT.gz'
    packed gzip 'gzip -1'
    packed pigz 'pigz -1'
    packed fix_gz 'trace-lanefix'
}

[ $# -eq 1 ] || die 2 'usage: bench/run.sh BUILD_DIR'
SIZE_MB=${SIZE_MB:-256} RUNS=${RUNS:-3} REFERENCE_MB=${REFERENCE_MB:-16}
positive SIZE_MB "$SIZE_MB"
positive RUNS "$RUNS"
positive REFERENCE_MB "$REFERENCE_MB"
for program in trace-lanefix tracegen measure; do
    [ -x "$1/$program" ] || die 2 "$1/$program is missing; make bench builds it"
done
build=$(cd "$1" && pwd)

no_pigz='' no_reference=''
command -v pigz >/dev/null 2>&1 || no_pigz='it is not installed'
if [ -z "${REFERENCE:-}" ]; then
    no_reference='REFERENCE (the folder of the Python tool) is not set'
elif ! command -v python3 >/dev/null 2>&1; then
    no_reference='there is no python3'
elif [ ! -d "$REFERENCE/trace_lanefix" ]; then
    no_reference="there is no trace_lanefix in $REFERENCE"
else
    PYTHONPATH=$(cd "$REFERENCE" && pwd)
    PYTHONDONTWRITEBYTECODE=1
    export PYTHONPATH PYTHONDONTWRITEBYTECODE
fi

tmp=$(mktemp -d "${TMPDIR:-/tmp}/trace-lanefix-bench.XXXXXX")
trap 'cd / && rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$tmp"

# Links in a folder on PATH: so the commands need no quoting, whatever the folders are called.
mkdir bin
for program in trace-lanefix tracegen measure; do
    ln -s "$build/$program" "bin/$program"
done
PATH=$tmp/bin:$PATH

tracegen --size-mb "$SIZE_MB" >in.json || die 1 'failed: tracegen'
if [ -z "$no_pigz" ]; then pack=pigz; else pack=gzip; fi
$pack -1 <in.json >in.json.gz || die 1 "failed: $pack -1"
nbytes=$(size_of in.json)
if [ -z "$no_reference" ]; then
    tracegen --size-mb "$REFERENCE_MB" >small.json || die 1 'failed: tracegen'
    small_nbytes=$(size_of small.json)
fi
print_machine

cat ./*.json in.json.gz >/dev/null # into the page cache
turn=0
while [ "$turn" -lt "$RUNS" ]; do
    measure_all
    turn=$((turn + 1))
done
print_table
