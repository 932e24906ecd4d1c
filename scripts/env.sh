# Sourced by the scripts: folders and environment that all of them share. Works from any directory, on any clone.
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
shared_cache="${XDG_CACHE_HOME:-${HOME}/.cache}/weft" # downloads: one copy for all clones of a user
python="${root}/.cache/venv/bin/python"

export CCACHE_BASEDIR="${root}" CCACHE_NOHASHDIR=1 # hits across clones
export TPU_MLIR_DIR="${root}/.cache/vendor/tpu_mlir" # the vendor's libraries: test oracle
export WEFT_BMRT_LIB="${TPU_MLIR_DIR}/lib/libbmrt.so"
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '== %s\n' "$*"; }
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}
