"""XML files, read and written."""

PEOPLE = """<?xml version="1.0"?>
<people><!-- <person><name>nobody</name></person> -->
  <person id="1"><name>Ann</name><tag>x</tag><tag>y</tag><home><zip>3000</zip></home></person>
  <person id="2"><name>B &amp; C</name><home><zip>1</zip></home><raw><![CDATA[<person/>]]></raw></person>
</people>"""


def test_inference_and_rows(spark, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(PEOPLE)
    frame = spark.read.xml(str(path), rowTag="person")
    assert frame.schema.simpleString() == "struct<_id:bigint,home:struct<zip:bigint>,name:string,raw:string,tag:array<string>>"
    assert [r.name for r in frame.orderBy("_id").collect()] == ["Ann", "B & C"]
    assert frame.where("_id = 1").first().tag == ["x", "y"]
    assert frame.where("_id = 2").first().raw == "<person/>"


def test_records_across_pieces(spark, tmp_path):
    path = tmp_path / "big.xml"
    row = "<row><v>%d</v><t>" + "x" * 700 + "</t></row>\n"
    path.write_text("<r>" + "".join(row % i for i in range(5000)) + "</r>")
    frame = spark.read.schema("v INT, t STRING").xml(str(path), rowTag="row")
    assert frame.selectExpr("count(*)", "sum(v)", "min(length(t))").first()[:] == (5000, 12497500, 700)


def test_round_trip(spark, tmp_path):
    out = str(tmp_path / "out")
    frame = spark.sql("SELECT 1 AS _id, 'a<b' AS name, array('x', 'y') AS tags, named_struct('city', 'Bern') AS home")
    frame.write.xml(out, rowTag="r")
    assert [tuple(r) for r in spark.read.xml(out, rowTag="r").selectExpr("_id", "name", "tags", "home.city").collect()] == [(1, "a<b", ["x", "y"], "Bern")]


def test_malformed_records(spark, tmp_path):
    path = tmp_path / "bad.xml"
    path.write_text("<r><row><a>x</a></row><row><a>2</a></row><row><a>1</b></row><row><a>3</a></row></r>")
    schema = "a INT, _corrupt_record STRING"
    got = spark.read.schema(schema).xml(str(path), rowTag="row").collect()
    # Behind what is no XML nothing is a record; its text is kept.
    assert [r.a for r in got] == [None, 2, None] and [r._corrupt_record is None for r in got] == [False, True, False]
    kept = spark.read.schema("a INT").option("mode", "DROPMALFORMED").xml(str(path), rowTag="row").collect()
    assert [r.a for r in kept] == [2]
