# fish completion of trace-lanefix. Made from --help by `make completions`.

# traces and folders, or else all files
function __trace_lanefix_traces
    string match -q -- '-*=*' (commandline -ct); and return
    set -l files (complete -C "'' "(commandline -ct))
    string match -r '.*(?:/|\.json|\.json\.gz)$' -- $files; or printf '%s\n' $files
end
complete -c trace-lanefix -f -a '(__trace_lanefix_traces)'
complete -c trace-lanefix -l check -f -a 'crossings' -d 'write nothing; say what keeps the trace from showing in Perfetto'
complete -c trace-lanefix -l dry-run -d 'write no trace; report what a fix would do'
complete -c trace-lanefix -l explain -x -d 'write no trace; say what becomes of SLICE, a name or the number of an event, and why'
complete -c trace-lanefix -l undo -r -F -d 'make of INPUT, which a run wrote, what that run read again, by what it reported with --report'
complete -c trace-lanefix -l snap-threshold-us -x -d 'shift a boundary by less than N us rather than move the slice to a lane of its own'
complete -c trace-lanefix -l snap -x -a 'first soft least' -d 'which of two slices that cross gives way'
complete -c trace-lanefix -l soft -x -d 'with --snap=soft, take slices of the category CAT for marks too'
complete -c trace-lanefix -l no-snap -x -d 'never change the times of slices of the category CAT, but move them'
complete -c trace-lanefix -l trim-unfinished -d 'let slices that never returned, so that they end with the trace, end with what is around them, however far that is'
complete -c trace-lanefix -l output-dir -s d -x -a '(__fish_complete_directories)' -d 'write to DIR, under the name of each TRACE'
complete -c trace-lanefix -l in-place -s i -d 'replace each TRACE in which something is to be fixed'
complete -c trace-lanefix -l keep -d 'with -i: leave the original as TRACE.orig'
complete -c trace-lanefix -l recursive -s r -d 'a TRACE that is a folder stands for every .json and .json.gz below it'
complete -c trace-lanefix -l salvage -d 'of a trace that is cut, torn or damaged keep all that is whole, and make it JSON again'
complete -c trace-lanefix -l repair -d 'mend what --check finds and can be mended, --salvage among it'
complete -c trace-lanefix -l rebase -d 'shift all ts by one constant, to begin at 0, and add it to baseTimeNanoseconds'
complete -c trace-lanefix -l gzip -d 'compress it, whatever its name'
complete -c trace-lanefix -l no-gzip -d 'do not compress it'
complete -c trace-lanefix -l level -x -a '0 1 2 3 4 5 6 7 8 9' -d 'compress all at gzip level N, 0 to 9'
complete -c trace-lanefix -l pretty -d 'lay it out anew: indented, one value a line'
complete -c trace-lanefix -l no-sync -d 'do not wait until it is on the disk'
complete -c trace-lanefix -l report -r -F -d 'write the whole report to FILE as JSON'
complete -c trace-lanefix -l html -r -F -d 'draw the largest fixes in a page, FILE'
complete -c trace-lanefix -l svg -r -F -d 'draw the largest fix, or with --explain that of SLICE, in a picture, FILE'
complete -c trace-lanefix -l quiet -s q -d 'no report, or lines of result, on standard output, and no progress'
complete -c trace-lanefix -l progress -d 'say how far it is, where there is no terminal in a line a minute'
complete -c trace-lanefix -l no-progress -d 'do not'
complete -c trace-lanefix -l help -s h -d 'this text'
complete -c trace-lanefix -l version -d 'the version'
complete -c trace-lanefix -l jobs -s j -x -d 'use N threads, shared among many traces by their sizes'
complete -c trace-lanefix -l max-size -x -d 'refuse a trace of more than N bytes, uncompressed'
