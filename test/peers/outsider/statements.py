"""The three statements of the books, and how a statement is written."""
import calendar_ as cal
import filters as flt
import text
from figures import minus, plus, running

SLUG = {'ProfitAndLoss': 'profit-loss', 'BalanceSheet': 'balance-sheet', 'CashFlow': 'cash-flow'}
SIGN = {'Income': -1, 'CostOfSales': 1, 'Expense': 1, 'OtherIncome': -1, 'OtherExpense': 1,
        'Asset': 1, 'Liability': -1, 'Equity': -1}
# totals: name -> sections with their weights
PL_TOTALS = [
    ('TotalIncome', {'Income': 1}),
    ('TotalCostOfSales', {'CostOfSales': 1}),
    ('GrossProfit', {'Income': 1, 'CostOfSales': -1}),
    ('TotalExpense', {'Expense': 1}),
    ('OperatingIncome', {'Income': 1, 'CostOfSales': -1, 'Expense': -1}),
    ('TotalOtherIncome', {'OtherIncome': 1}),
    ('TotalOtherExpense', {'OtherExpense': 1}),
    ('NetIncome', {'Income': 1, 'CostOfSales': -1, 'Expense': -1, 'OtherIncome': 1, 'OtherExpense': -1}),
]
BS_TOTALS = [
    ('TotalAssets', {'Asset': 1}),
    ('TotalLiabilities', {'Liability': 1}),
    ('TotalEquity', {'Equity': 1}),
    ('TotalLiabilitiesAndEquity', {'Liability': 1, 'Equity': 1}),
]
CF_TOTALS = [
    ('NetCashFromOperating', {'Operating': 1}),
    ('NetCashFromInvesting', {'Investing': 1}),
    ('NetCashFromFinancing', {'Financing': 1}),
    ('NetChangeInCash', {'Operating': 1, 'Investing': 1, 'Financing': 1}),
]
TOTALS = {'ProfitAndLoss': PL_TOTALS, 'BalanceSheet': BS_TOTALS, 'CashFlow': CF_TOTALS}
SECTIONS = {'ProfitAndLoss': ['Income', 'CostOfSales', 'Expense', 'OtherIncome', 'OtherExpense'],
            'BalanceSheet': ['Asset', 'Liability', 'Equity'],
            'CashFlow': ['Operating', 'Investing', 'Financing']}
COMPUTED_ROWS = ['net-income', 'current-year-earnings', 'prior-years-not-closed', 'balancing']


class Statement:
    """rows: all that can be there, id -> (section, figures), also such as are zero throughout; totals: name -> figures."""

    def __init__(self, name, months):
        self.name, self.months = name, months
        self.rows, self.totals = {}, {}
        self.not_stated = None
        self.without_cash = []

    def figures(self, row):
        return self.rows[row][1] if row in self.rows else [0] * len(self.months)

    def add_up(self):
        """Totals of sections; null only where nothing is there to add up and nulls are about (budgets)."""
        for name, weights in TOTALS[self.name]:
            self.totals[name] = self.combined(weights)

    def combined(self, weights):
        total = [0] * len(self.months)
        for section, figures in self.rows.values():
            if section in weights:
                total = plus(total, [weights[section] * f for f in figures])
        return total


def of_books(books, cell):
    """Statements of one basis and filter."""
    return {s.name: s for s in (profit_and_loss(books, cell), balance_sheet(books, cell), cash_flow(books, cell))}


def profit_and_loss(books, cell):
    out = Statement('ProfitAndLoss', books.months)
    for account, figures in cell.activity.items():
        section = books.section(account)
        if books.is_result(account) and section:
            out.rows[account] = (section, [SIGN[section] * f for f in figures])
    out.add_up()
    return out


