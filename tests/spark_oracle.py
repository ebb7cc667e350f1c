"""A real Spark 4.2 with Delta behind Spark Connect, in this process' own JVM."""

import glob
import os
import pathlib
import socket
import tempfile

PORT = None
ROOT = pathlib.Path(__file__).resolve().parent.parent


def oracle_session(cores=1, **conf):
    """Starts Spark Connect on local[cores] and returns a client session of it."""
    jars = ",".join(sorted(glob.glob(str(ROOT / "third_party/spark-jars/*.jar"))))
    if not jars:
        raise SystemExit("no Delta jars: run tools/setup_spark.sh first")
    work = tempfile.mkdtemp(prefix="spark-oracle-")
    settings = {
        "spark.jars": jars,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.warehouse.dir": work + "/warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC -Dderby.system.home={work}",
        **conf,
    }
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = str(ROOT / ".venv-spark/bin/python")
    import warnings

    from pyspark.sql import SparkSession
    from pyspark.sql.connect.client.core import DefaultChannelBuilder

    # Another Spark Connect server may have the usual port.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    global PORT
    PORT = port
    settings["spark.connect.grpc.binding.port"] = str(port)
    DefaultChannelBuilder.default_port = staticmethod(lambda: port)

    with warnings.catch_warnings():
        # The builder starts the JVM with these; the client then sets them again and is refused.
        warnings.simplefilter("ignore")
        builder = SparkSession.builder.remote(f"local[{cores}]")
        for key, value in settings.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()


def serve():
    """Runs Spark Connect until standard input ends; prints how to reach it first."""
    import sys

    session = oracle_session(cores=1)
    session.range(1).collect()
    # The server of PySpark's local mode wants the token that it put into the environment.
    token = os.environ["SPARK_CONNECT_AUTHENTICATE_TOKEN"]
    print(f"REMOTE sc://localhost:{PORT}/;token={token}", flush=True)
    sys.stdin.read()
    os._exit(0)  # takes the JVM with it


if __name__ == "__main__":
    serve()
