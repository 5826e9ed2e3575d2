"""Compares what the page tells of the books themselves: disposals, openings, the derived cash basis."""
import collections

from cashbasis import CashBasis
from books import FLOW_ACCOUNTS, FLOW_KINDS
from disposals import gross_ups
from flowmoves import moves


def check(report, books):
    flow_only(report, books)
    for basis in books.bases:
        posted = [p for p in books.postings if p.basis == basis.lower() and p.kind not in FLOW_KINDS]
        total = sum(o.amount for o in books.openings if o.basis == basis.lower())
        report.same('books/openings ' + basis + ' add up to zero', 0, total)
        if books.sources[basis] != 'Derived':
            kinds(report, books, posted)
        months = collections.Counter()
        for p in posted:
            months[p.transaction_id, p.date.year, p.date.month] += p.amount
        for key, amount in months.items():
            report.same('books/postings %s adds up to zero' % (key,), 0, amount)
    if books.sources.get('CASH') == 'Derived':
        derived = CashBasis(books)
        there = [o for o in books.openings if o.basis == 'cash']
        bags(report, 'books/openings CASH', derived.openings(), there)
        if derived.can_be_checked():
            there = [p._replace(seq=None) for p in books.postings if p.basis == 'cash' and p.kind not in FLOW_KINDS]
            bags(report, 'books/postings CASH', derived.postings, there)
        else:
            print('(the derivation of the cash basis cannot be checked: open items may be of openings)')


def flow_only(report, books):
    """The postings that stand on the cash flow alone, and which accounts have rows for them."""
    postings = sorted(books.postings, key=lambda p: p.seq)
    there = [p for p in postings if p.kind in FLOW_KINDS]
    report.same('books/postings (those of the cash flow are the last)', postings[len(postings) - len(there):], there)
    expected = moves(books, postings) if books.format >= 3 else gross_ups(books, postings)
    bags(report, 'books/postings of the cash flow', expected, [p._replace(seq=None) for p in there])
    report.same('books/postings of the cash flow (order)', None, next(
        (i for i, (a, b) in enumerate(zip(expected, there)) if a != b._replace(seq=None)), None))
    moved = {p.account for p in there if p.kind != 'gross-up'}
    rows = [a for a in sorted(moved, key=lambda a: books.position[a]) if a in FLOW_ACCOUNTS or books.is_result(a)]
    report.same('books/frame.json cashFlowRows', rows, books.flow_rows)


def bags(report, path, expected, there):
    """Rows without an order."""
    report.figures += len(expected)
    mine, theirs = collections.Counter(expected), collections.Counter(there)
    for row in sorted((mine - theirs).elements(), key=str):
        report.differ(path, plain(row), 'nothing')
    for row in sorted((theirs - mine).elements(), key=str):
        report.differ(path, 'nothing', plain(row))


def plain(row):
    return ' | '.join('' if v is None else str(v) for v in row)


def kinds(report, books, postings):
    """Transfers; and closing entries, as far as their date says which kind they are: only the last day of a year does."""
    entries = collections.defaultdict(list)
    for p in postings:
        entries[p.transaction_id].append(p)
    ends = {end for _, end in books.years}
    for identifier, lines in entries.items():
        there = {p.kind for p in lines}
        path = 'books/postings kind of ' + identifier
        if there & {'closing-current', 'closing-prior'}:
            for p in lines:
                if p.kind not in ('activity', 'transfer') and p.date in ends:   # only a part of the entry may be closing
                    report.same(path, 'closing-current', p.kind)
        else:
            equity = all(books.account.get(p.account, {}).get('classification') == 'Equity' for p in lines)
            # In a group, a translation states balances of a member at another rate.
            transfer = (equity or {p.type for p in lines} == {'translation'}) and sum(p.amount for p in lines) == 0
            report.same(path, {'transfer' if transfer else 'activity'}, there)
