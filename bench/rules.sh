#!/bin/sh
# What each rule of which slice gives way makes of a folder of real traces, as tables in Markdown.
#
#   bench/rules.sh PROGRAM CORPUS
#
# The first table has the sums; the second one each trace on which the rules differ, with the slices
# that are retimed, those that move, and the sum of all shifts. Traces that are refused are left out.
# Exits 1 if any rule leaves a crossing: an output is checked as an input would be.
set -u
LC_ALL=C
export LC_ALL

program=$(realpath "${1:?PROGRAM}")
corpus=${2:?CORPUS}
dir=$(mktemp -d "${TMPDIR:-/tmp}/trace-lanefix-rules.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT

rules='--snap=first
--snap=soft
--snap=least
--snap=soft --no-snap kernel
--snap=first --trim-unfinished'

# Of the totals of a JSON report: crossings of all kinds, slices retimed and moved, ns of shift.
figures() { # REPORT
    awk 'function figure(name) {
            return match($0, "[{,]\"" name "\":[0-9]+") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) : 0
        }
        /^"totals":/ {
            print figure("crossings") + figure("pair_crossings") + figure("too_deep"), \
                figure("snapped_slices"), figure("moved_slices"), \
                figure("start_shift_ns") + figure("end_shift_ns")
        }' "$1"
}

die() {
    echo "rules: $1" >&2
    exit 2
}

# Adds a line to rows: trace, number of the rule, crossings, those left, retimed, moved, ns. Returns 1
# where the trace is refused, as it then is by all rules.
add_row() { # TRACE NUMBER RULE
    # shellcheck disable=SC2086 # a rule is several words
    "$program" --no-sync -q $3 --report "$dir/report" "$1" "$dir/out.json" 2>"$dir/err"
    status=$?
    [ "$status:$2" != 2:1 ] || return 1
    [ "$status" -eq 0 ] || die "exit $status, $3 $1: $(cat "$dir/err")"
    before=$(figures "$dir/report")
    "$program" --check=crossings -q --report "$dir/report" "$dir/out.json" 2>"$dir/err"
    status=$?
    [ "$status" -le 1 ] || die "exit $status from the check, $3 $1: $(cat "$dir/err")"
    after=$(figures "$dir/report")
    echo "${1##*/} $2 ${before%% *} ${after%% *} ${before#* }" >>"$dir/rows"
}

traces=0
: >"$dir/rows"
for trace in "$corpus"/*.json "$corpus"/*.json.gz; do
    [ -f "$trace" ] || continue
    number=0
    while read -r rule; do
        number=$((number + 1))
        add_row "$trace" "$number" "$rule" || break
        # what has no crossing comes out as it is, whatever the rule
        [ "${before%% *}" -gt 0 ] || break
    done <<RULES
$rules
RULES
    traces=$((traces + 1))
done
[ "$traces" -gt 0 ] || die "there is no trace in '$corpus'"

awk -v rules="$rules" '
    function us(ns) { return sprintf("%.3f", ns / 1000) }
    BEGIN { n = split(rules, rule, "\n") }
    {
        traces += $2 == 1
        if ($3 == 0)
            next
        if ($2 == 1) {
            name[++m] = $1
            crossings[m] = $3
        }
        all[$2] += $3; left[$2] += $4; retimed[$2] += $5; moved[$2] += $6; shift[$2] += $7
        cell[m, $2] = $5 " / " $6 " / " us($7)
        differs[m] = differs[m] || cell[m, $2] != cell[m, 1]
        bad = bad || $4 > 0
        if ($4 > 0)
            print "rules: " $4 " crossings are left in " $1 " by " rule[$2] >"/dev/stderr"
    }
    END {
        printf "%d traces, %d of them with crossings\n\n", traces, m
        print "| rule | crossings | left | retimed | moved | shift, us |"
        print "| --- | ---: | ---: | ---: | ---: | ---: |"
        for (i = 1; i <= n; i++)
            printf "| `%s` | %d | %d | %d | %d | %s |\n", rule[i], all[i], left[i], retimed[i], moved[i], us(shift[i])
        print "\nRetimed / moved / shift in us, where the rules differ:\n"
        line = "| trace | crossings |"
        ruler = "| --- | ---: |"
        for (i = 1; i <= n; i++) {
            line = line " `" rule[i] "` |"
            ruler = ruler " ---: |"
        }
        print line "\n" ruler
        for (j = 1; j <= m; j++) {
            line = "| " name[j] " | " crossings[j] " |"
            for (i = 1; i <= n; i++)
                line = line " " cell[j, i] " |"
            if (differs[j])
                print line
        }
        exit bad
    }' "$dir/rows"
