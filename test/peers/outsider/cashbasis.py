"""Makes the postings and openings of the derived cash basis from those of the accrual basis."""
import collections

from apportion import apportion
from books import FLOW_KINDS

RECEIVABLE, PAYABLE = 'AccountsReceivable', 'AccountsPayable'
OPENINGS = 'the opening balances'

# target: an Entry or OPENINGS; amount: the part of the line that settles it
Link = collections.namedtuple('Link', 'line entry target amount')


def of_both(a, b):
    """What two amounts of one sign have in common."""
    return 0 if a * b <= 0 else min(a, b) if a > 0 else max(a, b)


class Entry:
    def __init__(self, transaction_id):
        self.id, self.lines, self.links, self.own = transaction_id, [], [], []


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
        self.to = collections.defaultdict(list)   # id of an entry -> links to it that are no payments
        self.paid = collections.defaultdict(list)   # id of an entry -> payments to it
        self.link()
        for entry in self.entries.values():
            entry.is_money = self.is_money(entry)
        if self.books.format >= 4:
            self.pay()
        else:
            self.settle()
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

    def raises(self, p):
        return p.amount if self.books.account[p.account]['type'] == RECEIVABLE else -p.amount

    def is_money(self, entry):
        if self.books.format < 4:
            return bool(entry.of['cash'] and entry.links)
        o = entry.g - entry.c
        if entry.c == 0 or not entry.of['open'] or o * entry.c > 0:
            return False
        is_raised = sum(self.raises(p) for p in entry.of['open']) > 0
        return not is_raised or abs(entry.g) <= abs(entry.c)

    # payments, since format 4

    def pay(self):
        entries = [self.entries[k] for k in sorted(self.entries)]
        money = [m for m in entries if m.is_money]
        for e in entries:
            e.left = {p.seq: p.amount for p in e.of['open']}
            e.payments = {p.seq: [] for p in e.of['open']}   # [target, amount, not taken back]

        def payment(m, line, target, amount):
            m.payments[line.seq].append([target, amount, amount])
            m.left[line.seq] -= amount
            if target is not OPENINGS:
                self.paid[target.id].append((line, amount))

        def leads_to_money(link):
            return link.target is not OPENINGS and link.target.is_money

        def is_shared(link):
            return link.target is not OPENINGS and (link.target.is_money or self.raises(link.line) > 0)

        def by_line(links):
            return sorted(links, key=lambda k: (k.line.date, k.line.transaction_id, k.line.seq))

        def settles(link, amount):
            if link.target is not OPENINGS:
                self.to[link.target.id].append(link._replace(amount=amount))
            link.entry.own.append(link._replace(amount=amount))

        for m in money:
            for p in m.of['open']:
                for link in m.links:
                    if link.line is p and not leads_to_money(link):
                        payment(m, p, link.target, link.amount)
        of_documents = [k for e in entries if not e.is_money for k in e.links]
        for link in of_documents:
            if not is_shared(link):
                settles(link, link.amount)
                link.entry.left[link.line.seq] -= link.amount
        for link in by_line(k for k in of_documents if is_shared(k)):
            rest = -link.amount
            for q in link.target.of['open']:
                taken = of_both(rest, link.target.left[q.seq])
                rest -= taken
                if taken and link.target.is_money:
                    payment(link.target, q, link.entry, taken)
                elif taken:
                    link.target.left[q.seq] -= taken
                    settles(link, -taken)
            if not link.target.is_money:
                so_far = sum(amount for day, _, amount, _ in self.settlements(link.target) if day <= link.line.date)
                taken = of_both(-rest, so_far)
                if taken:
                    settles(link, taken)
                continue
            if link.entry.of['deferred']:
                continue
            for q in link.target.of['open']:
                for made in reversed(link.target.payments[q.seq]):
                    taken = 0 if made[0] in (OPENINGS, link.entry) else of_both(rest, made[2])
                    made[2] -= taken
                    rest -= taken
                    if taken:
                        settles(link._replace(target=made[0]), -taken)
        for link in by_line(k for m in money for k in m.links if leads_to_money(k)):
            m, other = link.entry, link.target
            rest = of_both(link.amount, m.left[link.line.seq])
            for q in other.of['open']:
                taken = of_both(-rest, other.left[q.seq])
                other.left[q.seq] -= taken
                m.left[link.line.seq] += taken
                rest += taken
            for q in other.of['open']:
                for made in list(reversed(other.payments[q.seq])):
                    taken = of_both(-rest, made[2])
                    made[2] -= taken
                    rest += taken
                    if taken:
                        payment(m, link.line, made[0], -taken)

    def settle(self):
        for entry in self.entries.values():
            for link in entry.links:
                if link.target is not OPENINGS:
                    self.to[link.target.id].append(link)
                entry.own.append(link)

    # postings

    def book(self, line, amount, **other):
        if amount:
            self.postings.append(line._replace(basis='cash', seq=None, open_item=None, amount=amount, **other))

    def make(self, entry):
        if not entry.of['open'] or entry.is_money or entry.g == 0:
            for p in entry.lines:
                if p.amount or not entry.of['open']:
                    self.postings.append(p._replace(basis='cash', seq=None, open_item=None))
        else:
            self.recognise(entry)
        for line in entry.of['open']:
            of_openings = [k.amount for k in entry.links if k.line is line and k.target is OPENINGS]
            if entry.is_money and self.books.format >= 4:
                payments = entry.payments[line.seq]
                self.unapplied(line, line.amount - sum(amount for _, amount, _ in payments), line.date)
                of_openings = [amount for target, amount, _ in payments if target is OPENINGS]
            for amount in of_openings:
                self.book(line, amount, account=self.computed(
                    line, 'opening-receivables-collected', 'opening-payables-paid'))
                self.book(line, -amount)

    def unapplied(self, line, amount, date):
        self.book(line, amount, date=date, account=self.computed(line, 'unapplied-receipts', 'unapplied-payments'))
        self.book(line, -amount, date=date)

    def computed(self, line, receivable, payable):
        return receivable if self.books.account[line.account]['type'] == RECEIVABLE else payable

    def settlements(self, entry):
        """(day, settling line, amount, whether it is a payment), in order."""
        out = [(max(p.date, entry.date), p, -amount, True) for p, amount in self.paid[entry.id]]
        for link in self.to[entry.id]:
            out.append((max(link.line.date, entry.date), link.line, -link.amount, False))
        for link in entry.own:
            day = link.line.date if link.target is OPENINGS else max(link.line.date, link.target.date)
            out.append((day, link.line, link.amount, False))
        return sorted(out, key=lambda s: (s[0], s[1].transaction_id, s[1].seq))

    def recognise(self, entry):
        g, c = entry.g, entry.c
        deferred, open_lines = entry.of['deferred'], entry.of['open']

        def recognised(p):
            cut = min(max(p, min(0, g)), max(0, g))
            return apportion([x.amount for x in deferred], cut, g)

        def beyond(p):
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
        for day, settling, amount, is_payment in self.settlements(entry):
            p += amount
            now = recognised(p)
            now_waits = self.shares(open_lines, entry.d - sum(now))
            now_over = beyond(p)
            of_settling = {name: getattr(settling, name) for name in
                           ('transaction_id', 'reference', 'settles', 'journal', 'type', 'source_date')}
            for line, a, b in list(zip(deferred, done, now)) + list(zip(open_lines, waits, now_waits)):
                self.book(line, b - a, date=day, **of_settling)
            self.unapplied(settling, over - now_over, settling.date if is_payment else day)
            if is_payment and settling.date < day:
                self.unapplied(settling, sum(now) - sum(done), settling.date)
                self.unapplied(settling, sum(done) - sum(now), day)
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
