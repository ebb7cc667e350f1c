"""XML files: reading with rowTag, inference, modes and options; writing."""

import pathlib

from harness import Area

area = Area("xml_files")

PEOPLE = """<?xml version="1.0"?>
<people>
  <!-- <person><name>nobody</name></person> -->
  <person id="1" kind="a">
    <name>Ann</name>
    <age>31</age>
    <height>1.75</height>
    <born>1990-05-01</born>
    <seen>2024-01-02T03:04:05</seen>
    <ok>true</ok>
    <tag>x</tag>
    <tag>y</tag>
    <home><city>Bern</city><zip>3000</zip></home>
    <note lang="en">some text</note>
  </person>
  <person id="2">
    <name>B &amp; C</name>
    <age/>
    <height>2</height>
    <tag>z</tag>
    <home><city>Ulm</city></home>
    <note>bare</note>
    <raw><![CDATA[<person>not one</person>]]></raw>
  </person>
  <person/>
</people>
"""


def read(name, text, conf=None, schema=None, **options):
    """The rows of one file."""

    def run(c):
        path = c.write("in/file.xml", text)
        reader = c.spark.read.format("xml").options(**options)
        if schema:
            reader = reader.schema(schema)
        return reader.load(path)

    area._add(name, run, conf=conf)


read("people", PEOPLE, rowTag="person")
read("people_no_attributes", PEOPLE, rowTag="person", excludeAttribute=True)
read("people_prefix", PEOPLE, rowTag="person", attributePrefix="at_", valueTag="text")
read("people_no_inference", PEOPLE, rowTag="person", inferSchema=False)
read("people_schema", PEOPLE, rowTag="person", schema="name STRING, age INT, tag ARRAY<STRING>, home STRUCT<city: STRING>, _id LONG")
read("people_schema_case", PEOPLE, rowTag="person", schema="NAME STRING, Age LONG")
read("people_schema_last", PEOPLE, rowTag="person", schema="tag STRING")
read("people_schema_map", PEOPLE, rowTag="person", schema="home MAP<STRING, STRING>")
read("people_none", PEOPLE, rowTag="nosuch")
read("no_tag", PEOPLE)
read("inner_tag", PEOPLE, rowTag="home")
read("leaf_tag", PEOPLE, rowTag="tag")
read("root_tag", "<a><b>1</b><b>2</b><c>x</c></a>", rowTag="a")
read("nested_same", "<r><row><v>1</v><row><v>2</v></row></row><row><v>3</v></row></r>", rowTag="row")
read("spaces", "<r><row><v>  a b  </v></row></r>", rowTag="row")
read("spaces_kept", "<r><row><v>  a b  </v></row></r>", rowTag="row", ignoreSurroundingSpaces=False)
read("null_value", "<r><row><v>-</v><w>1</w></row><row><v>x</v><w>-</w></row></r>", rowTag="row", nullValue="-")
read("dates", "<r><row><d>05/03/2024</d><t>2024|01</t></row></r>", rowTag="row", schema="d DATE, t TIMESTAMP", dateFormat="dd/MM/yyyy", timestampFormat="yyyy|MM")
read("numbers", "<r><row><a>1</a><b>1.5</b><c>1e3</c><d>99999999999999999999</d><e>1d</e><f>+5</f></row></r>", rowTag="row")
read("merge_long_double", "<r><row><a>1</a></row><row><a>1.5</a></row></r>", rowTag="row")
read("merge_string", "<r><row><a>1</a></row><row><a>x</a></row></r>", rowTag="row")
read("merge_array", "<r><row><a>1</a></row><row><a>2</a><a>3</a></row></r>", rowTag="row")
read("merge_struct", "<r><row><a>1</a></row><row><a><b>2</b></a></row></r>", rowTag="row")
read("array_of_structs", "<r><row><a><b>1</b></a><a><c>2</c></a></row></r>", rowTag="row")
read("mixed_text", "<r><row>before<a>1</a>after</row></r>", rowTag="row")
read("bad_field", "<r><row><a>x</a><b>1</b></row></r>", rowTag="row", schema="a INT, b INT")
read("bad_field_corrupt", "<r><row><a>x</a><b>1</b></row></r>", rowTag="row", schema="a INT, b INT, _corrupt_record STRING")
read("bad_field_drop", "<r><row><a>x</a></row><row><a>1</a></row></r>", rowTag="row", schema="a INT", mode="DROPMALFORMED")
read("bad_field_fail", "<r><row><a>x</a></row></r>", rowTag="row", schema="a INT", mode="FAILFAST")
read("broken", "<r><row><a>1</b></row><row><a>2</a></row></r>", rowTag="row")
read("broken_corrupt", "<r><row><a>1</b></row><row><a>2</a></row></r>", rowTag="row", schema="a INT, _corrupt_record STRING")
read("unclosed", "<r><row><a>1</a></row><row><a>2</a>", rowTag="row", schema="a INT")
read("empty", "", rowTag="row", schema="a INT")
read("empty_inferred", "", rowTag="row")
read("namespace", '<r xmlns:p="u"><row><p:a>1</p:a></row></r>', rowTag="row")
read("tag_prefix", "<r><rows><a>9</a></rows><row><a>1</a></row></r>", rowTag="row")
read("quotes", "<r><row a='1 > 0' b=\"x\"/></r>", rowTag="row")
read("brackets_tag", PEOPLE, rowTag="<person>")
read("unknown_mode_word", PEOPLE, rowTag="person", mode="PERMISSIVE", schema="name STRING")


