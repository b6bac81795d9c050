#!/bin/sh
# bench/growth.sh BUILD_DIR: time and memory of trace-lanefix against the size of the trace.
#
# BUILD_DIR holds trace-lanefix, tracegen, measure and tokenize. From the environment:
#   SIZES       sizes of the generated traces in MiB (default "64 256 1024 4096")
#   RUNS        how often everything is measured (default 3)
#   SLICES      how many slices cross each other in the second table (default 1000000)
#   OUT         a file that gets the figures, tab-separated, with a heading
#   PICTURE     a file that gets the throughput as an SVG
#   JOBS, PACK  see lib.sh
#   TMPDIR      where the files go (default /tmp); about two and a half times the largest size
#
# First table: for each size --check, plain to plain, gzip to gzip. "time/byte" is that of the size
# over that of the first size, so 1.00 throughout is linear growth; "all else" is the peak less the
# index, which is 24 bytes a slice, 20 a flow endpoint and 16 a rewrite.
#
# Second table: slices that all cross each other, beside as many of the same text of which none
# does. Nothing is judged. Exit: 0; 1 a command failed; 2 wrong usage.
set -eu
bench=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/lib.sh
. "$bench/lib.sh"

absolute() { # PATH
    case $1 in
        '' | /*) echo "$1" ;;
        *) echo "$PWD/$1" ;;
    esac
}

# One line of the first table and of figures.tsv; ID.first keeps the time per byte of the first.
size_row() { # ID LABEL SIZE_MB INDEX_BYTES SLICES
    stats "$1" | awk -v id="$1" -v label="$2" -v size="$3" -v index_nbytes="$4" -v slices="$5" \
        -v nbytes="$nbytes" -v OFS='\t' '{
        first = $1 / nbytes
        if ((getline line < (id ".first")) > 0)
            first = line
        else
            printf "%.17g\n", first > (id ".first")
        peak = $4 / 1024
        index_mib = index_nbytes / 1048576
        spread = sprintf("%.3f..%.3f", $2, $3)
        rate = sprintf("%.1f", nbytes / 1e6 / $1)
        printf "  %8d  %-14s %9.3f %8s  %-16s %9.2f %9.1f %9.1f %9.1f\n", size, label, $1, rate, \
            spread, $1 / nbytes / first, peak, index_mib, peak - index_mib
        print "growth", label, size, nbytes, slices, $1, $2, $3, rate, sprintf("%.1f", peak), \
            sprintf("%.1f", index_mib) >> "figures.tsv"
    }'
}

measure_size() { # SIZE_MB
    size=$1
    generate "$size"
    index=$(index_of in.json)
    turn=0
    while [ "$turn" -lt "$RUNS" ]; do
        run check "$fix --check=crossings in.json"
        run fix "$fix in.json out.json"
        run fixgz "$fix in.json.gz out.json.gz"
        turn=$((turn + 1))
    done
    # shellcheck disable=SC2086 # four numbers
    set -- $index
    size_row check '--check' "$size" "$1" "$2"
    size_row fix 'plain to plain' "$size" "$1" "$2"
    size_row fixgz 'gzip to gzip' "$size" "$1" "$2"
    rm -f ./*.runs ./*.json ./*.gz
}

# X slices on one thread. Crossing: number i lasts from i to SLICES + 2 i, so each begins before the
# one before it ends and ends after it, and all of them are open at once. Else each begins where the
# one before it ends.
many_slices() { # CROSSING (0 or 1)
    awk -v n="$SLICES" -v crossing="$1" 'BEGIN {
        print "{\"traceEvents\": ["
        for (i = 0; i < n; i++)
            printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, " \
                "\"tid\": 7, \"ts\": %d, \"dur\": %d}%s\n", i, crossing ? n + i : 1, \
                i < n - 1 ? "," : ""
        print "]}"
    }'
}

# One line of the second table and of figures.tsv.
crossing_row() { # ID LABEL PEER_ID INPUT_FILE INDEX_BYTES
    peer='' target=''
    [ ! -f "$3.runs" ] || peer=$(stats "$3") target='<= 5.00'
    echo "$(stats "$1") $peer" | awk -v label="$2" -v target="$target" -v nbytes="$(size_of "$4")" \
        -v index_nbytes="$5" -v n="$SLICES" -v OFS='\t' '{
        ratio = NF > 4 ? sprintf("%.2f x apart", $1 / $5) : ""
        peak = $4 / 1024
        index_mib = index_nbytes / 1048576
        printf "  %-24s %9.3f %9.3f  %-16s  %-13s  %-8s %9.1f %9.1f %9.1f\n", label, $1, \
            $1 / n * 1e6, sprintf("%.3f..%.3f", $2, $3), ratio, target, peak, index_mib, \
            peak - index_mib
        print "crossing", label, sprintf("%.1f", nbytes / 1048576), nbytes, n, $1, $2, $3, \
            sprintf("%.1f", nbytes / 1e6 / $1), sprintf("%.1f", peak), \
            sprintf("%.1f", index_mib) >> "figures.tsv"
    }'
}

measure_crossing() {
    many_slices 0 >apart.json || die 1 'failed: awk'
    many_slices 1 >crossing.json || die 1 'failed: awk'
    apart=$(index_of apart.json)
    crossing=$(index_of crossing.json)
    cat apart.json crossing.json >/dev/null
    turn=0
    while [ "$turn" -lt "$RUNS" ]; do
        run check "$fix --check=crossings apart.json"
        run checkcrossing "$fix --check=crossings crossing.json"
        run fix "$fix apart.json out.json"
        run fixcrossing "$fix crossing.json out.json"
        turn=$((turn + 1))
    done
    printf '\n  %-24s %9s %9s  %-16s  %-13s  %-8s %9s %9s %9s\n' "$SLICES slices" 'median s' \
        us/slice 'spread s' 'time / peer' target 'peak MiB' index 'all else'
    crossing_row check '--check, apart' '' apart.json "${apart%% *}"
    crossing_row checkcrossing '--check, crossing' check crossing.json "${crossing%% *}"
    crossing_row fix 'plain to plain, apart' '' apart.json "${apart%% *}"
    crossing_row fixcrossing 'plain to plain, crossing' fix crossing.json "${crossing%% *}"
}

[ $# -eq 1 ] || die 2 'usage: bench/growth.sh BUILD_DIR'
SIZES=${SIZES:-64 256 1024 4096} RUNS=${RUNS:-3} SLICES=${SLICES:-1000000}
positive RUNS "$RUNS"
positive SLICES "$SLICES"
for size in $SIZES; do
    positive SIZES "$size"
done
out_path=$(absolute "${OUT:-}") picture=$(absolute "${PICTURE:-}")
set_up "$1"

print_machine
printf 'traces: 2 of 1000 kernels crossing, packed by %s\n' "$pack"
printf 'runs: %s; input in the page cache, output to a file\n' "$RUNS"
{
    printf 'table\twhat\tsize_mib\tnbytes\tslices\tmedian_s\tmin_s\tmax_s\t'
    printf 'mb_per_s\tpeak_mib\tindex_mib\n'
} >figures.tsv
printf '\n  %8s  %-14s %9s %8s  %-16s %9s %9s %9s %9s\n' 'size MiB' what 'median s' MB/s \
    'spread s' time/byte 'peak MiB' index 'all else'
for size in $SIZES; do
    measure_size "$size"
done
measure_crossing
if [ -n "$out_path" ]; then
    cp figures.tsv "$out_path"
fi
if [ -n "$picture" ]; then
    "$bench/plot.sh" figures.tsv >"$picture"
fi
