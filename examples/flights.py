"""The main job: files arrive in a landing folder and become a Delta table, each row exactly once.

usage: millstream run examples/flights.py FOLDER      (FOLDER as written by make_flights.py)

Plain PySpark: nothing here knows which engine answers. SPARK_REMOTE says where it is.
"""

import os
import sys
import time

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

if len(sys.argv) != 2:
    sys.exit("usage: millstream run examples/flights.py FOLDER      (FOLDER as written by make_flights.py)")
FOLDER = os.path.abspath(sys.argv[1])
LANDING = f"{FOLDER}/landing"
BRONZE = f"{FOLDER}/bronze"
CHECKPOINT = f"{FOLDER}/checkpoint"


def land(wave):
    """What a supplier does: puts finished files into the landing folder."""
    os.makedirs(LANDING, exist_ok=True)
    source = f"{FOLDER}/waves/{wave}"
    names = sorted(os.listdir(source))
    for name in names:
        os.link(f"{source}/{name}", f"{LANDING}/{name}")
    print(f"\nwave {wave}: {len(names)} files landed")


def ingest(spark):
    """Takes in every file that is new since the last call, then stops."""
    flights = (
        spark.readStream.format("cloudFiles")
        .option("cloudFiles.format", "json")
        .option("cloudFiles.schemaLocation", CHECKPOINT)
        .option("cloudFiles.inferColumnTypes", "true")
        .option("cloudFiles.maxFilesPerTrigger", 100)
        .load(LANDING)
    )
    query = (
        flights.writeStream.format("delta")
        .option("checkpointLocation", CHECKPOINT)
        .option("mergeSchema", "true")
        .trigger(availableNow=True)
        .start(BRONZE)
    )
    try:
        query.awaitTermination()
    finally:
        for p in query.recentProgress:
            print(f"  batch {p.batchId}: {p.numInputRows} rows, {p.processedRowsPerSecond:,.0f} rows/s")


def worst_carriers(spark):
    bronze = spark.read.format("delta").load(BRONZE)
    airlines = spark.read.schema("carrier string, name string").json(f"{FOLDER}/airlines.json")
    return (
        bronze.groupBy("carrier")
        .agg(F.count("*").alias("flights"), F.round(F.avg("arr_delay"), 2).alias("mean_delay"))
        .join(airlines, "carrier")
        .select("name", "flights", "mean_delay")
        .sort(F.desc("mean_delay"))
        .limit(10)
    )


def main():
    started = time.monotonic()
    spark = SparkSession.builder.getOrCreate()
    print(f"Spark {spark.version}, ready after {time.monotonic() - started:.2f} s")

    land(1)
    ingest(spark)
    land(2)
    ingest(spark)

    land(3)
    try:
        ingest(spark)
        sys.exit("the new column should have stopped the stream")
    except StreamingQueryException as error:
        print(f"  stopped: {str(error).strip().splitlines()[0][:300]}")
    print("  the same program again:")
    ingest(spark)

    bronze = spark.read.format("delta").load(BRONZE)
    print(f"\n{bronze.count()} rows in bronze, {bronze.filter('cancelled').count()} known as cancelled")
    print("the ten carriers with the worst mean delay:")
    worst_carriers(spark).show(truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
