"""info.json, the lists, and their pages."""
import calendar_ as cal
import text
from books import FLOW_SECTION, NAMES, RESULT

STATEMENTS = ['ProfitAndLoss', 'BalanceSheet', 'CashFlow']
DEBIT = ('Asset', 'CostOfSales', 'Expense', 'OtherExpense')
TURNED = ('AccumulatedDepreciation', 'Drawings')


def info(books):
    f = books.frame
    return text.js({
        'Id': f['companyId'], 'Name': f['name'], 'FiscalMonthEnd': f['fiscalMonthEnd'], 'Currency': f['currency'],
        'BooksThrough': cal.month_name(books.months[-1]), 'LockedThrough': f.get('lockedThrough'),
        'FiscalYears': [{'StartDate': y['start'], 'EndDate': y['end']} for y in f['fiscalYears']],
        'AccountingBases': f['bases']}) + '\n'


def has_flow_row(books, account):
    """Whether a result account has a row on the cash flow."""
    return account['id'] in books.disposals or account['id'] in books.flow_rows


def statements_of(books, account):
    if account['classification'] in RESULT:
        return ['ProfitAndLoss', 'CashFlow'] if has_flow_row(books, account) else ['ProfitAndLoss']
    return ['BalanceSheet'] if account['cashFlow'] == 'Cash' else ['BalanceSheet', 'CashFlow']


def below(books, top):
    """All accounts below a header."""
    out, todo = [], [top['id']]
    while todo:
        parent = todo.pop()
        for a in books.accounts:
            if a['parentId'] == parent:
                out.append(a)
                todo.append(a['id'])
    return out


def entry(identifier, number, name, classification, kind, parent, header, active, computed, cash_flow, on):
    debit = (classification in DEBIT) != (kind in TURNED)
    return {'Id': identifier, 'Number': number, 'Name': name, 'Classification': classification, 'Type': kind,
            'ParentId': parent, 'IsHeader': header, 'IsActive': active, 'IsComputed': computed,
            'NormalBalance': 'Debit' if debit else 'Credit', 'CashFlowCategory': cash_flow, 'Statements': on}


def chart(books):
    out = []
    for a in books.accounts:
        if a['isHeader']:
            found = {s for b in below(books, a) if not b['isHeader'] for s in statements_of(books, b)}
            on = [s for s in STATEMENTS if s in found]
        else:
            on = statements_of(books, a)
        cash_flow = 'Operating' if has_flow_row(books, a) else a['cashFlow']
        out.append(entry(a['id'], a['number'], a['name'], a['classification'], a['type'], a['parentId'],
                         a['isHeader'], a['isActive'], False, cash_flow, on))
    computed = [('net-income', 'Equity', 'Operating', ['CashFlow']),
                ('current-year-earnings', 'Equity', None, ['BalanceSheet']),
                ('prior-years-not-closed', 'Equity', None, ['BalanceSheet'])]
    if books.frame['classes']['members'] or books.frame['departments']['members']:
        computed.append(('balancing', 'Equity', 'Operating', ['BalanceSheet', 'CashFlow']))
    if books.sources.get('CASH') == 'Derived':
        computed += [('unapplied-receipts', 'Income', None, ['ProfitAndLoss']),
                     ('opening-receivables-collected', 'Income', None, ['ProfitAndLoss']),
                     ('unapplied-payments', 'Expense', None, ['ProfitAndLoss']),
                     ('opening-payables-paid', 'Expense', None, ['ProfitAndLoss'])]
    computed += [(identifier, classification, FLOW_SECTION[identifier], ['CashFlow'])
                 for identifier, classification in (('disposal-proceeds', 'Asset'), ('without-cash', 'Equity'))
                 if identifier in books.flow_rows]
    for identifier, classification, cash_flow, on in computed:
        out.append(entry(identifier, '', NAMES[identifier], classification, 'Computed', None, False, True, True,
                         cash_flow, on))
    return out


def by_name(entries):
    return sorted(entries, key=lambda e: (e['name'], e['id']))


def members(part):
    out = [{'Id': m['id'], 'Name': m['name'], 'ParentId': m['parentId'], 'IsActive': m['isActive']}
           for m in by_name(part['members'])]
    if out:
        out.append({'Id': 'unassigned', 'Name': 'Unassigned', 'ParentId': None, 'IsActive': True})
    return out


def documents(books):
    f = books.frame
    lists = {
        'chart-of-accounts': chart(books),
        'budgets': [{'Id': b['id'], 'Name': b['name'], 'StartMonth': b['startMonth'], 'EndMonth': b['endMonth']}
                    for b in by_name(f['budgets'])],
        'classes': members(f['classes']),
        'departments': members(f['departments']),
        'non-financial-list': [{'Id': m['id'], 'Name': m['name'], 'Unit': m.get('unit'),
                                'Aggregation': m['aggregation']} for m in by_name(f['metrics'])],
    }
    out = {'info.json': info(books)}
    for name, entries in lists.items():
        out[name + '.json'] = '{"Data":' + text.lines(entries) + '}\n'
        for offset in range(0, max(len(entries), 1), 100):
            pagination = {'offset': offset, 'limit': 100, 'total': len(entries)}
            out['pages/%s/%d.json' % (name, offset)] = (
                '{"Data":' + text.lines(entries[offset:offset + 100]) + ',\n"Pagination":' + text.js(pagination) + '}\n')
    return out
