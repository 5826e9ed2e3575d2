"""Compares a computed document with the published one, figure by figure, then byte for byte."""
import json
from decimal import Decimal

FIGURES = ('Values', 'Checks', 'Left', 'Right', 'Difference', 'LargestDifference', 'Scopes')


class Report:
    def __init__(self):
        self.figures = self.documents = self.differences = self.shown = 0

    def differ(self, path, expected, there):
        self.differences += 1
        self.shown += 1
        if self.shown <= 60:
            print('%s: expected %s, there is %s' % (path, short(expected), short(there)))
        elif self.shown == 61:
            print('(more differences of this snapshot are counted, not printed)')

    def same(self, path, expected, there):
        self.figures += 1
        if expected != there:
            self.differ(path, expected, there)


def short(value):
    out = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return out if len(out) <= 200 else out[:200] + '…'


def parse(written):
    return json.loads(written, parse_float=Decimal, parse_int=Decimal)


def count(value, figure=False):
    if isinstance(value, dict):
        return sum(count(v, k in FIGURES) for k, v in value.items())
    if isinstance(value, list):
        return sum(count(v, figure) for v in value)
    return 1 if figure else 0


def document(report, path, expected, published, key=None):
    """expected: text; published: bytes; key: of lists whose order has no meaning, what names an entry."""
    report.documents += 1
    raw = expected.encode('utf-8')
    mine = parse(expected)
    report.figures += count(mine)
    if raw == published:
        return
    before = report.differences
    try:
        theirs = parse(published.decode('utf-8'))
    except ValueError as error:
        report.differ(path, 'JSON', str(error))
        return
    if key:
        if len(mine['Data']) != len(theirs['Data']):
            report.differ(path + ' (entries)', len(mine['Data']), len(theirs['Data']))
        mine, theirs = named(mine['Data'], key), named(theirs['Data'], key)
    walk(report, path, mine, theirs)
    if report.differences == before and not key:
        at = next((i for i, (a, b) in enumerate(zip(raw, published)) if a != b), min(len(raw), len(published)))
        report.differ(path + ' (bytes from %d)' % at, raw[max(0, at - 30):at + 60].decode('utf-8', 'replace'),
                      published[max(0, at - 30):at + 60].decode('utf-8', 'replace'))


def named(entries, key):
    return {' | '.join(str(e.get(k)) for k in key): e for e in entries}


def walk(report, path, mine, theirs):
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for k in list(mine) + [k for k in theirs if k not in mine]:
            if k not in mine:
                report.differ(path + ' ' + k, 'nothing', theirs[k])
            elif k not in theirs:
                report.differ(path + ' ' + k, mine[k], 'nothing')
            else:
                walk(report, path + ' ' + k, mine[k], theirs[k])
    elif isinstance(mine, list) and isinstance(theirs, list):
        for ident in ('AccountId', 'Name', 'NonFinancialId', 'Id', 'Month'):
            if mine and theirs and all(isinstance(e, dict) and ident in e for e in mine + theirs):
                a, b = named(mine, [ident]), named(theirs, [ident])
                if len(a) == len(mine) and len(b) == len(theirs):
                    walk(report, path, a, b)
                    if set(a) == set(b) and list(a) != list(b):
                        report.differ(path + ' (order)', list(a), list(b))
                    return
        if len(mine) != len(theirs):
            report.differ(path, mine, theirs)
            return
        for i, (a, b) in enumerate(zip(mine, theirs)):
            walk(report, '%s[%d]' % (path, i), a, b)
    elif mine != theirs or type(mine) is not type(theirs):
        report.differ(path, mine, theirs)
