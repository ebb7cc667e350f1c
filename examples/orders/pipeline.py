"""Orders: events land as files; `silver` has the last state of each order, `dead_letter` what could not be read, and why;
`gold`, how many orders are in each status and what they are worth, follows the change data feed of silver.

usage: millstream run examples/orders/pipeline.py FOLDER      (FOLDER as written by events.py)

Plain PySpark: each batch is parsed, split, reduced to the newest event of an order, and merged into silver; a second query
reads what changed there and adds it up in gold. What has been merged is not merged again when a batch is repeated after a
crash: each write is marked with its batch.
"""

import os
import sys

from pyspark.sql import SparkSession

EVENT = "order_id bigint, status string, amount string, updated_at string, broken string"


def create_tables(spark, folder):
    spark.sql(f"create table if not exists delta.`{folder}/silver` "
              "(order_id bigint, status string, amount decimal(12,2), updated_at timestamp) "
              "tblproperties (delta.enableChangeDataFeed = true)")
    spark.sql(f"create table if not exists delta.`{folder}/gold` (status string, orders bigint, amount decimal(22,2))")
    spark.sql(f"create table if not exists delta.`{folder}/dead_letter` "
              "(line string, reason string, file string, batch_id bigint)")


def merge_once():
    def merge(spark, app, batch_id, statement):
        """Runs a MERGE that is skipped where its batch is in the table already."""
        spark.conf.set("spark.databricks.delta.write.txnAppId", app)
        spark.conf.set("spark.databricks.delta.write.txnVersion", str(batch_id))
        try:
            spark.sql(statement)
        finally:
            spark.conf.unset("spark.databricks.delta.write.txnAppId")
            spark.conf.unset("spark.databricks.delta.write.txnVersion")

    return merge


def save_batch(folder):
    merge = merge_once()

    def save(batch, batch_id):
        from pyspark.sql import functions as F
        from pyspark.sql.window import Window

        spark = batch.sparkSession
        event = F.from_json("value", EVENT, {"columnNameOfCorruptRecord": "broken"})
        read = batch.select("value", "file", event.alias("e")).select(
            "value", "file", "e.*", F.expr("try_cast(e.amount as decimal(12,2))").alias("money"),
            F.expr("try_cast(e.updated_at as timestamp)").alias("at"))
        reason = (F.when(F.col("broken").isNotNull() | F.col("status").isNull(), "no event")
                  .when(F.col("order_id").isNull(), "no order_id")
                  .when(F.col("money").isNull() | (F.col("money") < 0), "bad amount")
                  .when(F.col("at").isNull(), "bad updated_at"))
        read = read.withColumn("reason", reason).persist()

        dead = read.where("reason is not null").select(
            F.col("value").alias("line"), "reason", "file", F.lit(batch_id).cast("bigint").alias("batch_id"))
        (dead.write.format("delta").mode("append").option("txnAppId", "orders").option("txnVersion", batch_id)
         .save(f"{folder}/dead_letter"))

        newest = Window.partitionBy("order_id").orderBy(F.col("at").desc())
        changes = (read.where("reason is null").withColumn("rank", F.row_number().over(newest)).where("rank = 1")
                   .select("order_id", "status", F.col("money").alias("amount"), F.col("at").alias("updated_at")))
        changes.createOrReplaceTempView("changes")
        merge(spark, "orders", batch_id, f"""
            merge into delta.`{folder}/silver` t using changes s on t.order_id = s.order_id
            when matched and s.updated_at > t.updated_at then update set *
            when not matched then insert *""")
        read.unpersist()

    return save


def add_up(folder):
    merge = merge_once()

    def add(changes, batch_id):
        from pyspark.sql import functions as F

        # A row that is new in silver counts for its status, one that is gone from there against it.
        sign = F.when(F.col("_change_type").isin("insert", "update_postimage"), 1).otherwise(-1)
        (changes.groupBy("status").agg(F.sum(sign).alias("orders"), F.sum(F.col("amount") * sign).alias("amount"))
         .createOrReplaceTempView("differences"))
        merge(changes.sparkSession, "gold", batch_id, f"""
            merge into delta.`{folder}/gold` t using differences s on t.status = s.status
            when matched then update set orders = t.orders + s.orders, amount = t.amount + s.amount
            when not matched then insert *""")

    return add


def start_gold(spark, folder):
    """What changed in silver since the last time, into gold."""
    create_tables(spark, folder)
    changes = spark.readStream.format("delta").option("readChangeFeed", "true").load(f"{folder}/silver")
    return (changes.writeStream.foreachBatch(add_up(folder)).queryName("gold")
            .option("checkpointLocation", f"{folder}/checkpoint_gold").trigger(availableNow=True).start())


def start(spark, folder, files_per_batch=4):
    """The events that have landed since the last time, into silver and the dead-letter table."""
    create_tables(spark, folder)
    lines = (spark.readStream.format("text").option("maxFilesPerTrigger", files_per_batch).load(f"{folder}/landing")
             .selectExpr("value", "_metadata.file_name as file"))
    return (lines.writeStream.foreachBatch(save_batch(folder)).queryName("orders")
            .option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True).start())


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: millstream run examples/orders/pipeline.py FOLDER      (FOLDER as written by events.py)")
    folder = os.path.abspath(sys.argv[1])
    spark = SparkSession.builder.getOrCreate()
    query = start(spark, folder)
    query.awaitTermination()
    print(f"{sum(p.batchId >= 0 and p.numInputRows > 0 for p in query.recentProgress)} batches")
    start_gold(spark, folder).awaitTermination()
    spark.read.format("delta").load(f"{folder}/gold").orderBy("status").show()
    print("the changes of silver, as an auditor adds them up:")
    spark.sql(f"""
        select status, sum(if(_change_type in ('insert', 'update_postimage'), 1, -1)) as orders, max(_commit_version) as newest
        from table_changes_by_path('{folder}/silver', 0) group by status order by status""").show()
    spark.read.format("delta").load(f"{folder}/dead_letter").groupBy("reason").count().orderBy("reason").show()
    spark.stop()


if __name__ == "__main__":
    main()
