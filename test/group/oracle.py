"""What the books of each member of a group are in the currency of the group, by IAS 21, in exact fractions.

Reads a group as JSON from standard input and writes figures in minor units of the group as JSON: by member, statement and row, one for
each month. It shares nothing with the program but the rules: products are rounded half away from zero for each account of a member and
month, or for each balance, and the translation difference is what makes the books balance. That it is also what the formula of its parts
gives, but for rounding, is asserted. Others have their part of equity by account, results first, of members that the group does not hold
wholly; members that join bring balances, and those that leave take them, with all results but those that the group had.
"""
import calendar
import collections
import json
import math
import sys
from fractions import Fraction

DEBIT = ('Asset', 'CostOfSales', 'Expense', 'OtherExpense')
RESULTS = ('Income', 'CostOfSales', 'Expense', 'OtherIncome', 'OtherExpense')


def rounded(value):
    return int(math.copysign(math.floor(abs(value) + Fraction(1, 2)), value)) if value else 0


def divided(cells, part):
    """What others have of each cell, in this order: shares of a running total."""
    upto, parts = 0, {}
    for cell, value in cells:
        parts[cell] = rounded((upto + value) * part) - rounded(upto * part)
        upto += value
    return parts


def translated(member, group):
    months = [m for m in group['months'] if m >= member['from'] and m <= member['to']]
    all_months = [group['before'], *group['months']]
    first_before = all_months[all_months.index(months[0]) - 1]
    year, number = map(int, first_before.split('-'))
    opening_day = f'{first_before}-{calendar.monthrange(year, number)[1]}'
    joins, leaves = months[0] > group['months'][0], member['leaves']
    parts = {month: 1 - Fraction(member['share'][month]) / 100 for month in months}
    kinds = group['kinds']

    def rate(text):
        value = 1 / Fraction(text) if group['inverse'] else Fraction(text)
        return value * Fraction(10) ** (group['decimals'] - member['decimals'])

    same = member['currency'] == group['currency']
    rates = {} if same else {month: (a and rate(a), rate(c)) for month, (a, c) in group['rates'][member['currency']].items()}
    average = {month: Fraction(1) if same else rates[month][0] for month in months}
    closing = {month: Fraction(1) if same else rates[month][1] for month in [first_before, *months]}
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
    c0 = closing[first_before]
    roundings = 0
    for account, minor in opening.items():
        kind = kinds[place(account)]
        at = ofday(opening_day, account, c0) if kind == 'Equity' else c0
        value = rounded(minor * at)
        roundings += 1
        formula += minor * (c0 - at) * -1 if kind == 'Equity' else 0
        if kind in RESULTS:
            prior += value
        elif kind == 'Equity':
            balances[place(account)] += value
    rows = collections.defaultdict(lambda: [0] * len(months))
    results = collections.defaultdict(lambda: [0] * len(months))
    opening_equity = -(prior + sum(balances.values()) + sum(rounded(minor * c0) for account, minor in opening.items() if kinds[place(account)] in ('Asset', 'Liability')))
    held = divided([('result', prior), *sorted({**balances, 'translation-difference': opening_equity}.items())], parts[months[0]])
    held_before, moved_earlier, attributed, brought = held['result'], 0, 0, held['result']
    part_before, result_before = parts[months[0]], prior
    for i, month in enumerate(months):
        before = closing[months[i - 1] if i else first_before]
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
        # What others have of it, by the share of the month; what a change of the share moves is in none of its results.
        equity = {account: value for account, value in now.items() if kinds[account] == 'Equity'}
        held = divided([('result', prior + current), *sorted({**equity, 'translation-difference': difference}.items())], parts[month])
        moved_earlier += rounded(result_before * parts[month]) - rounded(result_before * part_before)
        attributed += held['result'] - rounded(result_before * parts[month])
        part_before, result_before = parts[month], prior + current
        assert sum(held.values()) == rounded(parts[month] * -sum(value for account, value in now.items() if kinds[account] != 'Equity'))
        for account, value in now.items():
            rows[account][i] = value - held.get(account, 0)
        earlier = prior - brought
        rows['results-before-joining'][i] = earlier if joins else 0
        rows['prior-years-not-closed'][i] = (0 if joins else earlier) - moved_earlier
        rows['current-year-earnings'][i] = current - attributed
        rows['translation-difference'][i] = difference - held['translation-difference']
        rows['non-controlling-interests'][i] = sum(held.values())
    if leaves:
        own = rows['prior-years-not-closed'][-1] + rows['current-year-earnings'][-1]
        results['results-of-leaving'][-1] = -own
        rows['current-year-earnings'][-1] -= own
        for account, values in rows.items():
            if account not in ('prior-years-not-closed', 'current-year-earnings'):
                values[-1] = 0
    start, after = group['months'].index(months[0]), len(group['months']) - group['months'].index(months[-1]) - 1
    stays = ('prior-years-not-closed', 'current-year-earnings')
    rows = {row: [0] * start + values + [values[-1] if row in stays else 0] * after for row, values in rows.items()}
    results = {row: [0] * start + values + [0] * after for row, values in results.items()}

    def natural(table, kind_of):
        signed = {row: [v if kind_of(row) in DEBIT else -v for v in values] for row, values in table.items()}
        return {row: values for row, values in signed.items() if any(values)}

    return {
        'ProfitAndLoss': natural(results, lambda row: kinds.get(row, 'OtherIncome')),
        'BalanceSheet': natural(rows, lambda row: kinds.get(row, 'Equity')),
    }


group = json.load(sys.stdin)
json.dump({member['id']: translated(member, group) for member in group['members']}, sys.stdout)
