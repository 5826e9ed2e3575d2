"""Profit and loss, balance sheet and cash flow of actuals, from the postings inside two filters."""
from itertools import accumulate

from books import COMPUTED_ACCOUNTS

SECTIONS = {
    "ProfitAndLoss": {"Income": -1, "CostOfSales": 1, "Expense": 1, "OtherIncome": -1, "OtherExpense": 1},
    "BalanceSheet": {"Asset": 1, "Liability": -1, "Equity": -1},
    "CashFlow": {"Operating": -1, "Investing": -1, "Financing": -1},
}
TOTALS = {
    "ProfitAndLoss": {
        "TotalIncome": {"Income": 1},
        "TotalCostOfSales": {"CostOfSales": 1},
        "GrossProfit": {"Income": 1, "CostOfSales": -1},
        "TotalExpense": {"Expense": 1},
        "OperatingIncome": {"Income": 1, "CostOfSales": -1, "Expense": -1},
        "TotalOtherIncome": {"OtherIncome": 1},
        "TotalOtherExpense": {"OtherExpense": 1},
        "NetIncome": {"Income": 1, "CostOfSales": -1, "Expense": -1, "OtherIncome": 1, "OtherExpense": -1},
    },
    "BalanceSheet": {
        "TotalAssets": {"Asset": 1},
        "TotalLiabilities": {"Liability": 1},
        "TotalEquity": {"Equity": 1},
        "TotalLiabilitiesAndEquity": {"Liability": 1, "Equity": 1},
    },
    "CashFlow": {
        "NetCashFromOperating": {"Operating": 1},
        "NetCashFromInvesting": {"Investing": 1},
        "NetCashFromFinancing": {"Financing": 1},
        "NetChangeInCash": {"Operating": 1, "Investing": 1, "Financing": 1},
    },
}
NAMES = {
    "net-income": "Net income",
    "current-year-earnings": "Current-year earnings",
    "prior-years-not-closed": "Prior years not closed",
    "balancing": "Balancing (other slices)",
    "unapplied-receipts": "Unapplied receipts",
    "opening-receivables-collected": "Opening receivables collected",
    "unapplied-payments": "Unapplied payments",
    "opening-payables-paid": "Opening payables paid",
}
# What is kept of the postings inside the filters: series of one figure per month, debit positive.
ACTIVITY, ALL, GROSS_UP, CLOSING, OF_YEAR, EARLY, OPENING, CURRENT = range(8)


def series_of_leaves(books, basis):
    """By class and department: (series, account) -> one figure per month. Openings are series of one figure."""
    starts = [books.year_start(period.end) for period in books.periods]
    leaves = {}

    def add(at, key, month, amount, width=len(books.periods)):
        leaf = leaves.setdefault(at, {})
        if key not in leaf:
            leaf[key] = [0] * width
        leaf[key][month] += amount

    for posting in books.postings:
        if posting.basis != basis.lower():
            continue
        at, account, kind, amount = (posting.klass, posting.department), posting.account, posting.kind, posting.amount
        month = books.place(posting.date)
        if kind == "gross-up":
            add(at, (GROSS_UP, account), month, amount)
            continue
        add(at, (ALL, account), month, amount)
        if kind == "activity":
            add(at, (ACTIVITY, account), month, amount)
        if not books.is_result(account):
            continue
        if kind.startswith("closing"):
            add(at, (CLOSING, account), month, amount)
        if kind != "closing-prior":
            add(at, (OF_YEAR, account), month, amount)
            # Of the year before the one that the month ends in.
            if posting.date < starts[month]:
                add(at, (EARLY, account), month, amount)
    for opening in books.openings:
        if opening.basis != basis.lower():
            continue
        at = (opening.klass, opening.department)
        add(at, (OPENING, opening.account), 0, opening.amount, 1)
        if opening.current:
            add(at, (CURRENT, opening.account), 0, opening.amount, 1)
    return leaves


def added(parts):
    total = {}
    for part in parts:
        for key, figures in part.items():
            known = total.get(key)
            total[key] = figures if known is None else [a + b for a, b in zip(known, figures)]
    return total


def combinations(books, basis):
    """(class, department) -> Slice, for every combination of filters with anything inside."""
    leaves = series_of_leaves(books, basis)
    found = {}
    for klass in books.classes.filters():
        by_department = {}
        for (tag, department), leaf in leaves.items():
            if books.classes.inside(klass, tag):
                by_department.setdefault(department, []).append(leaf)
        by_department = {department: added(parts) for department, parts in by_department.items()}
        for department in books.departments.filters():
            parts = [leaf for tag, leaf in by_department.items() if books.departments.inside(department, tag)]
            if parts:
                found[klass, department] = Slice(books, added(parts))
    return found


