"""Reads books/: the frame, and the four tables with their amounts as integers of minor units."""
import bisect
import collections
import copy
import json
import os

import duckdb

import calendar_ as cal
import text

COMPUTED_ACCOUNTS = ['prior-years-not-closed', 'unapplied-receipts', 'opening-receivables-collected',
                     'unapplied-payments', 'opening-payables-paid']
FLOW_ACCOUNTS = ['disposal-proceeds', 'without-cash']
FLOW_SECTION = {'disposal-proceeds': 'Investing', 'without-cash': 'Operating'}
FLOW_KINDS = ('gross-up', 'disposal', 'without-cash')   # of postings that stand on the cash flow alone
COMPUTED_SECTION = {'unapplied-receipts': 'Income', 'opening-receivables-collected': 'Income',
                    'unapplied-payments': 'Expense', 'opening-payables-paid': 'Expense'}
NAMES = {
    'net-income': 'Net income',
    'current-year-earnings': 'Current-year earnings',
    'prior-years-not-closed': 'Prior years not closed',
    'balancing': 'Balancing (other slices)',
    'unapplied-receipts': 'Unapplied receipts',
    'opening-receivables-collected': 'Opening receivables collected',
    'unapplied-payments': 'Unapplied payments',
    'opening-payables-paid': 'Opening payables paid',
    'disposal-proceeds': 'Proceeds from disposals',
    'without-cash': 'Entries without cash',
}
BALANCE = ('Asset', 'Liability', 'Equity')
RESULT = ('Income', 'CostOfSales', 'Expense', 'OtherIncome', 'OtherExpense')


class Books:
    def __init__(self, folder):
        with open(os.path.join(folder, 'books', 'frame.json'), encoding='utf-8') as f:
            self.frame = json.load(f)
        with open(os.path.join(folder, 'manifest.json'), encoding='utf-8') as f:
            self.format = json.load(f)['Format']
        frame = self.frame
        self.currency = frame['currency']
        self.places = text.places_of(self.currency)
        self.accounts = frame['accounts']
        self.account = {a['id']: a for a in self.accounts}
        self.position = {a['id']: i for i, a in enumerate(self.accounts)}
        for i, name in enumerate(COMPUTED_ACCOUNTS + FLOW_ACCOUNTS):
            self.position[name] = len(self.accounts) + i
        self.months = list(range(cal.month_from(frame['coverage']['startDate']),
                                 cal.month_from(frame['coverage']['endDate']) + 1))
        # the first and the last day of each period
        self.periods = [(cal.first_day(m), cal.last_day(m)) for m in self.months]
        self.years = [(cal.day(y['start']), cal.day(y['end'])) for y in frame['fiscalYears']]
        self.budgets = {b['id']: b for b in frame['budgets']}
        self.disposals = [self.accounts[i]['id'] for i in frame.get('disposals') or []]
        self.overdrafts = [self.accounts[i]['id'] for i in frame.get('overdrafts') or []]
        self.flow_rows = frame.get('cashFlowRows') or []
        self.bases = frame['bases']
        self.sources = frame['basisSources']

        self.postings = self.table(folder, 'postings', 'amount')
        self.openings = self.table(folder, 'openings', 'amount')
        self.budget_rows = self.table(folder, 'budgets', 'amount')
        self.metric_rows = self.table(folder, 'metrics', None)

    def table(self, folder, name, amount):
        path = os.path.join(folder, 'books', name + '.parquet').replace("'", "''")
        cursor = duckdb.connect().execute("select * from read_parquet('%s')" % path)
        Row = collections.namedtuple(name, ['class_' if d[0] == 'class' else d[0] for d in cursor.description])
        rows = [Row(*r) for r in cursor.fetchall()]
        if amount:
            rows = [r._replace(amount=self.minor(r.amount)) for r in rows]
        return rows

    def minor(self, amount):
        whole = amount.scaleb(self.places)
        if whole != int(whole):
            raise ValueError('amount %s has more decimals than %s' % (amount, self.currency))
        return int(whole)

    def is_result(self, account):
        if account in FLOW_ACCOUNTS:
            return False
        return account in COMPUTED_ACCOUNTS or self.account[account]['classification'] in RESULT

    def is_cash(self, account):
        return account in self.account and self.account[account]['cashFlow'] == 'Cash'

    def flow_section(self, account):
        """The section of the cash flow of what is neither cash nor a result account."""
        return FLOW_SECTION.get(account) or self.account[account]['cashFlow'] or 'Operating'

    def section(self, account):
        """The section of an account on profit and loss or balance sheet; None where it has no row."""
        if account in COMPUTED_ACCOUNTS:
            return COMPUTED_SECTION.get(account)
        return self.account[account]['classification']

    def label(self, row):
        """Number and name of a row."""
        if row in self.account:
            return self.account[row]['number'], self.account[row]['name']
        return '', NAMES[row]

    def at(self, date):
        """The place of the period in which a day lies, from 0."""
        return bisect.bisect_right([first for first, _ in self.periods], date) - 1

    def divided(self):
        """The same, each month in which a fiscal year begins taken as its parts; the places of these parts."""
        starts = sorted(first for first, _ in self.years[1:] if first.day > 1)
        months = {cal.month_of(first) for first in starts}
        firsts = sorted({first for first, _ in self.periods} | {s for s in starts if s <= self.periods[-1][1]})
        lasts = [first - cal.DAY for first in firsts[1:]] + [self.periods[-1][1]]
        view = copy.copy(self)
        view.periods = list(zip(firsts, lasts))
        view.months = [cal.month_of(first) for first in firsts]
        return view, [i for i, month in enumerate(view.months) if month in months]

    def year_start(self, date):
        """First day of the fiscal year in which the date lies."""
        for start, end in self.years:
            if start <= date <= end:
                return start
        return None
