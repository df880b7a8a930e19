"""holdfast.yaml: jobs, and profiles that say where they read and write.

    checkpoints: ./checkpoints      # base; the checkpoint of a job is <base>/<job>
    profile: embedded               # the profile where none is asked for
    spark:                          # settings of the Spark session
      spark.sql.shuffle.partitions: 2
    jobs:
      sensor-raw-ingest:            # up to 64 small letters, digits and -
        source: raw-files           # a source of the profile, or written out
        transform: sensors:keep_raw # module:function beside this file; may be left out
        sink: raw                   # a sink of the profile, or written out
        trigger: 10 seconds         # or available-now; without it: as soon as possible
        output_mode: append         # or update, complete
        checkpoint: /old/place      # only for a job that has a checkpoint already
        profiles: [embedded]        # only these have the job; without it, all of them
    profiles:
      embedded:
        checkpoints: ./checkpoints  # in place of the general one
        spark: {}                   # over the general ones
        sources:
          raw-files: {format: text, path: ./incoming, options: {maxFilesPerTrigger: 2}}
          raw: {job: sensor-raw-ingest}
        sinks:
          raw: {kind: file, format: parquet, path: ./raw, schema: value string}
          gold: {kind: sql, url: "sqlite:///./gold.db", table: gold, mode: upsert, key: sensor}

Relative paths begin at the folder of the file. `${env:NAME}` stands for a variable of the
environment in every value of a source, a sink, `spark` and every location; it is shown as it was
written. A value is text unless it is a whole number, true, false or null.
"""
