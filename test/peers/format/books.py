"""The books of a snapshot, as docs/format.md describes them: the frame and the Parquet tables, money in minor units."""
import calendar
from bisect import bisect_left
from copy import copy
from datetime import date, timedelta
import json
from collections import namedtuple
from pathlib import Path

import duckdb

DECIMALS = {
    code: decimals
    for decimals, codes in {
        0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
        3: "BHD IQD JOD KWD LYD OMR TND",
        4: "CLF UYW",
    }.items()
    for code in codes.split()
}
COMPUTED_ACCOUNTS = {
    "prior-years-not-closed": None,
    "unapplied-receipts": "Income",
    "opening-receivables-collected": "Income",
    "unapplied-payments": "Expense",
    "opening-payables-paid": "Expense",
}
BALANCE_SHEET = ("Asset", "Liability", "Equity")

Posting = namedtuple(
    "Posting",
    "seq basis transaction line account klass department date amount kind settles open_item file",
)
Opening = namedtuple("Opening", "basis account klass department amount current")
Figure = namedtuple("Figure", "budget month account klass department amount")
Value = namedtuple("Value", "metric date value klass department budget")
Period = namedtuple("Period", "month start end")


class Tree:
    """The members of a dimension, each parent before its children."""

    def __init__(self, frame):
        self.members = frame["members"]
        self.position = {member["id"]: i + 1 for i, member in enumerate(self.members)}
        self.last = frame["last"]

    def filters(self):
        """All, each member, unassigned."""
        return [None, *(member["id"] for member in self.members), "unassigned"]

    def roots(self):
        return [*(member["id"] for member in self.members if member["parentId"] is None), "unassigned"]

    def inside(self, chosen, tag):
        if chosen is None:
            return True
        if chosen == "unassigned":
            return tag is None
        if tag is None:
            return False
        first = self.position[chosen]
        return first <= self.position[tag] <= self.last[first - 1]


class Books:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.frame = json.loads((self.folder / "books/frame.json").read_text("utf-8"))
        self.decimals = DECIMALS.get(self.frame["currency"], 2)
        self.accounts = {account["id"]: account for account in self.frame["accounts"]}
        self.order = {id: i for i, id in enumerate([*self.accounts, *COMPUTED_ACCOUNTS])}
        self.classes = Tree(self.frame["classes"])
        self.departments = Tree(self.frame["departments"])
        self.periods = periods(self.frame["coverage"]["startDate"][:7], self.frame["coverage"]["endDate"][:7])
        self.years = self.frame["fiscalYears"]
        self.postings = [
            Posting(*row[:7], str(row[7]), self.minor(row[8]), *row[9:])
            for row in self.table(
                "postings",
                "seq, basis, transaction_id, line_id, account, class, department,"
                " date, amount, kind, settles, open_item, file",
            )
        ]
        self.openings = [
            Opening(*row[:4], self.minor(row[4]), row[5])
            for row in self.table("openings", "basis, account, class, department, amount, current")
        ]
        self.budget_figures = [
            Figure(*row[:5], self.minor(row[5]))
            for row in self.table("budgets", "budget, month, account, class, department, amount")
        ]
        self.metric_values = [
            Value(row[0], str(row[1]), int(row[2].scaleb(6)), *row[3:])
            for row in self.table("metrics", "metric, date, value, class, department, budget")
        ]

    def table(self, name, columns):
        path = str(self.folder / f"books/{name}.parquet").replace("'", "''")
        return duckdb.sql(f"SELECT {columns} FROM read_parquet('{path}')").fetchall()

    def minor(self, amount):
        minor = amount.scaleb(self.decimals)
        assert minor == int(minor), amount
        return int(minor)

    def classification(self, account):
        return self.accounts[account]["classification"]

    def is_result(self, account):
        return account in COMPUTED_ACCOUNTS or self.classification(account) not in BALANCE_SHEET

    def is_cash(self, account):
        return account in self.accounts and self.accounts[account]["cashFlow"] == "Cash"

    def place(self, day):
        """Of the period in which a day lies."""
        return bisect_left([period.end for period in self.periods], day)

    def divided(self):
        """The same books by the parts of the months in which a fiscal year begins; None where there are none."""
        starts = [year["start"] for year in self.years[1:] if not year["start"].endswith("-01")]
        found = []
        for period in self.periods:
            inside = sorted(start for start in starts if start[:7] == period.month)
            for start, after in zip([period.start, *inside], [*inside, None]):
                found.append(Period(period.month, start, day_before(after) if after else period.end))
        if len(found) == len(self.periods):
            return None
        books = copy(self)
        books.periods = found
        return books

    def year_start(self, day):
        """First day of the fiscal year in which a day lies."""
        return next(year["start"] for year in self.years if year["start"] <= day <= year["end"])


def day_before(day):
    return str(date.fromisoformat(day) - timedelta(days=1))


def next_month(month, by=1):
    number = int(month[:4]) * 12 + int(month[5:7]) - 1 + by
    return f"{number // 12:04d}-{number % 12 + 1:02d}"


def days_in(month):
    return calendar.monthrange(int(month[:4]), int(month[5:7]))[1]


def periods(first, last):
    found = []
    while first <= last:
        found.append(Period(first, f"{first}-01", f"{first}-{days_in(first)}"))
        first = next_month(first)
    return found
