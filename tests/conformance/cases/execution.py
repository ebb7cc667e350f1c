"""What the engine's rewriting must not change: conditions that are moved, values that are written once, deep texts."""

from harness import Area

area = Area("execution")


def frame(c):
    return c.spark.range(6).selectExpr("id", "cast(id as int) i", "if(id = 3, null, id - 2) n",
                                       "if(id = 4, 'x', cast(id as string)) s")


def nested(pattern, times, start="id"):
    text = start
    for _ in range(times):
        text = pattern.format(text)
    return text


area.exprs(frame, {
    "nested_between": nested("cast({} between 0 and 2 as int)", 6),
    "nested_between_decimal": nested("cast({} between 0 and 1.5 as int)", 3),
    "nested_nullif": nested("nullif({}, 1)", 10),
    "nested_nvl2": nested("nvl2({}, id + 1, 7)", 6, "n"),
    "nested_guard": nested("(n <> 0 and 10 div n > {0} and {0} is not null)", 2, "1"),
    "guarded_and": "n <> 0 and 10 div n > 1",
    "guarded_or": "n = 0 or 10 div n > 1",
    "guarded_and_of_null": "(n > 100) and 10 div n > 1",
    "guarded_or_of_null": "n is null or n = 0 or 10 % n = 0",
    "guarded_later": "n is not null and n <> 0 and 10 div n > 1 or n = 0",
    "unguarded_and": "10 div n > 1 and n <> 0",
    "sum_of_200_terms": "+".join(["id"] * 200),
    "constant_in_dead_branch": "false and cast('x' as int) = 1",
    "constant_date": "cast('2024-02-30' as date) is null and false",
    "product_of_decimals": "cast(id as decimal(15,2)) * (1 - cast(n as decimal(15,2))) * (1 + cast(i as decimal(15,2)))",
    "product_that_overflows": "cast(9999999999 * (id + 1) as decimal(38,2)) * cast(1e18 as decimal(38,2)) * 100000000000",
    "product_of_18_digits": "cast(99999999.99 as decimal(10,2)) * cast(99999999.99 + id - id as decimal(10,2))",
    "union_of_decimals": "coalesce(cast(null as decimal(38,19)), cast(id as decimal(38,9)))",
    "like_plain": "s like '%x%' or s like '_'",
    "like_backslash": r"s like '\\%' or s like '1%'",
})


def query(name, text, ordered=False):
    def run(c):
        frame(c).createOrReplaceTempView("e")
        c.spark.range(4).selectExpr("id k", "cast(id % 2 as string) g", "if(id = 2, 'y', '5') z").createOrReplaceTempView("f")
        return c.spark.sql(text)

    area.case_of(name, run, ordered)


query("where_guards", "select * from e where s <> 'x' and cast(s as int) > 2")
query("where_guards_in_a_join", "select * from e, f where id = k and s <> 'x' and cast(s as int) >= 1")
query("where_of_one_side_fails_before_the_join", "select * from e, f where id = k and id < 3 and cast(z as int) > 0")
query("outer_join_conditions", "select * from e left join f on id = k and g = '1' and i > 1 where k is null or id > 2")
query("right_join_conditions", "select id, k from e right join f on id = k and i > 1 where k > 0")
query("full_join_conditions", "select id, k from e full join f on id = k and i > 1 where id > 2 or k = 0")
query("semi_and_anti", "select * from e where exists (select * from f where k = id and g = '1') and not exists "
      "(select * from f where k = id and z = 'y')")
query("filter_over_groups", "select * from (select i % 2 as p, count(*) as c, max(s) m from e group by i % 2) where p = 1 and c > 1")
query("filter_over_a_window", "select * from (select id, count(*) over () as c from e) where id > 3")
query("limit_over_a_window", "select c from (select count(*) over () as c from e) limit 2")
query("filter_over_a_union", "select * from (select id, s from e union all select k, g from f) where id > 2")
query("filter_over_a_limit", "select count(*) from (select id from e order by id limit 3) where id > 1")
query("union_widths", "select cast(1 as decimal(38,19)) a union all select cast(2 as decimal(38,9))")
query("joins_of_joins", "select e.id, a.k, b.g from e join (select * from f where k > 0) a on e.id = a.k left join f b "
      "on a.k = b.k + 1 where b.g = '1' or b.g is null")
