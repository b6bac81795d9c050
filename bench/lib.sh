# shellcheck shell=sh
# bench/lib.sh: what run.sh and growth.sh have in common. Sourced, not run.
#
# After set_up the shell is in a folder of its own, which goes when it ends, with the programs on
# PATH. What is measured has an ID of letters: ID.runs gets a line "SECONDS KIB" for each run, and
# ID.size the size of the output. From the environment, beside what the scripts say:
#
#   JOBS    threads of trace-lanefix (-j N); unset: its own default
#   PACK    what makes the .gz input (default: pigz -6, or gzip -6 where there is no pigz)
#   TMPDIR  where the files go (default /tmp)
LC_ALL=C
export LC_ALL

die() { # STATUS MESSAGE
    printf 'bench: %s\n' "$2" >&2
    exit "$1"
}

positive() { # NAME VALUE
    case $2 in
        '' | 0* | *[!0-9]*) die 2 "$1 is '$2', not a positive whole number" ;;
    esac
}

size_of() { # FILE
    wc -c <"$1" | tr -d ' '
}

has() { # PROGRAM
    command -v "$1" >/dev/null 2>&1
}

# Sets fix, the program as it is to be called (and flushed, the same with the wait for the disk), and pack, and goes to the new folder.
set_up() { # BUILD_DIR
    for program in trace-lanefix tracegen measure tokenize; do
        [ -x "$1/$program" ] || die 2 "$1/$program is missing; make bench builds it"
    done
    build=$(cd "$1" && pwd)
    flushed=trace-lanefix
    if [ -n "${JOBS:-}" ]; then
        positive JOBS "$JOBS"
        flushed="trace-lanefix -j $JOBS"
    fi
    fix="$flushed --no-sync" # none of the peers waits for the disk
    pack='gzip -6'
    ! has pigz || pack='pigz -6'
    pack=${PACK:-$pack}

    tmp=$(mktemp -d "${TMPDIR:-/tmp}/trace-lanefix-bench.XXXXXX")
    trap 'cd / && rm -rf "$tmp"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    cd "$tmp" || exit 1

    # Links in a folder on PATH: so the commands need no quoting, whatever the folders are called.
    mkdir bin
    for program in trace-lanefix tracegen measure tokenize; do
        ln -s "$build/$program" "bin/$program"
    done
    PATH=$tmp/bin:$PATH
}

# What ran where. The cores are those that this process may use.
print_machine() {
    cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
    [ -n "$cpu" ] || cpu=$(lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | head -n 1)
    memory=$(awk '/^MemTotal:/ { printf ", %.1f GiB", $2 / 1048576 }' /proc/meminfo 2>/dev/null) ||
        memory=''
    printf 'machine: %s, %s, %s cores%s, %s\n' "$(uname -m)" "${cpu:-unknown CPU}" \
        "$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo '?')" "$memory" \
        "$(uname -sr)"
    printf 'program: %s, %s\n' "$(trace-lanefix --version)" \
        "${JOBS:+-j }${JOBS:-threads by default}"
    printf 'files: in %s (%s)\n' "${TMPDIR:-/tmp}" \
        "$(stat -f -c %T . 2>/dev/null || echo 'unknown file system')"
}

# Makes in.json and in.json.gz, puts them into the page cache, and sets nbytes.
generate() { # SIZE_MB
    tracegen --size-mb "$1" --crossing-permille 2 >in.json || die 1 'failed: tracegen'
    $pack <in.json >in.json.gz || die 1 "failed: $pack"
    # shellcheck disable=SC2034 # for who sources this
    nbytes=$(size_of in.json)
    cat in.json in.json.gz >/dev/null
}

# Times COMMAND once. Exit 1 of --check means that it found something. A command that takes its own
# time writes it to a file `seconds`, and that counts.
run() { # ID COMMAND
    rm -f out.json out.json.gz seconds
    status=0
    ./bin/measure -o last "$2" >log 2>&1 || status=$?
    case "$status:$2 " in
        0:* | 1:*' --check'*) ;;
        *)
            tail -n 5 log >&2
            die 1 "failed with exit $status: $2"
            ;;
    esac
    read -r wall kib <last
    [ ! -f seconds ] || read -r wall _ <seconds
    echo "$wall $kib" >>"$1.runs"
    for out in out.json out.json.gz; do
        [ ! -f "$out" ] || size_of "$out" >"$1.size"
    done
}

# Prints "MEDIAN_SECONDS LEAST MOST PEAK_KIB".
stats() { # ID
    sort -n "$1.runs" | awk '
        { s[NR] = $1; if ($2 > peak) peak = $2 }
        END {
            median = (s[int((NR + 1) / 2)] + s[int(NR / 2) + 1]) / 2
            printf "%.9f %.9f %.9f %d\n", median, s[1], s[NR], peak
        }'
}

# Prints "BYTES SLICES FLOW_ENDPOINTS REWRITES": the memory that the program may take for what it
# has to remember of FILE, 24 bytes a slice, 20 a flow endpoint and 16 a rewrite. Slices and
# rewrites are the program's own count, endpoints are counted here, by line, since the report has
# only those that are rewritten.
index_of() { # FILE
    status=0
    $fix -q --check=crossings --report report.json "$1" >log 2>&1 || status=$?
    [ "$status" -le 1 ] || die 1 "failed with exit $status: $fix --check --report"
    flows=$(grep -c '"ph": *"[stf]"' "$1") || flows=0
    sed -n 's/^"totals":{\(.*\)}.*/\1/p' report.json | tr ',' '\n' |
        awk -v flows="$flows" -F '[":]+' '
        { total[$2] = $3 }
        END {
            slices = total["slices"]
            rewrites = total["snapped_slices"] + total["moved_slices"] + total["flow_endpoints"]
            nbytes = 24 * slices + 20 * flows + 16 * rewrites
            printf "%.0f %.0f %.0f %.0f\n", nbytes, slices, flows, rewrites
        }'
}
