#!/bin/sh
# bench/run.sh BUILD_DIR: trace-lanefix beside cat, gzip, pigz, jsmn and its Python reference.
#
# BUILD_DIR holds trace-lanefix, tracegen, measure and tokenize. From the environment:
#   SIZE_MB       size of the generated trace in MiB (default 1024)
#   RUNS          how often everything is measured (default 5)
#   REFERENCE     folder of the Python tool; without it that comparison is left out
#   REFERENCE_MB  size of the trace for that comparison, and for jq's, in MiB (default 64: they are slow)
#   JOBS, PACK    see lib.sh
#   TMPDIR        where the files go (default /tmp); about four and a half times SIZE_MB
#
# The targets hold for two cores; on a machine with more: taskset -c 0,1 make bench.
#
# The commands take turns, run by run, so that a machine that slows down does so for all of them.
# Output: what ran where, then a table. MB/s is uncompressed trace text, 10^6 bytes, by the median
# of the wall time; "time / peer" below 1 is faster than the peer; the peak is the highest of all
# runs, of the largest process of a pipeline. Targets stand beside the figures, but nothing is
# judged. Exit: 0; 1 a command failed; 2 wrong usage.
set -eu
bench=$(dirname "$0")
# shellcheck source=bench/lib.sh
. "$bench/lib.sh"

# Sets no_pigz, no_gzip, no_jq and no_reference to why they are left out, or to nothing.
find_peers() {
    no_pigz='' no_gzip='' no_jq='' no_reference=''
    has pigz || no_pigz='it is not installed'
    has gzip || no_gzip='it is not installed'
    has jq || no_jq='it is not installed'
    if [ -z "${REFERENCE:-}" ]; then
        no_reference='REFERENCE (the folder of the Python tool) is not set'
    elif ! has python3; then
        no_reference='there is no python3'
    elif [ ! -d "$REFERENCE/trace_lanefix" ]; then
        no_reference="there is no trace_lanefix in $REFERENCE"
    else
        PYTHONPATH=$(cd "$REFERENCE" && pwd)
        PYTHONDONTWRITEBYTECODE=1
        export PYTHONPATH PYTHONDONTWRITEBYTECODE
    fi
}

print_peer() { # PROGRAM WHY_LEFT_OUT
    if [ -n "$2" ]; then
        printf 'peer: %s left out, %s\n' "$1" "$2"
    else
        printf 'peer: %s\n' "$("$1" --version 2>&1 | head -n 1)"
    fi
}

measure_all() {
    run cat 'cat in.json > out.json'
    run fix "$fix in.json out.json"
    run fixflushed "$flushed in.json out.json"
    run jsmn 'tokenize in.json 2 > seconds'
    run check "$fix --check=crossings in.json"
    run doctor "$fix --check in.json"
    sed 's/"ts": */&170/' in.json >far.json # some decades later, so that all times are shifted
    run repair "$fix --repair far.json out.json"
    rm far.json
    run pretty "$fix --pretty in.json out.json"
    run reported "$fix --report edits.json in.json fixed.json"
    run undo "$fix --undo edits.json fixed.json out.json"
    rm fixed.json
    [ -n "$no_pigz" ] || run pigz 'pigz -dc in.json.gz | pigz -1 > out.json.gz'
    [ -n "$no_gzip" ] || run gzip 'gzip -dc in.json.gz | gzip -1 > out.json.gz'
    run fixgz "$fix in.json.gz out.json.gz"
    run fixgzflushed "$flushed in.json.gz out.json.gz"
    run fixgzone "$fix --level 1 in.json.gz out.json.gz"
    [ -n "$no_gzip" ] || run gunzip 'gzip -dc in.json.gz > out.json'
    [ -n "$no_gzip" ] || run inflate 'gzip -dc in.json.gz > /dev/null'
    run fixgunzip "$fix --no-gzip in.json.gz out.json"
    run fixpack "$fix in.json out.json.gz"
    run prettysmall "$fix --pretty small.json out.json"
    [ -n "$no_jq" ] || run jq 'jq . small.json > out.json'
    run fixsmall "$fix small.json out.json"
    if [ -z "$no_reference" ]; then
        run reference 'python3 -m trace_lanefix.cli small.json out.json'
    fi
}

