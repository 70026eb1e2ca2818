# bash completion of weft

_weft() {
    local commands='tour verify bench devices help version sum prod min max argmin argmax and or xor any all
        count_nonzero mean norm1 norm2 norminf variance dot scan sort argsort'
    local options='--device --threads --bits --json --quiet --help --version'
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word i

    # "--device=cpu" reaches us as three words.
    if [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $current == '=' ]]; then
        current=''
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == --device || $word == --threads ]]; then
            ((i++))
        elif [[ $word != -* && $word != '=' ]]; then
            command=$word
            break
        fi
    done

    COMPREPLY=()
    case $previous in
    --device)
        mapfile -t COMPREPLY < <(compgen -W 'auto cpu cuda ref' -- "$current")
        return
        ;;
    --accumulate)
        options='f64'
        [[ $command == scan ]] && options='f64 i64 u64'
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
        ;;
    --index)
        mapfile -t COMPREPLY < <(compgen -W 'u32 u64' -- "$current")
        return
        ;;
    --op)
        if [[ $command == scan ]]; then
            mapfile -t COMPREPLY < <(compgen -W 'sum prod min max and or xor' -- "$current")
        fi
        return
        ;;
    --threads | --init | --ddof | --size | --n | --level | --every) return ;;
    esac

    case $command in
    '') ;;
    tour) options+=' --quick --n' ;;
    bench) options+=' --size --op' ;;
    help) options+=' --list' ;;
    verify) options+=' --level --op --every --first --golden --golden-write' ;;
    devices | version) ;;
    scan) options+=' --accumulate --op --exclusive --init --output' ;;
    sort) options+=' --descending --values --values-out --output' ;;
    argsort) options+=' --descending --index --output' ;;
    variance) options+=' --accumulate --ddof' ;;
    *) options+=' --accumulate' ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [[ -z $command || $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.npy' -- "$current")
    fi
}
complete -F _weft weft
