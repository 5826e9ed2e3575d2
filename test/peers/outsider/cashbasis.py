"""Makes the postings and openings of the derived cash basis from those of the accrual basis."""
import collections

from apportion import apportion
from books import FLOW_KINDS

RECEIVABLE, PAYABLE = 'AccountsReceivable', 'AccountsPayable'
OPENINGS = 'the opening balances'

# target: an Entry or OPENINGS; amount: the part of the line that settles it
Link = collections.namedtuple('Link', 'line entry target amount')


class Entry:
    def __init__(self, transaction_id):
        self.id, self.lines, self.links = transaction_id, [], []


class CashBasis:
    def __init__(self, books):
        self.books = books
        self.postings = []
        self.entries = {}
        for p in sorted((p for p in books.postings if p.basis == 'accrual' and p.kind not in FLOW_KINDS),
                        key=lambda p: p.seq):
            self.entries.setdefault(p.transaction_id, Entry(p.transaction_id)).lines.append(p)
        for entry in self.entries.values():
            self.measure(entry)
        self.to = collections.defaultdict(list)   # id of a document -> links to it
        self.link()
        for entry in self.entries.values():
            self.make(entry)

    # what the lines of an entry are

    def kind_of(self, p):
        account = self.books.account.get(p.account, {})
        if account.get('type') in (RECEIVABLE, PAYABLE):
            return 'open'
        if self.books.is_cash(p.account):
            return 'cash'
        if account.get('type') == 'SalesTax' or self.books.is_result(p.account):
            return 'deferred'
        return 'other'

    def measure(self, entry):
        entry.of = {k: [p for p in entry.lines if self.kind_of(p) == k] for k in ('open', 'cash', 'deferred', 'other')}
        entry.c = sum(p.amount for p in entry.of['cash'])
        entry.g = entry.c + sum(p.amount for p in entry.of['open'])
        entry.d = sum(p.amount for p in entry.of['deferred'])
        entry.date = min(p.date for p in entry.lines)

    # links

    def link(self):
        by_line = {}
        for entry in self.entries.values():
            for p in entry.lines:
                if p.line_id is not None:
                    by_line.setdefault(p.line_id, entry)
        groups = collections.defaultdict(list)
        for entry in self.entries.values():
            for p in entry.of['open']:
                if p.settles is not None:
                    target = self.entries.get(p.settles)
                    if target is None or not target.of['open']:
                        target = by_line.get(p.settles, target)
                    if target is None:
                        self.linked(Link(p, entry, OPENINGS, p.amount))
                    elif target is not entry and target.of['open']:
                        self.linked(Link(p, entry, target, p.amount))
                elif p.open_item is not None:
                    groups[p.account, p.open_item].append((p, entry))
        for (account, _), lines in groups.items():
            self.link_group(lines, 1 if self.books.account[account]['type'] == RECEIVABLE else -1)

    def link_group(self, lines, sign):
        lines.sort(key=lambda x: (x[0].date, x[0].transaction_id, x[0].seq))
        documents = [x for x in lines if sign * x[0].amount > 0]
        left = {p.seq: sign * p.amount for p, _ in documents}
        for p, entry in lines:
            rest = -sign * p.amount
            others = [x for x in documents if x[1] is not entry]
            if rest <= 0 or not others:
                continue
            parts = []
            for q, target in others:
                part = min(rest, left[q.seq])
                left[q.seq] -= part
                rest -= part
                if part:
                    parts.append((target, part))
            if rest:
                # a settlement of its own, also where the last document is settled by a part before
                parts.append((others[-1][1], rest))
            for target, part in parts:
                self.linked(Link(p, entry, target, -sign * part))

    def linked(self, link):
        link.entry.links.append(link)
        if link.target is not OPENINGS:
            self.to[link.target.id].append(link)

    # postings

    def book(self, line, amount, **other):
        if amount:
            self.postings.append(line._replace(basis='cash', seq=None, open_item=None, amount=amount, **other))

    def make(self, entry):
        payment = entry.of['cash'] and entry.links
        if not entry.of['open'] or payment or entry.g == 0:
            for p in entry.lines:
                if p.amount or not entry.of['open']:
                    self.postings.append(p._replace(basis='cash', seq=None, open_item=None))
        else:
            self.recognise(entry)
        for link in entry.links:
            if link.target is OPENINGS:
                line = link.line
                self.book(line, link.amount, account=self.computed(
                    line, 'opening-receivables-collected', 'opening-payables-paid'))
                self.book(line, -link.amount)

    def computed(self, line, receivable, payable):
        return receivable if self.books.account[line.account]['type'] == RECEIVABLE else payable

    def settlements(self, entry):
        """(day, transaction id, seq, settling line, amount), in order."""
        out = []
        for link in self.to[entry.id]:
            out.append((max(link.line.date, entry.date), link.line, -link.amount))
        for link in entry.links:
            day = link.line.date if link.target is OPENINGS else max(link.line.date, link.target.date)
            out.append((day, link.line, link.amount))
        return sorted(out, key=lambda s: (s[0], s[1].transaction_id, s[1].seq))

    def recognise(self, entry):
        g, c = entry.g, entry.c
        deferred, open_lines = entry.of['deferred'], entry.of['open']

        def recognised(p):
            cut = min(max(p, min(0, g)), max(0, g))
            return apportion([x.amount for x in deferred], cut, g)

        def unapplied(p):
            most, least = max(0, g, c), min(0, g, c)
            return p - most if p > most else p - least if p < least else 0

        p = c
        done = recognised(p)
        waits = self.shares(open_lines, entry.d - sum(done))
        for line, amount in zip(deferred, done):
            self.book(line, amount, date=entry.date)
        for line in entry.of['cash'] + entry.of['other']:
            self.book(line, line.amount)
        for line, amount in zip(open_lines, waits):
            self.book(line, line.amount + amount)
        over = 0
        for day, settling, amount in self.settlements(entry):
            p += amount
            now = recognised(p)
            now_waits = self.shares(open_lines, entry.d - sum(now))
            now_over = unapplied(p)
            of_settling = {name: getattr(settling, name) for name in
                           ('transaction_id', 'reference', 'settles', 'journal', 'type', 'source_date')}
            for line, a, b in list(zip(deferred, done, now)) + list(zip(open_lines, waits, now_waits)):
                self.book(line, b - a, date=day, **of_settling)
            self.book(settling, now_over - over, date=day)
            self.book(settling, over - now_over, date=day,
                      account=self.computed(settling, 'unapplied-receipts', 'unapplied-payments'))
            done, waits, over = now, now_waits, now_over

    def shares(self, open_lines, amount):
        total = sum(p.amount for p in open_lines)
        if total == 0:
            return [amount] + [0] * (len(open_lines) - 1)
        sign = 1 if amount * total >= 0 else -1
        return [sign * s for s in apportion([p.amount for p in open_lines], abs(amount), abs(total))]

    # openings

    def openings(self):
        out = []
        for o in self.books.openings:
            if o.basis == 'accrual':
                kind = self.books.account.get(o.account, {}).get('type')
                account = 'prior-years-not-closed' if kind in (RECEIVABLE, PAYABLE) else o.account
                out.append(o._replace(basis='cash', account=account))
        return out

    def can_be_checked(self):
        """Which references openings carry stands in the source only."""
        references = any(p.open_item is not None for e in self.entries.values() for p in e.of['open'])
        kinds = [self.books.account.get(o.account, {}).get('type') for o in self.books.openings]
        return not (references and (RECEIVABLE in kinds or PAYABLE in kinds))
