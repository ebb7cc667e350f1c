"""Files -> Delta under availableNow; the same program for both engines but for the source's name.

usage: drain.py ENGINE INPUT OUTPUT SCHEMA [WARM_UP_INPUT]      SCHEMA `-`: inferred
"""

import json
import os
import sys
import time

engine, source, out, schema = sys.argv[1:5]
warm_up = sys.argv[5] if len(sys.argv) > 5 else None

if engine == "spark":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))
    from spark_oracle import oracle_session

    spark = oracle_session(cores=2, **{"spark.sql.files.maxPartitionBytes": "64m"})
else:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()


def drain(source, out):
    if engine == "spark":
        if schema == "-":
            # Spark's own stream does not infer; this is what its users do first.
            given = spark.read.json(source).schema
        reader = spark.readStream.format("json").schema(given if schema == "-" else schema)
    else:
        reader = spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
        if schema == "-":
            reader = (reader.option("cloudFiles.inferColumnTypes", "true")
                      .option("cloudFiles.schemaLocation", out + "-ck"))
        else:
            reader = reader.schema(schema)
    query = (reader.load(source).writeStream.format("delta").option("checkpointLocation", out + "-ck")
             .trigger(availableNow=True).start(out))
    query.awaitTermination()


def engine_cpu():
    """CPU seconds so far of the engine and this client: the JVM is below this process, the server above it."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    from measure import cpu_seconds, tree

    return sum(cpu_seconds(p) for p in tree(os.getpid() if engine == "spark" else os.getppid()))


if warm_up:
    drain(warm_up, out + "-warm")
started, cpu = time.monotonic(), engine_cpu()
drain(source, out)
print("RESULT " + json.dumps({"wall_s": time.monotonic() - started, "cpu_s": engine_cpu() - cpu}), flush=True)
spark.stop()
