"""What the end-to-end tests of streaming programs share: an input folder, a table and a checkpoint."""

import os
import pathlib

import deltalake


class Work:
    """One streaming program's folders. Files get rising modification times in the order of writing."""

    def __init__(self, spark, folder):
        self.spark = spark
        self.folder = pathlib.Path(folder)
        self.input = self.folder / "in"
        self.input.mkdir()
        self.out = self.folder / "out"
        self.checkpoint = self.folder / "ck"
        self.clock = 1_700_000_000

    def write(self, name, data):
        """Publishes a file as a careful producer does: under a hidden name, then renamed."""
        path = self.input / name
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name("." + path.name + ".part")
        hidden.write_bytes(data.encode() if isinstance(data, str) else data)
        self.clock += 10
        os.utime(hidden, (self.clock, self.clock))
        hidden.rename(path)
        return path

    def cloud(self, *, schema=None, path=None, schema_location=True, **options):
        """A cloudFiles JSON source; option names are written with `__` for the dot."""
        reader = self.spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
        if schema is not None:
            reader = reader.schema(schema)
        elif schema_location:
            reader = reader.option("cloudFiles.schemaLocation", str(self.checkpoint))
        for key, value in options.items():
            reader = reader.option(key.replace("__", "."), value)
        return reader.load(str(path or self.input))

    def files(self, schema, path=None, **options):
        reader = self.spark.readStream.schema(schema)
        for key, value in options.items():
            reader = reader.option(key, value)
        return reader.json(str(path or self.input))

    def start(self, frame, sink="delta", trigger=None, name=None, checkpoint=None, **options):
        writer = frame.writeStream.format(sink).options(**options)
        writer = writer.option("checkpointLocation", str(checkpoint or self.checkpoint))
        writer = writer.trigger(**(trigger or {"availableNow": True}))
        if name:
            writer = writer.queryName(name)
        return writer.start(str(self.out)) if sink in ("delta", "parquet", "json") else writer.start()

    def run(self, frame, **options):
        """One run with availableNow to its end; gives the query."""
        query = self.start(frame, **options)
        query.awaitTermination()
        return query

    def rows(self, *columns):
        """The table's rows, read by an engine that is not ours, sorted."""
        table = deltalake.DeltaTable(str(self.out)).to_pyarrow_table()
        if columns:
            table = table.select(list(columns))
        rows = [tuple(r.values()) for r in table.to_pylist()]
        return in_order(rows)

    def columns(self):
        return [f.name for f in deltalake.DeltaTable(str(self.out)).schema().fields]

    def types(self):
        schema = self.spark.read.format("delta").load(str(self.out)).schema
        return {f.name: f.dataType.simpleString() for f in schema}


def in_order(rows):
    """Rows in one fixed order, also those with NULLs and nested values."""
    def key(row):
        return [(type(v).__name__, v if isinstance(v, (int, float, str)) else repr(v)) for v in row]

    return sorted(rows, key=key)


def batches(query):
    """The batches that ran. A restart that finds nothing reports one progress without rows, as Spark's does."""
    return [(p.batchId, p.numInputRows) for p in query.recentProgress if p.numInputRows]


def remove_entry(path):
    """Takes a file out of a log with its sidecar: Hadoop would stumble over one that is left alone."""
    path.unlink()
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def change_entry(path, data):
    path.write_bytes(data)
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
