"""What the books of each member of a group are in the currency of the group, by IAS 21, in exact fractions.

Reads a group as JSON from standard input and writes figures in minor units of the group as JSON: by member, statement and row, one for
each month. It shares nothing with the program but the rules: products are rounded half away from zero for each account of a member and
month, or for each balance, and the translation difference is what makes the books balance. That it is also what the formula of its parts
gives, but for rounding, is asserted.
"""
import collections
import json
import math
import sys
from fractions import Fraction

DEBIT = ('Asset', 'CostOfSales', 'Expense', 'OtherExpense')
RESULTS = ('Income', 'CostOfSales', 'Expense', 'OtherIncome', 'OtherExpense')


def rounded(value):
    return int(math.copysign(math.floor(abs(value) + Fraction(1, 2)), value)) if value else 0


def translated(member, group):
    months = group['months']
    kinds = group['kinds']

    def rate(text):
        value = 1 / Fraction(text) if group['inverse'] else Fraction(text)
        return value * Fraction(10) ** (group['decimals'] - member['decimals'])

    same = member['currency'] == group['currency']
    rates = {} if same else {month: (a and rate(a), rate(c)) for month, (a, c) in group['rates'][member['currency']].items()}
    average = {month: Fraction(1) if same else rates[month][0] for month in months}
    closing = {month: Fraction(1) if same else rates[month][1] for month in [group['before'], *months]}
    days = {} if same else {(h['date'], h['account']): rate(h['rate']) for h in group['historical'] if h['member'] == member['id']}

    def ofday(day, account, other):
        return days.get((day, account), days.get((day, ''), other))

    def place(account):
        return member['map'].get(account, account)

    opening = collections.Counter()
    moved = collections.defaultdict(collections.Counter)     # month → (account, rate) → minor units
    for day, account, minor in member['lines']:
        month, kind = day[:7], kinds[place(account)]
        if month < months[0]:
            opening[account] += minor
        elif month <= months[-1]:
            at = ofday(day, account, average[month]) if kind == 'Equity' else average[month]
            moved[month][account, at] += minor

    balances = collections.Counter()    # of accounts of the group, debit positive, without assets and liabilities
    prior, current, difference, formula = 0, 0, 0, Fraction(0)
    standing = collections.Counter(opening)
    stated = collections.Counter()
    c0 = closing[group['before']]
    roundings = 0
    for account, minor in opening.items():
        kind = kinds[place(account)]
        at = ofday(group['openingDay'], account, c0) if kind == 'Equity' else c0
        value = rounded(minor * at)
        roundings += 1
        formula += minor * (c0 - at) * -1 if kind == 'Equity' else 0
        if kind in RESULTS:
            prior += value
        elif kind == 'Equity':
            balances[place(account)] += value
    rows = collections.defaultdict(lambda: [0] * len(months))
    results = collections.defaultdict(lambda: [0] * len(months))
    for i, month in enumerate(months):
        before = closing[months[i - 1] if i else group['before']]
        net = sum(minor for account, minor in standing.items() if kinds[place(account)] in ('Asset', 'Liability'))
        formula += net * (closing[month] - before)
        by_account = collections.Counter()
        for (account, at), minor in moved[month].items():
            kind = kinds[place(account)]
            standing[account] += minor
            if kind in RESULTS or kind == 'Equity':
                formula -= minor * (closing[month] - at)
                value = rounded(minor * at)
                roundings += 1
                by_account[account] += value
                if kind in RESULTS:
                    current += value
                    results[place(account)][i] += value
                else:
                    balances[place(account)] += value
        now = collections.Counter(balances)
        for account, minor in standing.items():
            if kinds[place(account)] in ('Asset', 'Liability'):
                now[place(account)] += rounded(minor * closing[month])
                roundings += 1
        difference = -(sum(now.values()) + prior + current)
        assert abs(-difference - formula) * 2 <= roundings, (member['id'], month, difference, float(formula))
        for account, value in now.items():
            rows[account][i] = value
        rows['prior-years-not-closed'][i] = prior
        rows['current-year-earnings'][i] = current
        rows['translation-difference'][i] = difference

    def natural(table, kind_of):
        signed = {row: [v if kind_of(row) in DEBIT else -v for v in values] for row, values in table.items()}
        return {row: values for row, values in signed.items() if any(values)}

    return {
        'ProfitAndLoss': natural(results, kinds.get),
        'BalanceSheet': natural(rows, lambda row: kinds.get(row, 'Equity')),
    }


group = json.load(sys.stdin)
json.dump({member['id']: translated(member, group) for member in group['members']}, sys.stdout)
