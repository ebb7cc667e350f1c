"""100 rows a trigger, as quickly as triggers go, until N batches. usage: ENGINE SINK OUTPUT N"""

import json
import os
import sys
import time

engine, sink, out, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
if engine == "spark":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))
    from spark_oracle import oracle_session

    # As tuned: few partitions, a small snapshot.
    spark = oracle_session(cores=2, **{"spark.sql.shuffle.partitions": "2",
                                       "spark.databricks.delta.snapshotPartitions": "2"})
else:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()

frame = (spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 100).option("numPartitions", 1)
         .option("startTimestamp", 0).option("advanceMillisPerBatch", 10).load())
writer = frame.writeStream.format(sink).option("checkpointLocation", out + "-ck")
query = writer.start(out) if sink == "delta" else writer.start()
samples = []
while True:
    progress = query.lastProgress
    if progress is not None:
        samples.append((time.time(), progress.batchId))
        if progress.batchId + 1 >= count:
            break
    if not query.isActive:
        sys.exit(f"the query ended: {query.exception()}")
    time.sleep(0.05)
query.stop()
print("RESULT " + json.dumps({"samples": samples}), flush=True)
spark.stop()
