"""Start to first collected row. usage: ENGINE STARTED_AT"""

import os
import sys
import time

engine, started = sys.argv[1], float(sys.argv[2])
import pyspark.sql.connect.session  # noqa: E402, F401: the client's own imports, the same for both engines

if engine == "spark":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))
    from spark_oracle import oracle_session

    imported = time.time()
    spark = oracle_session(cores=2)
else:
    from pyspark.sql import SparkSession

    imported = time.time()
    spark = SparkSession.builder.getOrCreate()
rows = spark.range(1).collect()
assert [tuple(r) for r in rows] == [(0,)]
print(f"RESULT {time.time() - started} {imported - started}", flush=True)
spark.stop()
"""The first number is the whole; the second is Python's own start and imports, the same for both engines."""
