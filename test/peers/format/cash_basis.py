"""The derived cash basis: which postings follow from the accrual postings and their settlement links."""
import sys
from collections import Counter, defaultdict, namedtuple

OPENINGS = "the opening balances"
Link = namedtuple("Link", "to amount")
# One derived line; `by` is the transaction that it is booked under.
Derived = namedtuple("Derived", "by date account klass department amount kind")


def differences(books):
    """Sentences about cash postings and openings that do not follow; none where the cash basis is not derived."""
    if books.frame["basisSources"].get("CASH") != "Derived":
        return
    own = [posting for posting in books.postings if posting.kind != "gross-up"]
    if not is_known(books, own):
        why = "openings may belong to open items"
        print(f"{books.folder}: the derivation of the cash basis is not checked: {why}", file=sys.stderr)
        return
    published = Counter(
        Derived(p.transaction, p.date, p.account, p.klass, p.department, p.amount, p.kind)
        for p in own
        if p.basis == "cash"
    )
    computed = Counter(derive(books, [posting for posting in own if posting.basis == "accrual"]))
    for line in (published - computed):
        yield f"a cash posting that does not follow: {tuple(line)}"
    for line in (computed - published):
        yield f"a cash posting is missing: {tuple(line)}"
    openings = Counter(
        (o.account, o.klass, o.department, o.amount, o.current) for o in books.openings if o.basis == "cash"
    )
    expected = Counter(
        (
            "prior-years-not-closed" if is_open(books, o.account) else o.account,
            o.klass,
            o.department,
            o.amount,
            o.current,
        )
        for o in books.openings
        if o.basis == "accrual"
    )
    if openings != expected:
        yield "the openings of the cash basis are not those of the accrual basis"


def is_known(books, postings):
    """Which open items the openings belong to stands in the source only."""
    by_item = any(p.open_item is not None and p.settles is None and is_open(books, p.account) for p in postings)
    opened = any(opening.basis == "accrual" and is_open(books, opening.account) for opening in books.openings)
    return not (by_item and opened)


def type_of(books, account):
    return books.accounts[account]["type"] if account in books.accounts else ""


def is_receivable(books, account):
    return type_of(books, account) == "AccountsReceivable"


def is_open(books, account):
    return type_of(books, account) in ("AccountsReceivable", "AccountsPayable")


class Entry:
    def __init__(self, books, id, lines):
        def is_cash(line):
            return not is_open(books, line.account) and books.is_cash(line.account)

        def is_deferred(line):
            return (
                not is_open(books, line.account)
                and not is_cash(line)
                and (type_of(books, line.account) == "SalesTax" or books.is_result(line.account))
            )

        self.id = id
        self.lines = lines
        self.date = min(line.date for line in lines)
        self.open = [line for line in lines if is_open(books, line.account)]
        self.cash = [line for line in lines if is_cash(line)]
        self.deferred = [line for line in lines if is_deferred(line)]
        self.gross = total(self.open) + total(self.cash)
        self.settlements = []


def total(lines):
    return sum(line.amount for line in lines)


def derive(books, postings):
    entries = defaultdict(list)
    for posting in sorted(postings, key=lambda posting: posting.seq):
        entries[posting.transaction].append(posting)
    entries = {id: Entry(books, id, lines) for id, lines in entries.items()}
    touched = {id: entry for id, entry in entries.items() if entry.open}
    links = links_of(books, postings, touched)

    for entry in touched.values():
        entry.is_payment = bool(entry.cash) and any(links.get(line.seq) for line in entry.open)
    for entry in touched.values():
        for line in entry.open:
            for link in links.get(line.seq, []):
                target = touched.get(link.to)
                day = max(line.date, target.date if target else line.date)
                if target:
                    target.settlements.append((day, entry.id, line.seq, -link.amount, line))
                if not entry.is_payment:
                    entry.settlements.append((day, entry.id, line.seq, link.amount, line))
    for entry in entries.values():
        if entry.open and not entry.is_payment and entry.gross != 0:
            yield from document(books, entry)
        else:
            for line in entry.lines:
                yield from booked(line, line.transaction, line.date, line.account, line.amount)
        for line in entry.open:
            for link in links.get(line.seq, []):
                if link.to == OPENINGS:
                    collected, paid = "opening-receivables-collected", "opening-payables-paid"
                    row = collected if is_receivable(books, line.account) else paid
                    yield from booked(line, entry.id, line.date, row, link.amount)
                    yield from booked(line, entry.id, line.date, line.account, -link.amount)


