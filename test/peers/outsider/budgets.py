"""Statements of budgets. Amounts have the sign of their section; None is a month without a figure."""
import calendar_ as cal
from statements import SECTIONS, TOTALS, Statement

WEIGHT = dict(TOTALS['ProfitAndLoss'][-1][1])   # of sections in net income


class BudgetStatement(Statement):
    """Its totals are null where nothing is there."""

    def figures(self, row):
        return self.rows[row][1] if row in self.rows else [None] * len(self.months)

    def combined(self, weights):
        total = [None] * len(self.months)
        for section, figures in self.rows.values():
            if section in weights:
                total = [t if f is None else (t or 0) + weights[section] * f for t, f in zip(total, figures)]
        return total


def months_of(budget):
    return list(range(cal.month_from(budget['startMonth']), cal.month_from(budget['endMonth']) + 1))


def inside(books, filters, budget_id, scope):
    """account -> figures, of one budget and filter."""
    months = months_of(books.budgets[budget_id])
    table = {}
    for row in books.budget_rows:
        if row.budget == budget_id and filters.inside(scope, row.class_, row.department):
            at = cal.month_from(row.month) - months[0]
            figures = table.setdefault(row.account, [None] * len(months))
            figures[at] = (figures[at] or 0) + row.amount
    return table


def statements(books, filters, budget_id, scope):
    """None where no figure lies inside."""
    table = inside(books, filters, budget_id, scope)
    if not table:
        return None
    months = months_of(books.budgets[budget_id])
    out = {}
    for name in ('ProfitAndLoss', 'BalanceSheet'):
        statement = BudgetStatement(name, months)
        for account, figures in table.items():
            section = books.section(account)
            if section in SECTIONS[name]:
                statement.rows[account] = (section, figures)
        statement.add_up()
        out[name] = statement
    out['CashFlow'] = BudgetCashFlow(books, books.budgets[budget_id], table, months).statement
    return out


class FiscalYears:
    """The fiscal years of budgets, made of whole months."""

    def __init__(self, books):
        self.end = books.frame['fiscalMonthEnd']
        self.starts = [cal.month_of(cal.day(start + '-01')) for start in books.frame.get('budgetYears', [])]
        self.years = []
        for start, end in books.years:
            others = [y for y in books.years if y != (start, end)]
            first, last = cal.month_of(start), cal.month_of(end)
            month_end = end == cal.last_day(cal.month_of(end))

            def left(month, days):
                length = cal.last_day(month).day
                shared = any(cal.month_of(s) <= month <= cal.month_of(e) for s, e in others)
                return 2 * days < length and (not month_end or shared)

            if first != last:
                leave_first = left(first, cal.last_day(first).day - start.day + 1)
                leave_last = left(last, end.day)
                first, last = first + leave_first, last - leave_last
            self.years.append((first, last))

    def of(self, month):
        """First and last month of the year of a month."""
        before = [start for start in self.starts if start <= month]
        if before:
            after = [start for start in self.starts if start > month]
            return before[-1], (after[0] if after else before[-1] + 12) - 1
        for first, last in self.years:
            if first <= month <= last:
                return first, last
        last = month + (self.end - 1 - month) % 12
        return last - 11, last


