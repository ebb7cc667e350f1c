"""Random terms of the kinds of tools/fuzz_grammar.py, and smaller ones made from them."""

import fuzz_grammar as grammar

LEAF_KINDS = ("int", "str", "double", "bool")


class Term:
    """A template's pieces with the terms between them. `scope` has the variables that may stand in it: kind -> names."""

    def __init__(self, kind, pieces, parts, scope):
        self.kind, self.pieces, self.parts, self.scope = kind, pieces, parts, scope

    def text(self):
        out = self.pieces[0]
        for part, piece in zip(self.parts, self.pieces[1:]):
            out += part.text() + piece
        return out

    def with_part(self, index, part):
        return Term(self.kind, self.pieces, [*self.parts[:index], part, *self.parts[index + 1:]], self.scope)

    def names(self):
        return [name for names in self.scope.values() for name in names]


class Maker:
    """Makes terms by chance. `constant` terms have no columns."""

    def __init__(self, rng, constant=False):
        self.rng, self.constant, self.variables = rng, constant, 0

    def scoped(self, scope, kind, names):
        return {**scope, kind: [*scope.get(kind, []), *names]}

    def lambda_term(self, hole, depth, scope):
        head, body = hole.split("->")
        inner, names = scope, []
        for declared in head.split(","):
            kind = declared.split(":")[1]
            self.variables += 1
            names.append(f"v{self.variables}")
            inner = self.scoped(inner, kind, names[-1:])
        shown = names[0] if len(names) == 1 else f"({', '.join(names)})"
        return Term("lambda", [f"{shown} -> ", ""], [self.term(body, depth, inner)], scope)

    def leaf(self, kind, scope):
        variables = scope.get(kind, [])
        if variables and self.rng.random() < 0.6:
            return Term(kind, [self.rng.choice(variables)], [], scope)
        columns = [] if self.constant else grammar.COLUMNS.get(kind, "").split()
        literals = grammar.LITERALS.get(kind, [])
        if columns and (not literals or self.rng.random() < 0.75):
            return Term(kind, [self.rng.choice(columns)], [], scope)
        if literals:
            return Term(kind, [self.rng.choice(literals)], [], scope)
        return self.filled(kind, self.rng.choice(grammar.RULES[kind]), 0, scope)

    def filled(self, kind, template, depth, scope):
        pieces, parts = [""], []
        while "{" in template:
            before, rest = template.split("{", 1)
            hole, template = rest.split("}", 1)
            pieces[-1] += before
            if hole.startswith("="):
                pieces[-1] += parts[int(hole[1:])].text()
                continue
            parts.append(self.hole(hole, depth, scope))
            pieces.append("")
        pieces[-1] += template
        return Term(kind, pieces, parts, scope)

    def hole(self, hole, depth, scope):
        if "->" in hole:
            return self.lambda_term(hole, max(depth - 1, 0), scope)
        rows = {"gnum": "num", "gstr": "str", "gbool": "bool"}
        if hole in rows:
            return Maker(self.rng, constant=True).of_scope(self, rows[hole], depth, grammar.SCOPES["g"])
        if hole in ("both", "bothbool"):
            return self.term("atom" if hole == "both" else "bool", max(depth - 1, 1), grammar.SCOPES["g"])
        if hole == "aggregate":
            return self.filled("aggregate", self.rng.choice(grammar.lines(grammar.AGGREGATES)), depth - 1, scope)
        if hole == "window":
            return self.filled("window", self.rng.choice(grammar.lines(grammar.WINDOWS)), depth - 1, scope)
        if hole == "agglit":
            hole = "small"
        if hole == "lit":
            return Maker(self.rng, constant=True).of_scope(self, "atom", 1, scope)
        return self.term(hole, depth - 1, scope)

    def of_scope(self, other, kind, depth, scope):
        """A term that sees the variables of `scope` alone; variables' numbers go on from `other`."""
        self.variables = other.variables
        term = self.term(kind, max(depth - 1, 0), scope)
        other.variables = self.variables
        return term

    def term(self, kind, depth, scope):
        if kind in grammar.GROUPS:
            kind = self.rng.choice(grammar.GROUPS[kind])
        if kind in grammar.LITERALS and kind not in grammar.RULES:
            return self.leaf(kind, scope)
        if self.rng.random() < 0.01:
            kind = self.rng.choice(LEAF_KINDS)  # what only an implicit cast can make fit, or nothing
        if depth <= 0 and kind != "shape" or self.rng.random() < 0.15 and kind in grammar.COLUMNS:
            return self.leaf(kind, scope)
        chance = self.rng.random()
        if chance < 0.1 and kind in grammar.TYPES and grammar.CASTS[kind]:
            source = self.rng.choice(grammar.CASTS[kind].split())
            function = "CAST" if chance < 0.06 else "TRY_CAST"
            return self.filled(kind, f"{function}({{{source}}} AS {grammar.TYPES[kind]})", depth, scope)
        if chance < 0.2 and kind in grammar.TYPES:
            return self.filled(kind, self.rng.choice(grammar.EVERY_KIND).replace("{0}", "{%s}" % kind), depth, scope)
        return self.filled(kind, self.rng.choice(grammar.RULES[kind]), depth, scope)


def random_query(rng, depth):
    """(select list's term, what follows it): None for what follows makes the term the whole query."""
    chance = rng.random()
    maker = Maker(rng, constant=rng.random() < 0.15)
    depth = rng.choice([1, 2, 2, 3, depth])
    if chance < 0.62:
        return maker.term(rng.choice(["shown", "shown", "shape"]), depth, {}), "FROM f"
    maker.constant = False
    if chance < 0.74:
        return maker.hole("aggregate", min(depth, 3), {}), rng.choice(["FROM f", "FROM f GROUP BY b", "FROM f GROUP BY j"])
    if chance < 0.82:
        return maker.hole("window", min(depth, 3), {}), "FROM f ORDER BY id"
    return maker.filled("query", rng.choice(grammar.lines(grammar.QUERIES)), min(depth, 3), {}), None


def subterms(term):
    for part in term.parts:
        yield part
        yield from subterms(part)


def replaced(term, rng):
    """The term with one part, at any depth, made smaller: a part of that part, or a leaf."""
    for index, part in enumerate(term.parts):
        if part.parts and part.kind != "lambda":
            for _ in range(2):
                leaf = Maker(rng).leaf(part.kind, part.scope) if part.kind in grammar.COLUMNS or part.kind in grammar.LITERALS else None
                if leaf and not leaf.parts:
                    yield term.with_part(index, leaf)
            for inner in subterms(part):
                if inner.kind == part.kind and set(inner.names()) <= set(part.names()):
                    yield term.with_part(index, inner)
        for smaller in replaced(part, rng):
            yield term.with_part(index, smaller)


def smaller(term, rng, whole_query):
    """Terms that may show the same difference, the smallest first, none twice."""
    found = {}
    if not whole_query:
        for part in subterms(term):
            if not part.names() and (part.kind in grammar.COLUMNS or part.kind == "shape") and part.parts:
                found.setdefault(part.text(), part)
    for candidate in replaced(term, rng):
        if len(candidate.text()) < len(term.text()):
            found.setdefault(candidate.text(), candidate)
        if len(found) > 400:
            break
    return [found[text] for text in sorted(found, key=len)]
