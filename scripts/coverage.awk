# SPDX-License-Identifier: Apache-2.0
# The rows of docs/coverage/*.tsv against the public names: see coverage.sh.
BEGIN {
    while ((getline line < public) > 0) have[line] = 1
    while ((getline line < types) > 0) type[line] = 1
    while ((getline line < rows) > 0) row[line] = 1
    prefix["numpy"] = prefix["numpy.ndarray"] = prefix["numpy.lib.stride_tricks"] = prefix["numpy.random"] = "kn_"
    prefix["numpy.linalg"] = "kn_linalg_"; prefix["numpy.fft"] = "kn_fft_"; prefix["numpy.ma"] = "kn_ma_"
    prefix["numpy.strings"] = prefix["numpy.char"] = "kn_strings_"; prefix["numpy.testing"] = "kn_testing_"
    prefix["numpy.random.Generator"] = "kn_rng_"; prefix["numpy.emath"] = prefix["numpy.lib.scimath"] = "kn_emath_"
    prefix["numpy.lib.array_utils"] = prefix["numpy.exceptions"] = "kn_"
    split("polynomial chebyshev hermite hermite_e laguerre legendre polyutils", p, " ")
    for (i in p) prefix["numpy.polynomial." p[i]] = "kn_"
    prefix["jax"] = prefix["jax.numpy"] = prefix["jax.ops"] = prefix["jax.dlpack"] = prefix["jax.dtypes"] = "kn_"
    prefix["jax.lax"] = "kn_lax_"; prefix["jax.lax.linalg"] = "kn_lax_linalg_"; prefix["jax.nn"] = "kn_nn_"
    prefix["jax.nn.initializers"] = "kn_nn_init_"; prefix["jax.random"] = "kn_random_"; prefix["jax.tree"] = "kn_tree_"
    prefix["jax.tree_util"] = "kn_tree_"; prefix["jax.scipy.special"] = "kn_special_"; prefix["jax.debug"] = "kn_debug_"
    prefix["jax.test_util"] = "kn_testing_"; prefix["jax.scipy.linalg"] = "kn_linalg_"; prefix["jax.scipy.fft"] = "kn_fft_"
    prefix["jax.scipy.signal"] = "kn_signal_"; prefix["jax.scipy.stats"] = "kn_stats_"; prefix["optax"] = "kn_optim_"
    prefix["jax.ref"] = "kn_ref_"; prefix["jax.image"] = "kn_image_"; prefix["onnx ai.onnx"] = "kn_onnx_"
    prefix["jax.scipy.integrate"] = "kn_"; prefix["jax.experimental"] = "kn_"
}
# the name that the rules give
function here(module, name,    base, m) {
    base = name
    sub(/\(.*/, "", base); sub(/ .*/, "", base)
    if (module == "jax primitive (jaxpr name)") return ""
    if (module == "jax.tree_util") sub(/^tree_/, "", base)
    if (module == "jax") sub(/^(Array|numpy|experimental|custom_derivatives|custom_batching|checkpoint_policies)\./, "", base)
    if (module == "jax") sub(/^debug\./, "debug_", base)
    if (module == "jax.lax" && have["kn_" base] && base ~ /^(scan|while_loop|fori_loop|cond|switch|map|associative_scan|stop_gradient)$/)
        return "kn_" base
    gsub(/[.\/]/, "_", base)
    m = module
    if (m in prefix) return prefix[m] base
    if (m ~ /^jax\.scipy\.stats\./) { sub(/^jax\.scipy\.stats\./, "", m); return "kn_stats_" m "_" base }
    return ""
}
FILENAME ~ /names\.tsv$/ { if ($0 !~ /^#/) { named[$1, $2] = $3; why[$1, $2] = $4 } next }
FNR == 1 { file++ }
{
    module = $1; name = $2
    if ((module, name) in named) k = named[module, name]
    else k = here(module, name)
    status = "not yet"; shown = k != "" ? "`" k "`" : ""
    if (module == "jax primitive (jaxpr name)" || (module, name) in named == 0 && module == "jax primitive (jaxpr name)") {
        r = name; gsub(/-/, "_", r); sub(/ .*/, "", r)
        shown = ""
        if (r in row) status = "yes"
    } else if (k == "-") { status = "no: " why[module, name]; shown = "" }
    else if (k != "" && (k in have || ((module, name) in named && k in type)))
        status = why[module, name] ~ /^partly:/ ? why[module, name] : "yes"
    else if ($4 ~ /^no/) { status = $4; shown = "" }
    else shown = ""
    if (!((file, module) in seen)) { seen[file, module] = 1; order[++n] = file SUBSEP module }
    key = file SUBSEP module
    kind = status == "yes" ? "yes" : status ~ /^no:/ ? "no" : status ~ /^partly:/ ? "partly" : "not yet"
    count[key, kind]++; total[file, kind]++
    gsub(/\|/, "\\|", name)
    text[key] = text[key] "| `" name "` | " shown " | " status " |\n"
}
END {
    print "# What of NumPy and JAX is here\n"
    print "Made by `scripts/coverage.sh` from `docs/coverage/*.tsv` and the public headers; do not edit. *yes*: declared and exported here under the"
    print "name shown (primitives: the row exists). *partly*: so, without what the words say. *no*: not meaningful in C, with the reason. Each *yes*"
    print "and *partly* is called by a test and gives what NumPy, JAX or optax give (`tests/coverage`). The naming rules are in [api.md](api.md).\n"
    print "| | yes | partly | not yet | no |\n|---|---|---|---|---|"
    title[1] = "NumPy"; title[2] = "JAX and its neighbours"
    for (f = 1; f <= 2; f++) print "| **" title[f] "** | " total[f, "yes"] + 0 " | " total[f, "partly"] + 0 " | " total[f, "not yet"] + 0 " | " total[f, "no"] + 0 " |"
    for (i = 1; i <= n; i++) {
        split(order[i], q, SUBSEP)
        print "| " q[2] " | " count[order[i], "yes"] + 0 " | " count[order[i], "partly"] + 0 " | " count[order[i], "not yet"] + 0 " | " count[order[i], "no"] + 0 " |"
    }
    for (i = 1; i <= n; i++) {
        split(order[i], q, SUBSEP)
        print "\n## " q[2] "\n\n| there | here | status |\n|---|---|---|"
        printf "%s", text[order[i]]
    }
}
