"""Sums of the ledger: one Cell per pair of class and department; the cells inside a filter are added up.

Months are counted from 0, the first of the coverage."""
import bisect

from books import FLOW_KINDS

IN_YEAR = ('activity', 'transfer', 'closing-current')
CLOSING = ('closing-current', 'closing-prior')


class Cell:
    def __init__(self, count):
        self.count = count
        self.activity = {}   # account -> figures of each month
        self.flow = {}       # the same, of the kinds that stand on the cash flow alone
        self.without = {}    # the same, of kind without-cash
        self.moves = {}      # the same, of all kinds that stand in balances
        self.opening = {}    # account -> amount
        self.current = 0     # openings that belong to the first fiscal year
        self.this_year = [0] * count   # result accounts: since the year's start, through the end of the month
        self.closing = [0] * count     # result accounts: the two closing kinds

    def inside(self):
        """Accounts with a posting of any kind, or an opening."""
        return set(self.flow) | set(self.moves) | set(self.opening)

    def add(self, other):
        for mine, theirs in ((self.activity, other.activity), (self.flow, other.flow),
                             (self.without, other.without), (self.moves, other.moves)):
            for account, figures in theirs.items():
                put(mine, account, figures)
        for account, amount in other.opening.items():
            self.opening[account] = self.opening.get(account, 0) + amount
        self.current += other.current
        self.this_year = plus(self.this_year, other.this_year)
        self.closing = plus(self.closing, other.closing)


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def minus(a):
    return [-x for x in a]


def put(table, key, figures):
    table[key] = plus(table[key], figures) if key in table else list(figures)


def running(first, figures):
    out = []
    for f in figures:
        first += f
        out.append(first)
    return out


class Ledger:
    """The ledger of one basis."""

    def __init__(self, books, filters, basis):
        self.books, self.filters, self.cells = books, filters, {}
        months = books.months
        count = len(months)
        starts = [books.year_start(last) for _, last in books.periods]
        if None in starts:
            raise ValueError('a month of the coverage ends outside of fiscalYears')
        for p in books.postings:
            if p.basis != basis.lower():
                continue
            cell = self.cell(p, count)
            at = books.at(p.date)
            if at < 0 or p.date > books.periods[-1][1]:
                raise ValueError('posting %d lies outside of the coverage' % p.seq)
            if p.kind in FLOW_KINDS:
                tables = [cell.flow, cell.without] if p.kind == 'without-cash' else [cell.flow]
            elif p.kind == 'activity':
                tables = [cell.activity, cell.moves]
            else:
                tables = [cell.moves]
            for table in tables:
                table.setdefault(p.account, [0] * count)[at] += p.amount
            if p.kind not in FLOW_KINDS and books.is_result(p.account):
                if p.kind in IN_YEAR:
                    # months through whose end the posting is one of this fiscal year
                    for m in range(at, bisect.bisect_right(starts, p.date)):
                        cell.this_year[m] += p.amount
                if p.kind in CLOSING:
                    cell.closing[at] += p.amount
        first_year = books.years[0][0]
        for o in books.openings:
            if o.basis != basis.lower():
                continue
            cell = self.cell(o, count)
            cell.opening[o.account] = cell.opening.get(o.account, 0) + o.amount
            if o.current:
                cell.current += o.amount
                for m in range(count):
                    if starts[m] == first_year:
                        cell.this_year[m] += o.amount

    def cell(self, row, count):
        return self.cells.setdefault((row.class_, row.department), Cell(count))

    def scope(self, scope):
        """All that lies inside a filter, or None where nothing does."""
        parts = [c for (cls, dep), c in self.cells.items() if self.filters.inside(scope, cls, dep)]
        if not parts:
            return None
        total = Cell(parts[0].count)
        for part in parts:
            total.add(part)
        return total
