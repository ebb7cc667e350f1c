"""Named and positional parameters of SQL text.

Recorded from Spark without Delta's parser extension, which forgets the values.
"""

from cases._sql import views
from harness import Area

area = Area("sql_params")


def params(name, text, args):
    area._add(name, lambda c: views(c).sql(text, args=args), True)


params("named", "SELECT :a + 1 AS x, :b AS y", {"a": 41, "b": "s"})
params("named_twice", "SELECT :a, :a", {"a": 1})
params("where", "SELECT v FROM t WHERE v > :low ORDER BY v", {"low": 1})
params("positional", "SELECT ? + ?, ?", [1, 2, "x"])
params("limit", "SELECT v FROM t ORDER BY v LIMIT :n", {"n": 2})
params("null", "SELECT :a IS NULL", {"a": None})
params("missing", "SELECT :a, :b", {"a": 1})
params("missing_positional", "SELECT ?, ?", [1])
params("extra", "SELECT :a", {"a": 1, "b": 2})
params("unbound", "SELECT :a", None)
params("mixed", "SELECT :a, ?", {"a": 1})
params("array", "SELECT :a[0]", {"a": [1, 2]})
params("identifier", "SELECT IDENTIFIER(:c) FROM IDENTIFIER(:t) WHERE v = 1", {"c": "k", "t": "t"})
params("in_list", "SELECT v FROM t WHERE k IN (:a, :b) ORDER BY v", {"a": "a", "b": "b"})
params("string", "SELECT concat(?, 'x')", ["it's"])
