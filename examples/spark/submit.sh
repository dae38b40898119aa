#!/usr/bin/env bash
# Packs an environment, and evaluates on a cluster: submit.sh RUN JUDGMENTS VALUES
# RUN and JUDGMENTS are what Spark reads; VALUES is the folder that the values of all queries are written to.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
archive=${ARCHIVE:-$PWD/idealist-environment.tar.gz}

if [ ! -e "$archive" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  python3 -m venv --copies "$work/environment"
  "$work/environment/bin/python" -m pip install --quiet venv-pack "${IDEALIST:-idealist}" pyarrow numpy scipy
  "$work/environment/bin/venv-pack" --quiet --prefix "$work/environment" --output "$archive"
fi

# Executors unpack the archive in their folder, under the name behind the #.
export PYSPARK_DRIVER_PYTHON=${PYSPARK_DRIVER_PYTHON:-python3}
export PYSPARK_PYTHON=./environment/bin/python
exec spark-submit \
  --master "${MASTER:-yarn}" \
  --deploy-mode client \
  --archives "$archive#environment" \
  --conf spark.executor.memory="${EXECUTOR_MEMORY:-4g}" \
  --conf spark.executor.memoryOverhead="${PYTHON_MEMORY:-2g}" \
  --conf spark.executor.cores="${CORES:-4}" \
  "$here/evaluate.py" "$@"