# One line of the table; nothing for what was not run, no ratio without the peer.
row() { # ID LABEL PEER_ID PEER_LABEL TARGET INPUT_BYTES
    [ -f "$1.runs" ] || return 0
    peer=''
    [ ! -f "$3.runs" ] || peer=$(stats "$3")
    echo "$(stats "$1") $peer" | awk -v label="$2" -v peer="$4" -v target="$5" -v nbytes="$6" '{
        ratio = NF > 4 ? sprintf("%.2f x %s", $1 / $5, peer) : ""
        spread = sprintf("%.3f..%.3f", $2, $3)
        printf "  %-36s %9.3f %8.1f  %-16s  %-21s  %-20s %8.1f\n", label, $1, nbytes / 1e6 / $1, \
            spread, ratio, target, $4 / 1024
    }'
}

print_times() {
    case $(trace-lanefix --version) in
        *ISA-L*) gzip_target='<= 0.35 (with ISA-L)' ;;
        *) gzip_target='<= 0.60 (zlib alone)' ;;
    esac
    printf '\n  %-36s %9s %8s  %-16s  %-21s  %-20s %8s\n' what 'median s' MB/s 'spread s' \
        'time / peer' target 'peak MiB'
    echo 'plain to plain'
    row cat 'cat IN > OUT' '' '' '' "$nbytes"
    row fix 'trace-lanefix IN OUT' cat cat '<= 2.50' "$nbytes"
    row fixflushed 'the same, flushed to the disk' fix 'not flushed' '' "$nbytes"
    echo 'check'
    row jsmn 'jsmn on 2 cores, tokenizing alone' '' '' '' "$nbytes"
    row check 'trace-lanefix --check=crossings IN' jsmn jsmn '<= 1.00 or 1200 MB/s' "$nbytes"
    row doctor 'trace-lanefix --check IN' check '=crossings' '' "$nbytes"
    echo 'other outputs'
    row repair 'trace-lanefix --repair, every ts' fix 'a fix' '' "$nbytes"
    row pretty 'trace-lanefix --pretty IN OUT' fix 'a fix' '' "$nbytes"
    row reported 'trace-lanefix --report R IN OUT' fix 'a fix' '' "$nbytes"
    row undo 'trace-lanefix --undo R OUT IN' fix 'a fix' '' "$nbytes"
    echo 'gzip to gzip'
    row pigz 'pigz -dc IN.gz | pigz -1 > OUT.gz' '' '' '' "$nbytes"
    row gzip 'gzip -dc IN.gz | gzip -1 > OUT.gz' pigz pigz '' "$nbytes"
    row fixgz 'trace-lanefix IN.gz OUT.gz' pigz pigz "$gzip_target" "$nbytes"
    row fixgzflushed 'the same, flushed to the disk' fixgz 'not flushed' '' "$nbytes"
    row fixgzone 'trace-lanefix --level 1 IN.gz OUT.gz' pigz pigz '' "$nbytes"
    echo 'gzip to plain'
    row gunzip 'gzip -dc IN.gz > OUT' '' '' '' "$nbytes"
    row inflate 'gzip -dc IN.gz > /dev/null' gunzip 'gzip -dc' '' "$nbytes"
    row fixgunzip 'trace-lanefix --no-gzip IN.gz OUT' gunzip 'gzip -dc' '<= 1.50' "$nbytes"
    echo 'plain to gzip'
    row fixpack 'trace-lanefix IN OUT.gz' '' '' '' "$nbytes"
    echo "slow peers, $REFERENCE_MB MiB"
    row prettysmall 'trace-lanefix --pretty IN OUT' '' '' '' "$small_nbytes"
    row jq 'jq . IN > OUT' prettysmall --pretty '' "$small_nbytes"
    row fixsmall 'trace-lanefix IN OUT' '' '' '' "$small_nbytes"
    if [ -z "$no_reference" ]; then
        row reference 'python3 -m trace_lanefix.cli IN OUT' fixsmall trace-lanefix '>= 60.00' \
            "$small_nbytes"
    fi
}

