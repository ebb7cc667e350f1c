"""Regular expressions of Java's flavour: what `$` and `\\Z` mean before line ends, look-around, back-references."""

from harness import Area, one

area = Area("regex_java")

ENDS = {"n": "\\n", "r": "\\r", "rn": "\\r\\n", "nn": "\\n\\n", "nr": "\\n\\r", "u85": "\\u0085", "u2028": "\\u2028", "u2029": "\\u2029", "none": "", "nx": "\\nx", "v": "\\u000B", "f": "\\f", "rr": "\\r\\r", "rnn": "\\r\\n\\n"}
PATTERNS = {"dollar": "a$", "big_z": "a\\\\Z", "small_z": "a\\\\z", "multi": "(?m)a$", "multi_caret": "(?m)^x", "unix": "(?d)a$", "dot": "^a.$", "dot_all": "(?s)^a.$", "dotstar": "^a.*$", "group": "(a|b)$", "optional": "a$?", "middle": "a$\\\\n", "alternative": "a$|x", "bracketed": "(a$)", "multi_unix": "(?md)a$"}


def all_ends(name, text):
    """One case: the expression for each line end that `@` stands for."""
    texts = [f"{text.replace('@', end)} AS {key}" for key, end in ENDS.items()]
    area._add(name, lambda c: one(c).select(*[c.F.expr(x) for x in texts]))


for p, pattern in PATTERNS.items():
    all_ends(p, f"'a@' rlike '{pattern}'")
for name, text in {
    "replace": "regexp_replace('ba@', '$', 'X')",
    "replace_a": "regexp_replace('ba@', 'a$', 'X')",
    "replace_multi": "regexp_replace('ba@b', '(?m)$', 'X')",
    "replace_caret": "regexp_replace('ba@b', '(?m)^', 'X')",
    "replace_star": "regexp_replace('ba@', '\\\\s*$', 'X')",
    "extract": "regexp_extract('ba@', '(a)$', 1)",
    "extract_all": "regexp_extract_all('ba@', '(.)$', 1)",
    "count": "regexp_count('ba@', '$')",
    "instr": "regexp_instr('ba@', 'a$')",
    "substr": "regexp_substr('ba@', '.a$')",
    "split": "split('ba@', 'a$')",
}.items():
    all_ends(name, text)
area.lines(one, r"""
    'foobar' rlike 'foo(?=bar)'
    'foobaz' rlike 'foo(?!bar)'
    'foobar' rlike '(?<=foo)bar'
    'xbar' rlike '(?<!foo)bar'
    'abab' rlike '(ab)\\1'
    'abc' rlike '(?<k>b)\\k<k>'
    'aaa' rlike 'a++a'
    'aaa' rlike '(?>a+)a'
    regexp_replace('foobar', 'o(?=b)', 'X')
    regexp_replace('1234567', '(?<=\\d)(?=(\\d{3})+$)', ',')
    regexp_extract('abab', '(ab)\\1', 1)
    'a' rlike 'a{0,2000}'
    'tab\there' rlike '\\h'
    'x' rlike '\\p{javaLowerCase}'
    'x' rlike '[a-z&&[^aeiou]]'
    'e' rlike '[a-z&&[^aeiou]]'
    'a\nb' rlike 'a\\Rb'
    'é' rlike '\\X'
    'a' rlike '\\Ga'
    'ab' rlike '\\Qa\\Eb'
    'a.b' rlike 'a\\Q.\\Eb'
    '\u00e9' rlike '\\w'
    '\u00e9' rlike '(?U)\\w'
    'A' rlike '(?i)a'
    'É' rlike '(?i)é'
    'É' rlike '(?iu)é'
    'a b' rlike '(?x)a b'
    'ab' rlike '(?x)a b'
    'a' rlike '['
    'a' rlike '(a'
    'a' rlike '*a'
    'a' rlike 'a{2,1}'
    """)
