"""What the areas of Delta tables with features share: scripts of statements, and what they leave in the log."""

import json
import pathlib
import re

from harness import encode_error

LOOSE = ("tableName", "tableNameOrPath", "deltaVersion", "docLink", "readSchema", "incompatibleSchema", "path", "message", "problems",
         "proposal", "replaceWhere")
NOTED = ("numRemovedFiles", "numAddedFiles", "numDeletedRows", "numUpdatedRows", "numCopiedRows", "numOutputRows",
         "numDeletionVectorsAdded", "numDeletionVectorsRemoved", "numDeletionVectorsUpdated", "numTargetRowsInserted",
         "numTargetRowsUpdated", "numTargetRowsDeleted", "numTargetRowsCopied", "numTargetDeletionVectorsAdded",
         "numTargetDeletionVectorsUpdated", "numTargetDeletionVectorsRemoved")


def rows_of(frame):
    return sorted(str(row.asDict(recursive=True)) for row in frame.collect())


def shown(rows):
    """What a statement answered, without what each engine has of its own: sizes and times."""
    if not isinstance(rows, list) or not rows:
        return rows
    if "startTimeMs" in rows[0] or "metrics" in rows[0]:
        return ["metrics"]
    sizes = ("table_size_after_restore", "source_table_size")
    return [re.sub(r"_(restore|size)': \d+", r"_\1': 0", row) if any(s in row for s in sizes) else row for row in rows]


def tried(action, folder=""):
    """What the action gives, or the condition that it fails with."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001: the error is the result
        found = encode_error(error, folder)
        known = {k: v for k, v in (found.get("parameters") or {}).items() if k not in LOOSE}
        # The class of a condition that clients do not know is each engine's own.
        named = {} if found["condition"] else {"class": found["class"]}
        return {**named, "condition": found["condition"], "parameters": known}


def answers_of(c, spark, table, statements):
    """What each statement answers, the first of which makes the table: $T is its name, $F the case's folder."""
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    out = []
    for statement in statements:
        text = statement.replace("$T", table).replace("$F", c.folder)
        out.append(shown(tried(lambda t=text: rows_of(spark.sql(t)), c.folder)))
    return out


def folder_of(spark, table):
    return pathlib.Path(spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].location.removeprefix("file:"))


def actions_of(folder):
    """The actions of each commit of a table."""
    for commit in sorted((pathlib.Path(folder) / "_delta_log").glob("*.json")):
        yield [json.loads(line) for line in commit.read_text().splitlines() if line]


class Names:
    """Physical names by the order in which they come: they are made up anew each time."""

    def __init__(self):
        self.known = {}

    def plain(self, text):
        def number(match):
            return self.known.setdefault(match.group(0), f"col-{len(self.known) + 1}")

        return re.sub(r"col-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", number, text)


def metadata_of(folder, names=None):
    """The newest metadata and protocol."""
    names = names or Names()
    metadata = protocol = None
    for actions in actions_of(folder):
        for action in actions:
            metadata = action.get("metaData", metadata)
            protocol = action.get("protocol", protocol)
    protocol = {k: sorted(v) if isinstance(v, list) else v for k, v in protocol.items()}
    return [json.loads(names.plain(metadata["schemaString"])), metadata["partitionColumns"],
            metadata["configuration"], protocol]


def files_of(folder, names=None):
    """The file actions of each commit: what they say, without sizes, names and times."""
    names = names or Names()
    out = []
    for actions in actions_of(folder):
        info = next(a["commitInfo"] for a in actions if "commitInfo" in a)
        metrics = {k: v for k, v in sorted((info.get("operationMetrics") or {}).items()) if k in NOTED}
        said = []
        for action in actions:
            for kind in ("add", "remove", "cdc"):
                if kind not in action:
                    continue
                file = action[kind]
                stats = json.loads(names.plain(file["stats"])) if kind == "add" and file.get("stats") else None
                values = json.loads(names.plain(json.dumps(file.get("partitionValues") or {}, sort_keys=True)))
                vector = file.get("deletionVector")
                said.append([kind, file["dataChange"], values, stats,
                             vector and [vector["storageType"], vector["cardinality"]]])
        out.append([info["operation"], metrics, info.get("isBlindAppend"), sorted(said, key=json.dumps)])
    return out