def booked(line, by, date, account, amount):
    if amount != 0:
        yield Derived(by, date, account, line.klass, line.department, amount, line.kind)


def links_of(books, postings, touched):
    """By `seq` of the settling line."""
    transactions = {posting.transaction for posting in postings}
    entry_of_line = {posting.line: posting.transaction for posting in postings if posting.line is not None}
    links = {}
    groups = defaultdict(list)
    for entry in touched.values():
        for line in entry.open:
            if line.settles is not None:
                # An entry without open lines is no link, but a line of one that has them is.
                to = line.settles if line.settles in touched else entry_of_line.get(line.settles)
                if to is None and line.settles not in transactions:
                    to = OPENINGS
                if to != entry.id and (to == OPENINGS or to in touched):
                    links[line.seq] = [Link(to, line.amount)]
            elif line.open_item is not None:
                groups[line.account, line.open_item].append(line)
    for group in groups.values():
        group.sort(key=lambda line: (line.date, line.transaction, line.seq))
        settle_group(books, group, links)
    return links


def settle_group(books, group, links):
    def is_document(line):
        return line.amount > 0 if is_receivable(books, line.account) else line.amount < 0

    left = {line.seq: abs(line.amount) for line in group if is_document(line)}
    for line in group:
        if is_document(line) or line.amount == 0:
            continue
        sign = 1 if line.amount > 0 else -1
        rest = abs(line.amount)
        others = [other for other in group if is_document(other) and other.transaction != line.transaction]
        own = []
        for other in others:
            part = min(rest, left[other.seq])
            if part:
                own.append(Link(other.transaction, sign * part))
                left[other.seq] -= part
                rest -= part
        if rest and others:
            own.append(Link(others[-1].transaction, sign * rest))
        if own:
            links[line.seq] = own


def document(books, entry):
    amounts = [line.amount for line in entry.deferred]
    paid = total(entry.cash)

    owed = paid

    def cut(paid):
        return between(paid, 0, entry.gross)

    def beyond(paid):
        return paid - between(paid, 0, entry.gross, owed)

    recognised = apportion(amounts, cut(paid), entry.gross)
    unapplied = 0
    shares = shares_of(entry.open, sum(amounts) - sum(recognised))
    waiting = {line.seq: share for line, share in zip(entry.open, shares)}
    deferred = {line.seq for line in entry.deferred}
    for line in entry.lines:
        if line.seq not in deferred:
            amount = line.amount + waiting.get(line.seq, 0)
            yield from booked(line, entry.id, line.date, line.account, amount)
    for line, amount in zip(entry.deferred, recognised):
        yield from booked(line, entry.id, entry.date, line.account, amount)
    for day, by, _, amount, settling in sorted(entry.settlements, key=lambda each: each[:3]):
        paid += amount
        now = apportion(amounts, cut(paid), entry.gross)
        for line, before, after in zip(entry.deferred, recognised, now):
            yield from booked(line, by, day, line.account, after - before)
        left = shares_of(entry.open, sum(amounts) - sum(now))
        for line, before, after in zip(entry.open, shares, left):
            yield from booked(line, by, day, line.account, after - before)
        yield from unapplied_lines(books, settling, by, day, beyond(paid) - unapplied)
        recognised, shares, unapplied = now, left, beyond(paid)


def between(amount, *bounds):
    return min(max(amount, min(bounds)), max(bounds))


def unapplied_lines(books, line, by, day, amount):
    row = "unapplied-receipts" if is_receivable(books, line.account) else "unapplied-payments"
    yield from booked(line, by, day, row, -amount)
    yield from booked(line, by, day, line.account, amount)


def shares_of(lines, amount):
    """The share of each open line in what waits."""
    if len(lines) == 1:
        return [amount]
    whole = total(lines)
    if whole == 0 or amount == 0:
        return [amount if i == 0 else 0 for i in range(len(lines))]
    shares = apportion([line.amount for line in lines], abs(amount), abs(whole))
    return shares if (amount > 0) == (whole > 0) else [-share for share in shares]


def apportion(amounts, p, g):
    if p == g:
        return list(amounts)
    if p == 0:
        return [0] * len(amounts)
    turned = sum(amounts) < 0
    own = [-amount for amount in amounts] if turned else amounts
    p, g = abs(p), abs(g)
    floors = [amount * p // g for amount in own]
    missing = (2 * sum(own) * p + g) // (2 * g) - sum(floors)
    by_remainder = sorted(range(len(own)), key=lambda i: (-(own[i] * p - floors[i] * g), i))
    for i in by_remainder[:missing]:
        floors[i] += 1
    return [-share for share in floors] if turned else floors
