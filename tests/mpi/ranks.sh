#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ranks.sh MPIRUN N WANT PROGRAM ARGUMENT...: runs the program as N ranks. WANT: `well`, all return 0; or a text that N - 1 of them
# at least have to say, whatever becomes of the job. In 400 seconds at most, or as many as KILN_RANKS_SECONDS says.
mpirun=$1 n=$2 want=$3
shift 3
out=$(mktemp)
trap 'rm -f "$out"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader
export OMPI_MCA_btl_base_warn_component_unused=0
begin=$(date +%s)
limit=${KILN_RANKS_SECONDS:-400}
timeout -k 5 "$limit" "$mpirun" $KILN_MPIRUN_OPTIONS -n "$n" "$@" >"$out" 2>&1
rc=$?
end=$(date +%s)
cat "$out"
if [ "$rc" = 124 ] || [ $((end - begin)) -ge "$limit" ]; then
    echo "it hangs"
    exit 1
fi
[ "$want" = well ] && exit "$rc"
[ "$(grep -c "$want" "$out")" -ge "$((n - 1))" ]
