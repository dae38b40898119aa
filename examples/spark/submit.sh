#!/usr/bin/env bash
# Packs an environment, and evaluates on a cluster: submit.sh RUN JUDGMENTS VALUES
# RUN and JUDGMENTS are what Spark reads; VALUES is the folder that the values of all queries are written to.
# Settings: MASTER, ARCHIVE (an environment that was packed before is used again), IDEALIST (what pip installs there),
# PYSPARK_DRIVER_PYTHON, EXECUTOR_MEMORY, PYTHON_MEMORY, CORES.
set -euo pipefail
if [ $# -ne 3 ]; then
  echo "usage: submit.sh RUN JUDGMENTS VALUES" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
archive=${ARCHIVE:-$PWD/idealist-environment.tar.gz}
export PYSPARK_DRIVER_PYTHON=${PYSPARK_DRIVER_PYTHON:-python3}

if [ ! -e "$archive" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  # Of the driver's Python: executors must have the same version.
  "$PYSPARK_DRIVER_PYTHON" -m venv --copies "$work/environment"
  "$work/environment/bin/python" -m pip install --quiet venv-pack "${IDEALIST:-idealist}" pyarrow numpy scipy
  # Under another name first, so that a broken archive is never used.
  "$work/environment/bin/venv-pack" --quiet --prefix "$work/environment" --output "$work/environment.tar.gz"
  mv "$work/environment.tar.gz" "$archive"
fi

# Executors unpack the archive in their folder, under the name behind the #.
export PYSPARK_PYTHON=./environment/bin/python
spark-submit \
  --master "${MASTER:-yarn}" \
  --deploy-mode client \
  --archives "$archive#environment" \
  --conf spark.executor.memory="${EXECUTOR_MEMORY:-4g}" \
  --conf spark.executor.memoryOverhead="${PYTHON_MEMORY:-2g}" \
  --conf spark.executor.cores="${CORES:-4}" \
  "$here/evaluate.py" "$@"