def balance_sheet(books, cell):
    out = Statement('BalanceSheet', books.months)
    zeros = [0] * len(books.months)
    everything, results = zeros, zeros
    for account in set(cell.opening) | set(cell.moves):
        balance = running(cell.opening.get(account, 0), cell.moves.get(account, zeros))
        everything = plus(everything, balance)
        if books.is_result(account):
            results = plus(results, balance)
        else:
            section = books.section(account)
            out.rows[account] = (section, [SIGN[section] * f for f in balance])
    out.rows['current-year-earnings'] = ('Equity', minus(cell.this_year))
    out.rows['prior-years-not-closed'] = ('Equity', plus(cell.this_year, minus(results)))
    out.rows['balancing'] = ('Equity', everything)
    out.add_up()
    return out


def cash_flow(books, cell):
    out = Statement('CashFlow', books.months)
    zeros = [0] * len(books.months)
    net_income, balancing, cash, opening = zeros, zeros, zeros, 0
    for account in cell.inside():
        activity, moved = cell.activity.get(account), cell.flow.get(account)
        if activity:
            balancing = plus(balancing, activity)
        if books.is_cash(account):
            cash = plus(cash, running(cell.opening.get(account, 0), cell.moves.get(account, zeros)))
            opening += cell.opening.get(account, 0)
        elif books.is_result(account):
            if activity:
                net_income = plus(net_income, minus(activity))
            if moved:
                out.rows[account] = ('Operating', minus(moved))
        elif activity or moved:
            out.rows[account] = (books.flow_section(account), minus(plus(activity or zeros, moved or zeros)))
    out.rows['net-income'] = ('Operating', net_income)
    out.rows['balancing'] = ('Operating', balancing)
    out.add_up()
    out.totals['BeginningCash'] = [opening] + cash[:-1]
    out.totals['EndingCash'] = cash
    out.without_cash = taken_out(books, cell)
    return out


def taken_out(books, cell):
    """(section, figures): what did not move cash, as it would have stood under investing and financing."""
    found = {section: [0] * len(books.months) for section in ('Investing', 'Financing')}
    for account, figures in cell.without.items():
        section = 'Operating' if books.is_result(account) else books.flow_section(account)
        if section in found:
            found[section] = plus(found[section], figures)
    return list(found.items())


def order(books, statement, row):
    """Sections, then accounts, then computed accounts, then computed rows."""
    section = statement.rows[row][0]
    at = SECTIONS[statement.name].index(section)
    computed = row in COMPUTED_ROWS and statement.name != 'ProfitAndLoss'
    return (at, 1, COMPUTED_ROWS.index(row)) if computed else (at, 0, books.position[row])


def written(books, statement, basis, source, budget, scope, periods=None):
    months = statement.months
    rows = []
    for row in sorted(statement.rows, key=lambda r: order(books, statement, r)):
        section, figures = statement.rows[row]
        if any(figures):
            number, name = books.label(row)
            rows.append({'AccountId': row, 'AccountNumber': number, 'AccountName': name, 'Section': section,
                         'Values': text.values(figures, books.places)})
    head = text.js({
        'CompanyId': books.frame['companyId'], 'Statement': statement.name, 'AccountingBasis': basis,
        'BasisSource': source, 'StartDate': cal.first_day(months[0]).isoformat(),
        'EndDate': cal.last_day(months[-1]).isoformat(), 'BudgetId': budget,
        'ClassId': flt.id_or_null(scope[0]), 'DepartmentId': flt.id_or_null(scope[1]), 'Currency': books.currency})
    parts = [head[:-1], '"Periods":' + text.lines(periods or cal.periods(months))]
    without = [{'Section': section, 'Values': text.values(figures, books.places)}
               for section, figures in statement.without_cash if any(figures)]
    if without:
        parts.append('"WithoutCash":' + text.lines(without))
    if statement.not_stated is not None:
        parts.append('"NotStated":' + text.lines(statement.not_stated))
    parts.append('"Data":' + text.lines(rows))
    parts.append('"Summary":' + text.lines([{'Name': n, 'Values': text.values(f, books.places)}
                                            for n, f in statement.totals.items()]))
    return ',\n'.join(parts) + '}\n'