@area.case()
def reader_call(c):
    return c.spark.read.xml(c.write("in/a.xml", PEOPLE), rowTag="person", schema="name STRING")


@area.case()
def two_files(c):
    c.write("in/a.xml", "<r><row><a>1</a></row></r>")
    c.write("in/b.xml", "<r><row><a>2</a><b>x</b></row></r>")
    return c.spark.read.xml(c.path("in"), rowTag="row")


@area.case()
def gzipped(c):
    import gzip

    path = c.write("in/a.xml.gz", gzip.compress(b"<r><row><a>1</a></row></r>"))
    return c.spark.read.xml(path, rowTag="row")


@area.case()
def view_using(c):
    path = c.write("in/a.xml", PEOPLE)
    c.spark.sql(f"CREATE OR REPLACE TEMP VIEW xmlv USING xml OPTIONS (path '{path}', rowTag 'person')")
    return c.spark.sql("SELECT name, age FROM xmlv")


def written(name, frame, **options):
    """The text of the only file that is written."""

    def run(c):
        out = c.path("out")
        frame(c).coalesce(1).write.format("xml").options(**options).save(out)
        return "".join(p.read_text() for p in sorted(pathlib.Path(out).glob("part-*")))

    area._add(name, run)


FRAME = "SELECT 1 AS _id, 'a<b' AS name, array('x', 'y') AS tags, named_struct('city', 'Bern', '_zip', 3000) AS home, CAST(NULL AS INT) AS none, map('k', 1) AS m"
written("write", lambda c: c.spark.sql(FRAME))
written("write_tags", lambda c: c.spark.sql(FRAME), rowTag="person", rootTag="people")
written("write_declaration", lambda c: c.spark.sql(FRAME), declaration="")
written("write_null", lambda c: c.spark.sql(FRAME), nullValue="-")
written("write_value_tag", lambda c: c.spark.sql("SELECT named_struct('_VALUE', 'text', '_lang', 'en') AS note, 2 AS b"))
written("write_types", lambda c: c.spark.sql("SELECT true AS a, 1.5D AS b, 2.50BD AS c, DATE '2024-01-02' AS d, TIMESTAMP '2024-01-02 03:04:05.678' AS e, 3L AS f"))
written("write_formats", lambda c: c.spark.sql("SELECT DATE '2024-01-02' AS d, TIMESTAMP '2024-01-02 03:04:05' AS t"), dateFormat="dd.MM.yyyy", timestampFormat="yyyy/MM")
written("write_nested", lambda c: c.spark.sql("SELECT array(array(1, 2), array(3)) AS a"))
written("write_nested_name", lambda c: c.spark.sql("SELECT array(array(1, 2), array(3)) AS a"), arrayElementName="el")
written("write_empty", lambda c: c.spark.sql("SELECT 1 AS a WHERE false"))
written("write_empty_struct", lambda c: c.spark.sql("SELECT named_struct('a', CAST(NULL AS INT)) AS s"))
written("write_two", lambda c: c.spark.range(2))


@area.case()
def write_read(c):
    c.spark.sql(FRAME).write.xml(c.path("out"), rowTag="r")
    return c.spark.read.xml(c.path("out"), rowTag="r")


@area.case()
def table(c):
    c.spark.sql("DROP TABLE IF EXISTS xmlt")
    c.spark.sql("CREATE TABLE xmlt (a INT, b STRING) USING xml OPTIONS (rowTag 'r')")
    c.spark.sql("INSERT INTO xmlt VALUES (1, 'x'), (2, NULL)")
    return c.spark.table("xmlt")
