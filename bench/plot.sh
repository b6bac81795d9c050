#!/bin/sh
# bench/plot.sh FIGURES > PICTURE: throughput against size, as an SVG.
#
# FIGURES is what growth.sh writes to OUT. One line for each kind of work in its table "growth",
# MB/s upwards from 0, MiB to the right by powers. It has its own white ground, so that it can be
# read on a dark page too. Exit: 0; 1 there is nothing to draw; 2 wrong usage.
set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 1 ] || [ ! -r "$1" ]; then
    echo 'usage: bench/plot.sh FIGURES > PICTURE (FIGURES: from growth.sh, OUT=FIGURES)' >&2
    exit 2
fi

tab=$(printf '\t')
sort -t "$tab" -k 3,3n "$1" | awk -F '\t' '
function text(s) {
    gsub(/&/, "\\&amp;", s)
    gsub(/</, "\\&lt;", s)
    return s
}
function x_of(mib) {
    if (most_mib == least_mib)
        return (left + right) / 2
    return left + (right - left) * log(mib / least_mib) / log(most_mib / least_mib)
}
function y_of(rate) { return bottom - (bottom - top) * rate / most_rate }
function size_name(mib) { return mib % 1024 ? mib " MiB" : mib / 1024 " GiB" }
function label(x, y, anchor, s) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text(s)
}
function line(x1, y1, x2, y2, color, width) {
    printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" " \
        "stroke-width=\"%d\"/>\n", x1, y1, x2, y2, color, width
}
# The step that gives at most six: 1, 2 or 5 times a power of ten.
function nice_step(most,    step) {
    for (step = 1; step * 6 < most; step *= 10) {
        if (step * 12 >= most)
            return step * 2
        if (step * 30 >= most)
            return step * 5
    }
    return step
}
function axes(    step, rate, i) {
    step = nice_step(most_rate)
    most_rate = step * (int(most_rate / step) + (most_rate % step > 0))
    for (rate = 0; rate <= most_rate; rate += step) {
        line(left, y_of(rate), right, y_of(rate), rate ? "#ddd" : "#444", 1)
        label(left - 8, y_of(rate) + 4, "end", rate)
    }
    for (i = 1; i <= sizes; i++) {
        line(x_of(size[i]), bottom, x_of(size[i]), bottom + 5, "#444", 1)
        label(x_of(size[i]), bottom + 20, "middle", size_name(size[i]))
    }
    label((left + right) / 2, bottom + 42, "middle", "size of the trace, uncompressed")
    label(left - 50, top - 20, "start", "MB/s of uncompressed trace")
}
function curve(i,    n, point, points) {
    points = ""
    for (n = 1; n <= count[i]; n++) {
        point = sprintf("%.1f,%.1f", x_of(mib[i, n]), y_of(rate_of[i, n]))
        points = points (n > 1 ? " " : "") point
        split(point, xy, ",")
        printf "<circle cx=\"%s\" cy=\"%s\" r=\"4\" fill=\"%s\"/>\n", xy[1], xy[2], color[i]
    }
    printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", points, \
        color[i]
    line(right - 130, 18 + 20 * i, right - 106, 18 + 20 * i, color[i], 3)
    label(right - 98, 22 + 20 * i, "start", kind[i])
}
$1 == "growth" && $9 > 0 {
    if (!($2 in number)) {
        kind[++kinds] = $2
        number[$2] = kinds
    }
    i = number[$2]
    mib[i, ++count[i]] = $3 + 0
    rate_of[i, count[i]] = $9 + 0
    if (!seen[$3]++)
        size[++sizes] = $3 + 0
    if ($9 + 0 > most_rate)
        most_rate = $9 + 0
    if ($3 + 0 > most_mib)
        most_mib = $3 + 0
    if (sizes == 1 || $3 + 0 < least_mib)
        least_mib = $3 + 0
}
END {
    if (!kinds) {
        print "plot: no line of the table \"growth\"" > "/dev/stderr"
        exit 1
    }
    split("#1b6ca8 #c8501e #2e7d32 #7b3fa0 #8a6d00 #555555", color, " ")
    left = 70
    right = 690
    top = 40 + 20 * (kinds + 1)
    bottom = top + 280
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 %d\" " \
        "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n", bottom + 60
    print "<title>Throughput of trace-lanefix against the size of the trace</title>"
    print "<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#fdfdfd\"/>"
    print "<text x=\"20\" y=\"30\" font-size=\"16\" font-weight=\"bold\">" \
        "Throughput of trace-lanefix</text>"
    axes()
    for (i = 1; i <= kinds; i++)
        curve(i)
    print "</svg>"
}'