# A fast compressor may simply compress less.
size_row() { # ID LABEL TARGET
    [ -f "$1.size" ] || return 0
    peer=''
    [ ! -f gzip.size ] || peer=$(cat gzip.size)
    echo "$(cat "$1.size") $peer" | awk -v label="$2" -v target="$3" '{
        ratio = NF > 1 ? sprintf("%.3f x gzip -1", $1 / $2) : ""
        line = sprintf("  %-36s %11.0f  %-20s  %s", label, $1, ratio, target)
        sub(/ +$/, "", line)
        print line
    }'
}

print_sizes() {
    printf '\n  %-36s %11s  %-20s  %s\n' 'size of the output' bytes 'size / peer' target
    size_row gzip 'gzip -dc IN.gz | gzip -1 > OUT.gz' ''
    size_row pigz 'pigz -dc IN.gz | pigz -1 > OUT.gz' ''
    size_row fixgz 'trace-lanefix IN.gz OUT.gz' '<= 1.000'
    size_row fixgzone 'trace-lanefix --level 1 IN.gz OUT.gz' '<= 1.000'
    size_row fixpack 'trace-lanefix IN OUT.gz' '<= 1.000'
    printf '  %-36s %11s\n' 'IN.gz' "$(size_of in.json.gz)"
    printf '  %-36s %11s\n' 'trace-lanefix IN OUT' "$(cat fix.size)"
    printf '  %-36s %11s\n' 'IN' "$nbytes"
}

memory_row() { # ID LABEL INDEX_BYTES
    stats "$1" | awk -v label="$2" -v nbytes="$3" '{
        peak = $4 / 1024
        index_mib = nbytes / 1048576
        printf "  %-36s %9.1f %9.1f %9.1f  <= 64.0\n", label, peak, index_mib, peak - index_mib
    }'
}

print_memory() {
    index=$(index_of in.json)
    # shellcheck disable=SC2086 # four numbers
    set -- $index
    printf '\n  %-36s %9s %9s %9s  %s\n' memory 'peak MiB' 'index' 'all else' target
    memory_row check 'trace-lanefix --check=crossings IN' "$1"
    memory_row doctor 'trace-lanefix --check IN' "$1"
    memory_row repair 'trace-lanefix --repair, every ts' "$1"
    memory_row fix 'trace-lanefix IN OUT' "$1"
    memory_row fixgz 'trace-lanefix IN.gz OUT.gz' "$1"
    memory_row fixgzone 'trace-lanefix --level 1 IN.gz OUT.gz' "$1"
    printf '  (the index: 24 bytes for each of %s slices, 20 for each of %s flow endpoints,\n' \
        "$2" "$3"
    printf '  16 for each of %s rewrites)\n' "$4"
    if [ -z "$no_reference" ]; then
        echo "$(stats reference) $(stats fixsmall)" | awk '{
            printf "  %-36s %9.1f  %.1f x trace-lanefix, target >= 20.0\n", "reference", \
                $4 / 1024, $4 / $8
        }'
    fi
}

[ $# -eq 1 ] || die 2 'usage: bench/run.sh BUILD_DIR'
SIZE_MB=${SIZE_MB:-1024} RUNS=${RUNS:-5} REFERENCE_MB=${REFERENCE_MB:-64}
positive SIZE_MB "$SIZE_MB"
positive RUNS "$RUNS"
positive REFERENCE_MB "$REFERENCE_MB"
find_peers
set_up "$1"

print_machine
print_peer pigz "$no_pigz"
print_peer gzip "$no_gzip"
print_peer jq "$no_jq"
if [ -n "$no_reference" ]; then
    printf 'peer: reference left out, %s\n' "$no_reference"
else
    print_peer python3 ''
fi
generate "$SIZE_MB"
printf 'trace: %s MiB (%s bytes), 2 of 1000 kernels crossing; by %s %s bytes\n' "$SIZE_MB" \
    "$nbytes" "$pack" "$(size_of in.json.gz)"
tracegen --size-mb "$REFERENCE_MB" --crossing-permille 2 >small.json || die 1 'failed: tracegen'
small_nbytes=$(size_of small.json)
printf 'trace for the slow peers: %s MiB (%s bytes)\n' "$REFERENCE_MB" "$small_nbytes"
printf 'runs: %s, taking turns; input in the page cache, output to a file\n' "$RUNS"

turn=0
while [ "$turn" -lt "$RUNS" ]; do
    measure_all
    turn=$((turn + 1))
done
print_times
print_sizes
print_memory
