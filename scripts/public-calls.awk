# SPDX-License-Identifier: Apache-2.0
# The public headers, preprocessed, as one line for each option struct and one for each function; see public-calls.sh.

# A parameter's or field's type as a word: kn_array, p_kn_shape (const kn_shape *), m_kn_array (kn_array *), and its name.
function split_declaration(text, out,    type, name, stars, constant) {
    gsub(/^ +| +$/, "", text)
    if (match(text, /\(\*/)) { # a function: its parameter's name says which
        name = substr(text, RSTART + 2)
        sub(/\).*/, "", name)
        out["type"] = "function_" name
        out["name"] = name
        return
    }
    match(text, /[A-Za-z0-9_]+$/)
    name = substr(text, RSTART) # RSTART is 0 without a name
    type = substr(text, 1, RSTART - 1)
    constant = type ~ /^ *const /
    stars = gsub(/\*/, "", type)
    gsub(/const |struct |_s /, "", type)
    gsub(/ /, "", type)
    if (type == "_Bool") type = "bool"
    if (stars == 1) type = (constant ? "p_" : "m_") type
    if (stars == 2) type = "pp_" type
    out["type"] = type
    out["name"] = name
}

# `int n` beside a pointer to that many things; memory of so many bytes.
function is_count(type, name, neighbour) {
    return type ~ /^(int|size_t|int64_t)$/ && name ~ /^(n|count|bytes)$/ && neighbour ~ /^(p_|m_|pp_)/ &&
        neighbour !~ /_opts$|^p_kn_(axes|args|outs|print)$|^p_char$/
}

function print_function(result, name, parameters,    n, i, part, type, id, d, ins, ids, memory) {
    n = parameters == "void" ? 0 : split_list(parameters, part)
    for (i = 1; i <= n; i++) {
        split_declaration(part[i], d)
        type[i] = d["type"]
        id[i] = d["name"]
        if (type[i] ~ /^[pm]_void$/) memory = 1
    }
    for (i = 1; i <= n; i++) {
        if (is_count(type[i], id[i], i < n ? type[i + 1] : "") || is_count(type[i], id[i], i > 1 ? type[i - 1] : "")) type[i] = "count"
        if (id[i] == "shapes" && type[i] == "p_kn_shape") type[i] = "p_kn_shapes"
        if (memory && type[i] == "p_kn_shape") type[i] = "shape_of_memory"
        ins = ins (i > 1 ? " " : "") "IN(" type[i] ", " id[i] ")"
        ids = ids (i > 1 ? ", " : "") id[i] "_"
    }
    gsub(/ +$/, "", result)
    print "CALL" (result == "void" ? "_PLAIN" : "") "(" name ", (" ids "), " ins ")"
}

# Splits at commas outside of parentheses.
function split_list(text, part,    n, i, c, depth, from) {
    n = depth = 0
    from = 1
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "(") depth++
        if (c == ")") depth--
        if (c == "," && !depth) { part[++n] = substr(text, from, i - from); from = i + 1 }
    }
    part[++n] = substr(text, from)
    return n
}

function print_options(name, body,    n, i, k, m, field, part, d, base, first) {
    n = split(body, field, ";")
    printf "OPTIONS(%s, %s,", name, index(text, name "_default(void)") ? name "_default()" : "ZERO(" name ")"
    for (i = 1; i <= n; i++) {
        gsub(/^ +| +$/, "", field[i])
        if (field[i] == "" || field[i] ~ /size_$/ || field[i] ~ /\(\*|\*[a-z_]+\[|\]\[|\*const \*/) continue # no plain values
        m = split_list(field[i], part)
        base = part[1]
        sub(/\**[A-Za-z0-9_]+(\[.*)?$/, "", base)
        for (k = 1; k <= m; k++) {
            first = k == 1 ? part[k] : base part[k]
            if (first ~ /\[/) {
                sub(/\[.*/, "", first)
                split_declaration(first, d)
                printf " FIELD(%s, %s[0]) FIELD(%s, %s[1])", d["type"], d["name"], d["type"], d["name"]
            } else {
                split_declaration(first, d)
                printf " FIELD(%s, %s)", d["type"], d["name"]
            }
        }
    }
    print ")"
}

{ text = text " " $0 }
END {
    gsub(/[ \t]+/, " ", text)
    gsub(/__attribute__\(\(visibility\("default"\)\)\)/, "PUBLIC", text)
    # options first, so that calls know them
    rest = text
    while (match(rest, /typedef struct kn_[a-z0-9_]*opts \{/)) {
        head = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        name = head
        sub(/typedef struct /, "", name)
        sub(/ \{/, "", name)
        end = index(rest, "} " name ";")
        body[name] = substr(rest, 1, end - 1)
        print_options(name, body[name])
    }
    rest = text
    while (match(rest, /typedef kn_[a-z0-9_]*opts kn_[a-z0-9_]*opts;/)) { # the struct of others, with defaults of its own
        split(substr(rest, RSTART, RLENGTH - 1), word, " ")
        rest = substr(rest, RSTART + RLENGTH)
        print_options(word[3], body[word[2]])
    }
    rest = text
    while (match(rest, /PUBLIC [^;]*;/)) {
        one = substr(rest, RSTART + 7, RLENGTH - 8)
        rest = substr(rest, RSTART + RLENGTH)
        gsub(/ __attribute__.*/, "", one)
        match(one, /kn_[A-Za-z0-9_]+ ?\(/)
        result = substr(one, 1, RSTART - 1)
        name = substr(one, RSTART, RLENGTH)
        parameters = substr(one, RSTART + RLENGTH)
        sub(/ ?\($/, "", name)
        sub(/\)$/, "", parameters)
        print_function(result, name, parameters)
    }
}
