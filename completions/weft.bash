# bash completion of weft

_weft() {
    local commands='tour ladder verify bench tune devices show help version sum prod min max argmin argmax and or xor any all
        count_nonzero mean norm1 norm2 norminf variance dot scan laplace select partition unique
        run_length
        segmented_reduce segmented_scan reduce_by_key recurrence histogram top_k merge search_sorted matmul
        fft convolve tridiag heat sort argsort map map_reduce map_scan random sobol price match'
    local options='--device --threads --memory --raw --column --as --missing --mpi --bits --json --quiet --help --version'
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word i

    # "--device=cpu" reaches us as three words.
    if [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $current == '=' ]]; then
        current=''
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == --device || $word == --threads || $word == --memory || $word == --raw || $word == --column ||
            $word == --as || $word == --missing ]]; then
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
        [[ $command == scan || $command == segmented_scan ]] && options='f64 i64 u64'
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
        ;;
    --dtype)
        mapfile -t COMPREPLY < <(compgen -W 'f32 f64 i32 i64 u32 u64' -- "$current")
        return
        ;;
    --raw | --as)
        mapfile -t COMPREPLY < <(compgen -W 'f32 f64 i8 i16 i32 i64 u8 u16 u32 u64' -- "$current")
        return
        ;;
    --missing)
        mapfile -t COMPREPLY < <(compgen -W 'nan' -- "$current")
        return
        ;;
    --index)
        mapfile -t COMPREPLY < <(compgen -W 'u32 u64' -- "$current")
        return
        ;;
    --op)
        if [[ $command == *scan || $command == *reduce* ]]; then
            mapfile -t COMPREPLY < <(compgen -W 'sum prod min max and or xor' -- "$current")
        fi
        return
        ;;
    --side)
        mapfile -t COMPREPLY < <(compgen -W 'left right' -- "$current")
        return
        ;;
    --transpose)
        mapfile -t COMPREPLY < <(compgen -W 'a b ab' -- "$current")
        return
        ;;
    --scheme)
        mapfile -t COMPREPLY < <(compgen -W 'exact euler' -- "$current")
        return
        ;;
    --barrier)
        mapfile -t COMPREPLY < <(compgen -W 'up-out up-in down-out down-in' -- "$current")
        return
        ;;
    --method)
        local methods='jacobi sor multigrid'
        [[ $command == heat ]] && methods='backward-euler crank-nicolson'
        mapfile -t COMPREPLY < <(compgen -W "$methods" -- "$current")
        return
        ;;
    --mode)
        mapfile -t COMPREPLY < <(compgen -W 'full same valid' -- "$current")
        return
        ;;
    --threads | --memory | --column | --init | --sweeps | --tolerance | --omega | --grid | --slice | --ddof | --size | --n | --level | --every | --words) return ;;
    --lt | --le | --eq | --ne | --ge | --gt) return ;;
    --bins | --lower | --upper | -k) return ;;
    --first) [[ $command == random || $command == sobol ]] && return ;;
    --dimensions) return ;;
    --scramble)
        mapfile -t COMPREPLY < <(compgen -W 'none shift owen' -- "$current")
        return
        ;;
    --seed | --stream | --mean | --deviation | --rate | --probability) return ;;
    --start | --sigma | --rho | --weights | --strike | --maturity | --width | --error | --paths | --steps | --sobol) return ;;
    esac

    case $command in
    '') ;;
    tour) options+=' --quick --n' ;;
    bench) options+=' --size --op --plot' ;;
    tune) options+=' --all --check --level --every --list --dry-run --reset --size' ;;
    help) options+=' --list' ;;
    ladder) options+=' --all --n --dtype --rung --show --faulty --schedule --seed --plot' ;;
    verify) options+=' --level --op --every --jobs --first --golden --golden-write' ;;
    devices | show | version) ;;
    tridiag) options+=' --periodic --check --output' ;;
    heat) options+=' --steps --lambda --method --dimensions --png --history --output' ;;
    laplace) options+=' --method --omega --sweeps --tolerance --grid --dtype --png --slice --history --output' ;;
    matmul) options+=' --accumulate --transpose --check --output' ;;
    scan) options+=' --accumulate --op --exclusive --init --output' ;;
    select) options+=' --flags --lt --le --eq --ne --ge --gt --indices --output' ;;
    partition) options+=' --flags --lt --le --eq --ne --ge --gt --output' ;;
    unique) options+=' --output' ;;
    run_length) options+=' --values --lengths' ;;
    segmented_reduce) options+=' --accumulate --op --offsets --heads --output' ;;
    segmented_scan) options+=' --accumulate --op --exclusive --offsets --heads --output' ;;
    reduce_by_key) options+=' --accumulate --op --keys-out --output' ;;
    recurrence) options+=' --init --reverse --output' ;;
    histogram) options+=' --bins --lower --upper --edges --output' ;;
    top_k) options+=' --smallest --indices --output' ;;
    merge) options+=' --check-sorted --no-check-sorted --output' ;;
    search_sorted) options+=' --side --check-sorted --no-check-sorted --output' ;;
    fft) options+=' --inverse --real --output' ;;
    convolve) options+=' --mode --correlate --output' ;;
    sort) options+=' --descending --values --values-out --output' ;;
    random)
        options+=' --n --seed --stream --first --dtype --lower --upper --mean --deviation --rate --probability --output'
        ;;
    sobol) options+=' --dimensions --n --scramble --seed --stream --first --dtype --output' ;;
    price)
        options+=' --start --sigma --rho --weights --strike --rate --maturity --width --barrier --level --paths'
        options+=' --steps --scheme --seed --dtype --antithetic --control --greeks --sobol --error --plot'
        ;;
    argsort) options+=' --descending --index --output' ;;
    match) options+=' --words --words-file --list --fold-case --whole-word' ;;
    map) options+=' --dtype --n --output' ;;
    map_reduce) options+=' --accumulate --dtype --n' ;;
    map_scan) options+=' --accumulate --op --exclusive --init --dtype --n --output' ;;
    variance) options+=' --accumulate --ddof' ;;
    *) options+=' --accumulate' ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [[ -z $command || $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
    elif [[ $command == random ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'uniform normal lognormal exponential bernoulli integers' -- "$current")
    elif [[ $command == price ]]; then
        options='call put digital-call digital-put asian-call asian-put geometric-call geometric-put lookback-call'
        options+=' lookback-put floating-asian-call floating-asian-put floating-lookback-call floating-lookback-put'
        mapfile -t COMPREPLY < <(compgen -W "$options double-digital" -- "$current")
    elif [[ $command == match ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.npy' -- "$current")
    fi
}
complete -F _weft weft
