"""Statements of budgets: figures as given, and the cash flow that follows from their balance sheets."""
from books import days_in, next_month, periods
from statements import NAMES, SECTIONS, totals_of

COSTS = ("CostOfSales", "Expense", "OtherExpense")


class NotStated(Exception):
    """Why a month has no cash flow."""

    @property
    def reason(self):
        return self.args[0]


class Budget:
    """A budget inside two filters; None where no figure lies inside them."""

    def __init__(self, books, budget, figures):
        self.books = books
        self.budget = budget
        self.figures = figures
        self.periods = periods(budget["startMonth"], budget["endMonth"])
        self.months = [period.month for period in self.periods]
        self.balances = {}
        self.results = {}
        for figure in figures:
            classification = books.classification(figure.account)
            if books.is_result(figure.account):
                sign = -1 if classification in COSTS else 1
                self.results[figure.month] = self.results.get(figure.month, 0) + sign * figure.amount
            else:
                of = self.balances.setdefault(figure.month, {})
                of[figure.account] = of.get(figure.account, 0) + figure.amount
        found = {account for of in self.balances.values() for account in of}
        self.accounts = sorted(found, key=books.order.get)

    def plain(self, statement):
        """Profit and loss or balance sheet: rows and totals."""
        rows = {}
        for figure in self.figures:
            if self.books.is_result(figure.account) != (statement == "ProfitAndLoss"):
                continue
            of = rows.setdefault(figure.account, [None] * len(self.months))
            at = self.months.index(figure.month)
            of[at] = (of[at] or 0) + figure.amount
        ordered = [
            self.row(account, self.books.classification(account), rows[account])
            for account in sorted(rows, key=self.books.order.get)
        ]
        return in_sections(statement, ordered), totals_of(statement, ordered, [None] * len(self.months))

    def row(self, account, section, figures):
        known = self.books.accounts[account]
        return account, known["number"], known["name"], section, figures

    def sides(self, month):
        """Assets, and liabilities and equity, of a month's balance sheet."""
        if month not in self.balances:
            raise NotStated("NoBalanceSheet")
        equity = self.budget.get("equity")
        if equity is None:
            raise NotStated("EquityNotStated")
        of = self.balances[month]
        if len(of) < len(self.accounts):
            raise NotStated("Incomplete")
        assets = sum(amount for account, amount in of.items() if self.is_asset(account))
        claims = sum(of.values()) - assets
        if equity == "without-result":
            claims += self.result(first_of_year(self.books, month), month)
        return assets, claims

    def balanced(self, month):
        assets, claims = self.sides(month)
        if assets != claims:
            raise NotStated("DoesNotBalance")
        return assets, claims

    def is_asset(self, account):
        return self.books.classification(account) == "Asset"

    def result(self, first, last):
        total = 0
        while first <= last:
            if first not in self.results:
                raise NotStated("NoProfitAndLoss")
            total += self.results[first]
            first = next_month(first)
        return total

    def month(self, month):
        """Of one month: figures by account, net income, beginning and ending cash."""
        self.balanced(month)
        before = next_month(month, -1)
        if before not in self.balances:
            raise NotStated("NoMonthBefore")
        self.balanced(before)
        net_income = self.result(month, month)
        cash = [account for account in self.accounts if self.books.is_cash(account)]
        if not cash:
            raise NotStated("NoCashAccount")
        moved = 0
        if self.budget["equity"] == "with-result":
            moved = net_income
        elif first_of_year(self.books, month) == month:
            moved = self.result(first_of_year(self.books, before), before)
        holder = self.budget.get("resultAccount")
        if moved != 0 and holder not in self.accounts:
            raise NotStated("ResultAccountUnclear")
        rows = {}
        for account in self.accounts:
            if account in cash:
                continue
            change = self.balances[month][account] - self.balances[before][account]
            rows[account] = (-change if self.is_asset(account) else change) - (moved if account == holder else 0)

        def held(month):
            of = self.balances[month]
            return sum(of[account] if self.is_asset(account) else -of[account] for account in cash)

        return rows, net_income, held(before), held(month)

    def cash_flow(self):
        """Rows, totals, and the months that are not stated with their reasons."""
        stated, not_stated = {}, []
        for month in self.months:
            try:
                stated[month] = self.month(month)
            except NotStated as obstacle:
                not_stated.append((month, obstacle.reason))

        def over(figure):
            return [figure(stated[month]) if month in stated else None for month in self.months]

        rows = []
        if stated:
            for account in self.accounts:
                if not self.books.is_cash(account):
                    section = self.books.accounts[account]["cashFlow"] or "Operating"
                    rows.append(self.row(account, section, over(lambda of: of[0][account])))
            rows.append(("net-income", "", NAMES["net-income"], "Operating", over(lambda of: of[1])))
        totals = totals_of("CashFlow", rows, over(lambda of: 0))
        totals |= {"BeginningCash": over(lambda of: of[2]), "EndingCash": over(lambda of: of[3])}
        return in_sections("CashFlow", rows), totals, not_stated


def in_sections(statement, rows):
    order = list(SECTIONS[statement])
    return sorted(rows, key=lambda row: order.index(row[3]))


def first_of_year(books, month):
    """The month that the fiscal year of a budget's month begins with."""
    for year in books.years:
        first, last = months_of(books, year)
        if first <= month <= last:
            return first
    number = int(month[5:7])
    return next_month(month, -((number - 1 - books.frame["fiscalMonthEnd"]) % 12))


def months_of(books, year):
    first, last = year["start"][:7], year["end"][:7]
    if first == last:
        return first, last
    ends_inside = int(year["end"][8:]) != days_in(last)

    def is_left(month, days):
        shared = ends_inside or any(
            other is not year and other["start"][:7] <= month <= other["end"][:7] for other in books.years
        )
        return shared and 2 * days < days_in(month)

    days_first = days_in(first) - int(year["start"][8:]) + 1
    days_last = int(year["end"][8:])
    return (
        next_month(first) if is_left(first, days_first) else first,
        next_month(last, -1) if is_left(last, days_last) else last,
    )


def budgets_inside(books):
    """(budget id, class, department) -> Budget, for every combination with a figure."""
    found = {}
    for budget in books.frame["budgets"]:
        own = [figure for figure in books.budget_figures if figure.budget == budget["id"]]
        for klass in books.classes.filters():
            of_class = [figure for figure in own if books.classes.inside(klass, figure.klass)]
            for department in books.departments.filters():
                inside = [figure for figure in of_class if books.departments.inside(department, figure.department)]
                if inside:
                    found[budget["id"], klass, department] = Budget(books, budget, inside)
    return found
