"""Postings of the kinds disposal and without-cash, from the activity postings (docs/accounting.md §5, rules 1 to 6)."""
from apportion import apportion

PROCEEDS, WITHOUT_CASH = 'disposal-proceeds', 'without-cash'
KINDS = ('disposal', 'without-cash')
BESIDE = ('AccountsReceivable', 'AccountsPayable', 'CreditCard', 'SalesTax', 'IncomeTax')


def moves(books, postings):
    """The postings of all pairs in their order, without numbers."""
    entries = {}
    for p in postings:
        if p.kind == 'activity' and p.amount:
            entries.setdefault((p.basis, p.transaction_id, p.date.year, p.date.month), []).append(p)
    found = []
    for lines in entries.values():
        found += Entry(books, sorted(lines, key=lambda p: p.seq)).pairs()
    found.sort(key=lambda each: (KINDS.index(each[0]), each[1]))
    return [p for _, _, pair in found for p in pair]


class Entry:
    def __init__(self, books, lines):
        self.books, self.lines = books, lines
        self.moved = {}      # seq -> the account whose row it is taken from, of what counts as proceeds

    def kind(self, p):
        return self.books.account.get(p.account, {}).get('type')

    def is_asset(self, p):
        account = self.books.account.get(p.account, {})
        return account.get('classification') == 'Asset' and account.get('cashFlow') == 'Investing'

    def is_allowance(self, p):
        return self.kind(p) == 'AccumulatedDepreciation' and self.section(p) == 'Operating'

    def is_depreciation(self, p):
        return self.kind(p) == 'Depreciation'

    def is_cash(self, p):
        return self.books.is_cash(p.account) or p.account in self.books.overdrafts

    def section(self, p):
        """Where the line counts on the cash flow after rules 1 to 4."""
        if p.seq in self.moved:
            return 'Investing'
        if self.is_cash(p):
            return 'Cash'
        if self.books.is_result(p.account):
            return 'Operating'
        return self.books.account[p.account]['cashFlow'] or 'Operating'

    def pairs(self):
        self.disposals()
        shares = self.without_cash()
        out = []
        for p in self.lines:
            if p.seq in self.moved:
                out.append(('disposal', p.seq, pair(p, 'disposal', p.amount, self.moved[p.seq], PROCEEDS)))
            if shares.get(p.seq):
                account = PROCEEDS if p.seq in self.moved else p.account
                out.append(('without-cash', p.seq, pair(p, 'without-cash', shares[p.seq], account, WITHOUT_CASH)))
        return out

    # rules 1 to 4

    def disposals(self):
        lines = self.lines
        assets = [p for p in lines if self.is_asset(p)]
        allowances = [p for p in lines if self.is_allowance(p)]
        depreciation = [p for p in lines if self.is_depreciation(p)]
        credited = any(p.amount < 0 for p in assets)
        debited = any(p.amount > 0 for p in assets)
        s = sum(p.amount for p in allowances + depreciation)
        named = [p for p in lines if p.account in self.books.disposals]
        taken = sum(p.amount for p in allowances)
        if not named and ((credited and s > 0 and taken > 0) or (debited and s < 0 and taken < 0)):
            named = self.assumed()
        results = [p for p in lines if self.books.is_result(p.account)]
        disposes = s > 0 and (credited or bool(named))
        takes_back = s < 0 and (bool(named) or (debited and all(self.is_depreciation(p) for p in results)))
        if disposes or takes_back:
            for p in allowances:
                self.moved[p.seq] = p.account
            for p in depreciation:
                self.moved[p.seq] = allowances[0].account if allowances else p.account
        if disposes or takes_back or named:
            sign = 1 if s < 0 or (s == 0 and not credited) else -1
            for p in assets:
                if sign * p.amount > 0:
                    self.moved[p.seq] = p.account
        for p in named:
            self.moved[p.seq] = p.account

    def assumed(self):
        """Rule 4: the lines of the one account that is taken as the result of the disposal."""
        others = [p for p in self.lines if p.account in self.books.account and not (
            self.is_asset(p) or self.is_allowance(p) or self.is_depreciation(p) or self.is_cash(p)
            or self.kind(p) in BESIDE)]
        accounts = {p.account for p in others}
        if len(accounts) == 1 and self.books.is_result(others[0].account):
            return others
        return []

    # rules 5 and 6

    def without_cash(self):
        """seq -> what is taken out of the line's row."""
        shares = {}
        cash = [p.amount for p in self.lines if self.is_cash(p)]
        investing = [p for p in self.lines if self.section(p) == 'Investing']
        financing = [p for p in self.lines if self.section(p) == 'Financing']
        if not (any(a > 0 for a in cash) and any(a < 0 for a in cash)):
            cancel(investing, financing, shares, both=True)
        unclear = self.books.frame.get('dividendOrTax') or '9999-12'
        if not cash and self.lines[0].date.strftime('%Y-%m') < unclear:
            equity = [p for p in financing if self.books.account[p.account]['classification'] == 'Equity']
            operating = [p for p in self.lines if self.section(p) == 'Operating']
            cancel(equity, operating, shares, both=False)
        return shares


def cancel(side, other, shares, both):
    """What the two sides have against each other, taken out of the first, or out of both."""
    def left(p):
        return p.amount - shares.get(p.seq, 0)

    a, b = sum(left(p) for p in side), sum(left(p) for p in other)
    if a * b >= 0:
        return
    amount = min(abs(a), abs(b))
    for lines, total in ((side, a), (other, b))[:2 if both else 1]:
        mine = [p for p in lines if left(p) * total > 0]
        amounts = [abs(left(p)) for p in mine]
        for p, share in zip(mine, apportion(amounts, amount, sum(amounts))):
            shares[p.seq] = shares.get(p.seq, 0) + (share if total > 0 else -share)


def pair(p, kind, amount, account, onto):
    return [p._replace(seq=None, kind=kind, account=account, amount=-amount),
            p._replace(seq=None, kind=kind, account=onto, amount=amount)]
