"""Work of every kind that does not end by itself (or not within minutes), to be interrupted: for tests and benches."""

import os
import pathlib

MANY = 40_000_000_000_000

KEYS = f"(select id, (id * 2654435761) % 4000000007 as k from range({MANY}))"
TEXTS = f"(select id, (id * 2654435761) % 4000000007 as k, repeat('abc', 20) || id as v from range({MANY}))"
LONG = "repeat(cast(id as string) || ' and then some; ', 4000000)"

QUERIES = {
    "filter": f"select count(*) from {KEYS} where k % 5 = 7",
    "sort": f"select * from {TEXTS} order by v",
    "top": f"select * from {KEYS} order by k limit 10",
    "few groups": f"select k % 10 as g, sum(k), max(id) from {KEYS} group by g",
    "many groups": f"select k, max(v) from {TEXTS} group by k",
    "distinct": f"select count(distinct k) from {KEYS}",
    "percentile": f"select percentile(k, 0.5) from {KEYS}",
    "lists of groups": f"select k % 10 as g, size(collect_list(v)) from {TEXTS} group by g",
    "window": f"select sum(r) from (select row_number() over (partition by k % 100 order by v) as r from {TEXTS})",
    "hash join, build": f"select count(*) from {KEYS} a join {KEYS} b on a.k = b.k",
    "hash join, probe": f"select count(*) from {KEYS} a join range(1000) b on a.k % 1000 = b.id",
    "hash join, one key": "select sum(a.id * b.id % 7) from range(3000000) a join range(3000000) b on a.id % 2 = b.id % 2",
    "nested loop join": "select count(*) from range(3000000) a join range(3000000) b on a.id * b.id % 7919 < 3",
    "cross join": "select sum(a.id + b.id) from range(30000000) a cross join range(30000000) b",
    "range join": "select count(*) from range(3000000) a join range(3000000) b on a.id <= b.id and a.id + 3000000 > b.id",
    "anti join": "select count(*) from range(1000000) a left anti join range(1000000) b on a.id * b.id % 1000003 = 1000002",
    "union of many": f"select count(*) from (select id from range({MANY}) except select id from range({MANY}))",
    "explode": f"select sum(x) from (select explode(sequence(1, 1000)) as x from {KEYS})",
    "long regexp": f"select sum(length(regexp_replace({LONG}, '[aeiou]+(n|m)', '<$1>'))) from range(1000)",
    "many regexps": f"select count(*) from {TEXTS} where v rlike '(a|b|c)*x(a|b|c)*y'",
    "long split": f"select sum(size(split({LONG}, '[ ;]+'))) from range(1000)",
    "long digest": f"select max(sha2({LONG}, 512)) from range(1000)",
    "long levenshtein": "select levenshtein(repeat(cast(id as string), 1000000), repeat('ab', 500000)) from range(10)",
    "lambda": "select aggregate(sequence(1, 100000000), id, (a, x) -> (a * 31 + x) % 1000007) from range(10)",
    "sort of a list": "select array_sort(transform(sequence(1, 20000000), x -> (x * 2654435761) % 4000000007))[0] from range(100)",
    "json of a list": "select sum(length(to_json(sequence(1, 20000000)))) from range(100)",
    "script": "begin declare i bigint = 0; while true do set i = i + 1; end while; end",
}

FORMATS = ["parquet", "json", "csv"]
NAMES = [*QUERIES, *(f"{what} of {form}" for form in FORMATS for what in ("scan", "rows")),
         "write of delta", "write of parquet", "write of json", "rows to the client"]


def linked(folder, file, count):
    """A folder that has one file many times over."""
    pathlib.Path(folder).mkdir(parents=True)
    for i in range(count):
        os.link(file, f"{folder}/{i:05}{pathlib.Path(file).suffix}")
    return str(folder)


def only_file(folder, suffix):
    return next(p for p in sorted(pathlib.Path(folder).iterdir()) if p.suffix == suffix)


def works(session, folder):
    """name -> a call that runs until it is interrupted."""
    folder = pathlib.Path(folder)
    rows = session.range(300_000).selectExpr("id", "repeat('abc', 20) || id as v", "id % 7 as g")
    found = {name: lambda text=text: session.sql(text).collect() for name, text in QUERIES.items()}
    for form in FORMATS:
        rows.coalesce(1).write.format(form).save(str(folder / form))
        many = linked(folder / f"many-{form}", only_file(folder / form, f".{form}"), 4000)
        read = session.read.schema("id bigint, v string, g bigint").format(form).load(many)
        found[f"scan of {form}"] = lambda read=read: read.where("v like '%b1%a'").groupBy("g").count().collect()
        found[f"rows of {form}"] = lambda read=read: [None for _ in read.toLocalIterator()]
    endless = session.range(MANY).selectExpr("id", "cast(id as string) as v")
    for form in ("delta", "parquet", "json"):
        found[f"write of {form}"] = lambda form=form: endless.write.format(form).save(str(folder / f"written-{form}"))
    found["rows to the client"] = lambda: [None for _ in endless.toLocalIterator()]
    return found
