# bash completion of trace-lanefix. Made from --help by `make completions`.

_trace_lanefix_add() # WHAT-COMPGEN-TAKES...
{
    local line
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen "$@")
}

_trace_lanefix_files() # WHAT-COMPGEN-TAKES...
{
    compopt -o filenames 2>/dev/null
    _trace_lanefix_add "$@"
}

_trace_lanefix()
{
    local options=" --check --check=crossings --dry-run --explain --undo --snap-threshold-us --snap --soft --no-snap --trim-unfinished -d --output-dir -i --in-place --keep -r --recursive --salvage --repair --rebase --gzip --no-gzip --level --pretty --no-sync --report --html --svg -q --quiet --progress --no-progress -h --help --version -j --jobs --max-size "
    local folders=" -d --output-dir " files=" --undo --report --html --svg "
    local words=" --snap=first|soft|least --level=0|1|2|3|4|5|6|7|8|9 " others=" --explain --snap-threshold-us -j --jobs --max-size --soft --no-snap "
    local cur=${COMP_WORDS[COMP_CWORD]} prev="" equals="" word
    ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()

    # --option=value is three words, or two while there is no value
    if [[ $cur == = ]]; then
        equals=yes cur=""
    elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then
        equals=yes prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    # behind -- there are traces alone
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word != -- ]] || options="" prev="" equals=""
    done

    if [[ $prev == -* && $folders == *" $prev "* ]]; then
        _trace_lanefix_files -d -- "$cur"
    elif [[ $prev == -* && $files == *" $prev "* ]]; then
        _trace_lanefix_files -f -- "$cur"
    elif [[ $prev == -* && $words == *" $prev="* ]]; then
        word=${words#*" $prev="} word=${word%% *}
        _trace_lanefix_add -W "${word//|/ }" -- "$cur"
    elif [[ $prev == -* && $others == *" $prev "* ]]; then
        :
    elif [[ $equals ]]; then
        for word in $options; do
            [[ $word != "$prev=$cur"* ]] || COMPREPLY+=("${word#*=}")
        done
    elif [[ $cur == -* && $options ]]; then
        _trace_lanefix_add -W "$options" -- "$cur"
    else
        _trace_lanefix_files -f -X '!*.json' -- "$cur"
        _trace_lanefix_files -f -X '!*.json.gz' -- "$cur"
        _trace_lanefix_files -d -- "$cur"
        ((${#COMPREPLY[@]})) || _trace_lanefix_files -f -- "$cur"
    fi
}

complete -F _trace_lanefix trace-lanefix