class BudgetCashFlow:
    def __init__(self, books, budget, table, months):
        self.books, self.budget, self.months = books, budget, months
        self.at = {m: i for i, m in enumerate(months)}
        self.years = FiscalYears(books)
        self.results = {a: f for a, f in table.items() if books.is_result(a)}
        self.accounts = {a: f for a, f in table.items() if not books.is_result(a)}
        self.result_account = budget.get('resultAccount')
        self.without = budget.get('equity') == 'without-result'

        out = self.statement = BudgetStatement('CashFlow', months)
        out.flow = self
        self.reasons = [self.reason(m) for m in months]
        out.not_stated = [{'Month': cal.month_name(m), 'Reason': r} for m, r in zip(months, self.reasons) if r]
        for account in self.accounts:
            if not books.is_cash(account):
                section = books.account[account]['cashFlow'] or 'Operating'
                out.rows[account] = (section, [None if r else self.moved(account, m)
                                               for m, r in zip(months, self.reasons)])
        out.rows['net-income'] = ('Operating', [None if r else self.net_income([m])
                                                for m, r in zip(months, self.reasons)])
        out.add_up()
        for name, figures in out.totals.items():
            out.totals[name] = [None if r else f or 0 for f, r in zip(figures, self.reasons)]
        out.totals['BeginningCash'] = [None if r else self.cash(m - 1) for m, r in zip(months, self.reasons)]
        out.totals['EndingCash'] = [None if r else self.cash(m) for m, r in zip(months, self.reasons)]

    def value(self, table, account, month):
        return table[account][self.at[month]] if month in self.at else None

    def has(self, table, month):
        return any(self.value(table, a, month) is not None for a in table)

    def no_result(self, months):
        return any(not self.has(self.results, m) for m in months)

    def net_income(self, months):
        return sum(WEIGHT[self.books.section(a)] * (self.value(self.results, a, m) or 0)
                   for a in self.results for m in months)

    def year_to(self, month):
        return list(range(self.years.of(month)[0], month + 1))

    def year_before(self, month):
        """Months of the year that ended before, where a fiscal year begins with the month."""
        if self.years.of(month)[0] != month:
            return None
        first, last = self.years.of(month - 1)
        return list(range(first, last + 1))

    def first_five(self, month, nothing):
        if not self.has(self.accounts, month):
            return nothing
        if not self.budget.get('equity'):
            return 'EquityNotStated'
        if any(self.value(self.accounts, a, month) is None for a in self.accounts):
            return 'Incomplete'
        if self.without and self.no_result(self.year_to(month)):
            return 'NoProfitAndLoss'
        if self.difference(month):
            return 'DoesNotBalance'
        return None

    def sides(self, month):
        """Assets; liabilities and equity, with the net income that without-result adds."""
        assets = others = 0
        for account in self.accounts:
            if self.books.section(account) == 'Asset':
                assets += self.value(self.accounts, account, month)
            else:
                others += self.value(self.accounts, account, month)
        if self.without:
            others += self.net_income(self.year_to(month))
        return assets, others

    def difference(self, month):
        assets, others = self.sides(month)
        return assets - others

    def reason(self, month):
        found = self.first_five(month, 'NoBalanceSheet') or self.first_five(month - 1, 'NoMonthBefore')
        if found:
            return found
        if not self.has(self.results, month):
            return 'NoProfitAndLoss'
        if not any(self.books.is_cash(a) for a in self.accounts):
            return 'NoCashAccount'
        if self.without and self.year_before(month) and self.no_result(self.year_before(month)):
            return 'NoProfitAndLoss'
        if self.put_into_equity(month) and (
                self.result_account not in self.accounts or self.books.is_cash(self.result_account)):
            return 'ResultAccountUnclear'
        return None

    def put_into_equity(self, month):
        """What equity moves by only because a result is put into it."""
        if not self.without:
            return self.net_income([month])
        before = self.year_before(month)
        return self.net_income(before) if before else 0

    def moved(self, account, month):
        by = self.value(self.accounts, account, month) - self.value(self.accounts, account, month - 1)
        if self.books.section(account) == 'Asset':
            by = -by
        return by - self.put_into_equity(month) if account == self.result_account else by

    def cash(self, month):
        return sum((1 if self.books.section(a) == 'Asset' else -1) * self.value(self.accounts, a, month)
                   for a in self.accounts if self.books.is_cash(a))

    def balances(self):
        """Months with a balance sheet figure, where every one of them passes 1 to 5; else None."""
        months = [m for m in self.months if self.has(self.accounts, m)]
        if any(self.first_five(m, None) for m in months):
            return None
        return months
