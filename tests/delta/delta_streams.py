"""What the tests of Delta as a source of streams share."""

import pathlib

import deltalake


class Copy:
    """A stream that copies a Delta table into another, run after run on one checkpoint."""

    def __init__(self, spark, folder, source):
        self.spark, self.source = spark, str(source)
        self.out, self.checkpoint = str(pathlib.Path(folder, "copy")), str(pathlib.Path(folder, "copy-checkpoint"))

    def run(self, **options):
        """One run to its end; what has come is in `rows`. Raises what stops the stream."""
        frame = self.spark.readStream.format("delta").options(**options).load(self.source)
        query = (frame.writeStream.format("delta").option("checkpointLocation", self.checkpoint)
                 .option("mergeSchema", "true").trigger(availableNow=True).start(self.out))
        query.awaitTermination()
        return query

    def rows(self):
        if not deltalake.DeltaTable.is_deltatable(self.out):
            return []
        frame = self.spark.read.format("delta").load(self.out)
        return sorted((tuple(row) for row in frame.collect()), key=repr)

    def column(self):
        return sorted(row[0] for row in self.rows())


def failure(run, *arguments, **options):
    """The text of the error that a call ends with."""
    try:
        run(*arguments, **options)
    except Exception as error:  # noqa: BLE001: what is told is asserted
        return str(error)
    raise AssertionError("it did not fail")