def totals_of(statement, rows, nothing):
    """Sums of sections; `nothing` is what a section without rows has: 0 or None by month. None adds nothing."""

    def plus(a, b):
        return a if b is None else b if a is None else a + b

    sums = {section: list(nothing) for section in SECTIONS[statement]}
    for row in rows:
        sums[row[3]] = [plus(a, b) for a, b in zip(sums[row[3]], row[4])]
    totals = {}
    for name, parts in TOTALS[statement].items():
        figures = list(nothing)
        for section, factor in parts.items():
            figures = [plus(a, None if b is None else factor * b) for a, b in zip(figures, sums[section])]
        totals[name] = figures
    return totals


class Slice:
    """What lies inside a class and a department filter, and its statements: rows and totals by statement."""

    def __init__(self, books, series):
        self.books = books
        self.series = series
        self.zeros = [0] * len(books.periods)
        self.accounts = sorted({account for _, account in series}, key=books.order.get)
        self.rows = {}
        self.totals = {}
        for statement, compose in (
            ("ProfitAndLoss", self.profit_and_loss),
            ("BalanceSheet", self.balance_sheet),
            ("CashFlow", self.cash_flow),
        ):
            sections = list(SECTIONS[statement])
            self.rows[statement] = sorted(compose(), key=lambda row: sections.index(row[3]))
            self.totals[statement] = totals_of(statement, self.rows[statement], self.zeros)
        self.totals["CashFlow"] |= self.cash()

    def has(self, what, account):
        return (what, account) in self.series

    def of(self, what, account):
        return self.series.get((what, account), self.zeros)

    def opening(self, account, what=OPENING):
        return self.series.get((what, account), [0])[0]

    def sum(self, what, which=lambda account: True):
        total = self.zeros
        for account in self.accounts:
            if self.has(what, account) and which(account):
                total = [a + b for a, b in zip(total, self.of(what, account))]
        return total

    def openings(self, which=lambda account: True, what=OPENING):
        return sum(self.opening(account, what) for account in self.accounts if which(account))

    def row(self, account, section, figures, sign):
        known = self.books.accounts.get(account)
        number, name = (known["number"], known["name"]) if known else ("", NAMES[account])
        return account, number, name, section, [sign * figure for figure in figures]

    def profit_and_loss(self):
        for account in self.accounts:
            if not self.books.is_result(account) or not self.has(ACTIVITY, account):
                continue
            section = COMPUTED_ACCOUNTS.get(account) or self.books.classification(account)
            sign = SECTIONS["ProfitAndLoss"][section]
            yield self.row(account, section, self.of(ACTIVITY, account), sign)

    def balance(self, account):
        return balances(self.of(ALL, account), self.opening(account))

    def balance_sheet(self):
        books = self.books
        for account in self.accounts:
            if books.is_result(account):
                continue
            section = books.classification(account)
            yield self.row(account, section, self.balance(account), SECTIONS["BalanceSheet"][section])
        everything = balances(self.sum(ALL, books.is_result), self.openings(books.is_result))
        current = self.current_year()
        yield self.row("current-year-earnings", "Equity", current, -1)
        yield self.row("prior-years-not-closed", "Equity", [e - c for e, c in zip(everything, current)], -1)
        yield self.row("balancing", "Equity", balances(self.sum(ALL), self.openings()), 1)

    def current_year(self):
        """Debit positive: what each month's fiscal year has earned by its end."""
        of_year, early = self.sum(OF_YEAR), self.sum(EARLY)
        figures = []
        for i, period in enumerate(self.books.periods):
            start = self.books.year_start(period.end)
            first = self.books.place(start)
            earned = sum(of_year[first : i + 1]) - early[first]
            is_first = start == self.books.years[0]["start"]
            figures.append(earned + (self.openings(what=CURRENT) if is_first else 0))
        return figures

    def cash_flow(self):
        books = self.books
        rows = []
        for account in self.accounts:
            is_result = books.is_result(account)
            shown = [GROSS_UP] if is_result else [ACTIVITY, GROSS_UP]
            if books.is_cash(account) or not any(self.has(what, account) for what in shown):
                continue
            section = "Operating" if is_result else books.accounts[account]["cashFlow"] or "Operating"
            figures = [sum(each) for each in zip(*(self.of(what, account) for what in shown))]
            rows.append(self.row(account, section, figures, -1))
        yield from rows
        yield self.row("net-income", "Operating", self.sum(ACTIVITY, books.is_result), -1)
        yield self.row("balancing", "Operating", self.sum(ACTIVITY), 1)

    def cash(self):
        opening = self.openings(self.books.is_cash)
        ending = balances(self.sum(ALL, self.books.is_cash), opening)
        return {"BeginningCash": [opening, *ending[:-1]], "EndingCash": ending}


def balances(movements, opening):
    return [opening + moved for moved in accumulate(movements)]
