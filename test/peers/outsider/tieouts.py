"""tie-outs.json, and its sum in the manifest."""
import filters as flt
import text
from books import FLOW_ACCOUNTS
from figures import plus
from statements import SIGN, TOTALS

KEY = ('Identity', 'Statement', 'Basis', 'BudgetId', 'ClassId', 'DepartmentId')
WHOLE = (flt.ALL, flt.ALL)
SAME_NAME = 'change in cash is the same on both bases'


def less(a, b):
    return [x - y for x, y in zip(a, b)]


def movement(opening, figures):
    return less(figures, [opening] + figures[:-1])


def no_nulls(figures):
    return [f or 0 for f in figures]


class TieOuts:
    def __init__(self, books, filters, actuals, planned):
        self.books, self.filters = books, filters
        self.actuals, self.planned = actuals, planned
        self.entries = []
        for (basis, scope), (cell, made) in actuals.items():
            self.of_books(basis, scope, cell, made)
        if books.sources.get('CASH') == 'Derived':
            self.both_bases()
        for (budget, scope), made in planned.items():
            self.of_budget(budget, scope, made)

    def tell(self, identity, statement, basis, budget, scope, pairs):
        """pairs: (left, right), each a figure per month."""
        pairs = [p for p in pairs if p[0]]
        if not pairs:
            return
        difference = max(abs(x - y) for left, right in pairs for x, y in zip(left, right))
        written = [text.money(n, self.books.places) for n in
                   (sum(p[0][-1] for p in pairs), sum(p[1][-1] for p in pairs), difference)]
        self.entries.append({
            'Identity': identity, 'Statement': statement, 'Basis': basis, 'BudgetId': budget,
            'ClassId': flt.id_or_null(scope[0]), 'DepartmentId': flt.id_or_null(scope[1]),
            'Checks': sum(len(p[0]) for p in pairs), 'Left': written[0], 'Right': written[1],
            'Difference': written[2], 'Result': 'fail' if difference else 'pass'})

    def of_books(self, basis, scope, cell, made):
        books = self.books
        zeros = [0] * len(books.months)
        pl, bs, cf = made['ProfitAndLoss'], made['BalanceSheet'], made['CashFlow']

        def tell(identity, statement, pairs):
            self.tell(identity, statement, basis, None, scope, pairs)

        inside = sorted(cell.inside())
        results = [a for a in inside if books.is_result(a)]
        balances = [a for a in inside if not books.is_result(a) and a not in FLOW_ACCOUNTS]

        def opening(account):
            return cell.opening.get(account, 0)

        tell('assets = liabilities + equity', 'BalanceSheet',
             [(bs.totals['TotalAssets'], bs.totals['TotalLiabilitiesAndEquity'])])
        earnings = plus(bs.figures('current-year-earnings'), bs.figures('prior-years-not-closed'))
        tell('net income = movement of earnings + closed', 'ProfitAndLoss',
             [(pl.totals['NetIncome'],
               plus(movement(-sum(opening(a) for a in results), earnings), cell.closing))])
        tell('balance − previous balance = movement', 'BalanceSheet',
             [(movement(SIGN[books.section(a)] * opening(a), bs.figures(a)),
               [SIGN[books.section(a)] * f for f in cell.moves.get(a, zeros)]) for a in balances])
        tell('operating + investing + financing = change in cash', 'CashFlow',
             [(cf.totals['NetChangeInCash'], less(cf.totals['EndingCash'], cf.totals['BeginningCash']))])
        cash = zeros
        for a in balances:
            if books.is_cash(a):
                cash = plus(cash, [SIGN[books.section(a)] * f for f in bs.figures(a)])
        tell('ending cash = cash on the balance sheet', 'CashFlow', [(cf.totals['EndingCash'], cash)])
        self.rows_add_up(basis, None, scope, made)
        if scope != WHOLE:
            return

        everything = zeros
        for a in inside:
            everything = plus(everything, cell.moves.get(a, zeros))
        everything[0] += sum(cell.opening.values())
        tell('trial balance sums to zero', 'TrialBalance', [(everything, zeros)])
        for name in TOTALS:
            self.sums(name, basis, None, made, lambda s: self.actuals.get((basis, s), (None, None))[1])

        def signed(account, statement, table):
            sign = -1 if statement == 'CashFlow' else SIGN.get(books.section(account), 1)
            return [sign * f for f in table]

        tell('every account is there, as posted', 'ProfitAndLoss',
             [(pl.figures(a), signed(a, '', cell.activity.get(a, zeros))) for a in results])
        tell('every account is there, as posted', 'BalanceSheet',
             [(bs.figures(a), signed(a, '', self.running(opening(a), cell.moves.get(a, zeros)))) for a in balances])
        pairs = []
        for a in inside:
            if not books.is_cash(a):
                posted = cell.flow.get(a, zeros)
                if not books.is_result(a):
                    posted = plus(posted, cell.activity.get(a, zeros))
                pairs.append((cf.figures(a), signed(a, 'CashFlow', posted)))
        tell('every account is there, as posted', 'CashFlow', pairs)
        tell('months add up to the range', 'ProfitAndLoss',
             [([sum(pl.figures(a))], signed(a, '', [sum(cell.activity.get(a, zeros))])) for a in results])
        tell('balance = opening + all postings', 'BalanceSheet',
             [([bs.figures(a)[-1]], signed(a, '', [opening(a) + sum(cell.moves.get(a, zeros))])) for a in balances])

    @staticmethod
    def running(first, figures):
        out = []
        for f in figures:
            first += f
            out.append(first)
        return out

    def rows_add_up(self, basis, budget, scope, made):
        for name, statement in made.items():
            pairs = []
            for total, weights in TOTALS[name]:
                added = [0] * len(statement.months)
                for section, figures in statement.rows.values():
                    if section in weights:
                        added = plus(added, [weights[section] * f for f in no_nulls(figures)])
                pairs.append((added, no_nulls(statement.totals[total])))
            self.tell('rows add up to the totals', name, basis, budget, scope, pairs)

    def sums(self, name, basis, budget, made, of_scope):
        """sum over classes (departments) = unfiltered; of_scope: statements of a filter, or None."""
        rows = [r for r in made[name].rows]
        for what, dimension, at in (('classes', self.filters.classes, 0), ('departments', self.filters.departments, 1)):
            parts = []
            for member in dimension.roots + [flt.UNASSIGNED]:
                scope = (member, flt.ALL) if at == 0 else (flt.ALL, member)
                statements = of_scope(scope)
                if statements:
                    parts.append(statements[name])
            if not parts:
                continue
            pairs = []
            for row in rows:
                added = [0] * len(made[name].months)
                for part in parts:
                    added = plus(added, no_nulls(part.figures(row)))
                pairs.append((added, no_nulls(made[name].figures(row))))
            self.tell('sum over %s = unfiltered' % what, name, basis, budget, WHOLE, pairs)

    def both_bases(self):
        zeros = [0] * len(self.books.months)
        for scope in self.filters.all:
            sides = [self.actuals[b, scope][1]['CashFlow'].totals['NetChangeInCash'] if (b, scope) in self.actuals
                     else None for b in ('CASH', 'ACCRUAL')]
            if sides != [None, None]:
                self.tell(SAME_NAME, 'CashFlow', 'CASH', None, scope, [(sides[0] or zeros, sides[1] or zeros)])

    def of_budget(self, budget, scope, made):
        self.rows_add_up('BUDGET', budget, scope, made)
        if scope == WHOLE:
            for name in ('ProfitAndLoss', 'BalanceSheet'):
                self.sums(name, 'BUDGET', budget, made, lambda s: self.planned.get((budget, s)))
        flow = made['CashFlow'].flow
        months = flow.balances()
        if months:
            sides = [flow.sides(m) for m in months]
            self.tell('assets = liabilities + equity', 'BalanceSheet', 'BUDGET', budget, scope,
                      [([s[0] for s in sides], [s[1] for s in sides])])
        told = [i for i, reason in enumerate(flow.reasons) if not reason]
        totals = made['CashFlow'].totals
        self.tell('operating + investing + financing = change in cash', 'CashFlow', 'BUDGET', budget, scope,
                  [([totals['NetChangeInCash'][i] for i in told],
                    [totals['EndingCash'][i] - totals['BeginningCash'][i] for i in told])])

    def document(self):
        return '{"Data":' + text.lines(self.entries) + '}\n'

    def in_sum(self):
        """As the manifest has them: by identity, statement and basis."""
        groups = {}
        for e in self.entries:
            groups.setdefault((e['Identity'], e['Statement'], e['Basis']), []).append(e)
        order = {b: i for i, b in enumerate(self.books.budgets)}
        out = []
        for (identity, statement, basis), entries in groups.items():
            whole = [e for e in entries if e['ClassId'] is None and e['DepartmentId'] is None]
            whole.sort(key=lambda e: order.get(e['BudgetId'], -1))
            none = text.money(0, self.books.places)
            out.append({
                'Identity': identity, 'Statement': statement, 'Basis': basis, 'Scopes': len(entries),
                'Checks': sum(e['Checks'] for e in entries),
                'Left': whole[-1]['Left'] if whole else none, 'Right': whole[-1]['Right'] if whole else none,
                'LargestDifference': max((e['Difference'] for e in entries), key=lambda d: (len(d), d)),
                'Result': 'pass' if all(e['Result'] == 'pass' for e in entries) else 'fail'})
        return out
