"""The identities: which there must be on which combination, and both sides of each in the last month."""
import json
from collections import namedtuple

from books import COMPUTED_ACCOUNTS
from budgets import NotStated
from documents import money
from statements import ACTIVITY, ALL, CLOSING, GROSS_UP, SECTIONS, TOTALS

Key = namedtuple("Key", "identity statement basis budget klass department")
# Checks; both sides in the last month; the largest difference.
Held = namedtuple("Held", "checks left right difference")


def held(pairs):
    pairs = [(list(left), list(right)) for left, right in pairs]
    if not any(left for left, _ in pairs):
        return None
    return Held(
        sum(len(left) for left, _ in pairs),
        sum(left[-1] for left, _ in pairs),
        sum(right[-1] for _, right in pairs),
        max(abs(a - b) for left, right in pairs for a, b in zip(left, right, strict=True)),
    )


def identities(books, slices, budgets):
    found = {}

    def add(identity, statement, basis, scope, pairs):
        result = held(pairs)
        if result is not None:
            found[Key(identity, statement, basis, *scope)] = result

    for basis, own in slices.items():
        for (klass, department), slice in own.items():
            for identity, statement, pairs in of_slice(books, slice):
                add(identity, statement, basis, (None, klass, department), pairs)
        for identity, statement, pairs in of_whole(books, own):
            add(identity, statement, basis, (None, None, None), pairs)
    if books.frame["basisSources"].get("CASH") == "Derived":
        for klass, department in {**slices["ACCRUAL"], **slices["CASH"]}:
            sides = [change_in_cash(books, slices[basis].get((klass, department))) for basis in ("CASH", "ACCRUAL")]
            add(
                "change in cash is the same on both bases", "CashFlow", "CASH", (None, klass, department), [sides]
            )
    for (id, klass, department), budget in budgets.items():
        for identity, statement, pairs in of_budget(budget):
            add(identity, statement, "BUDGET", (id, klass, department), pairs)
        if klass is None and department is None:
            for identity, statement, pairs in members_of_budget(books, budgets, id):
                add(identity, statement, "BUDGET", (id, None, None), pairs)
    return found


def change_in_cash(books, slice):
    return [0] * len(books.periods) if slice is None else slice.totals["CashFlow"]["NetChangeInCash"]


def movements(balances, opening):
    return [now - before for now, before in zip(balances, [opening, *balances[:-1]])]


def published(slice, statement):
    """Rows as they stand on the statement, by account."""
    return {row[0]: row[4] for row in slice.rows[statement]}


def of_slice(books, slice):
    """Identities of every combination; the trial balance only of the whole."""
    totals, sheet = slice.totals, published(slice, "BalanceSheet")
    yield (
        "assets = liabilities + equity",
        "BalanceSheet",
        [(totals["BalanceSheet"]["TotalAssets"], totals["BalanceSheet"]["TotalLiabilitiesAndEquity"])],
    )
    earnings = [
        a + b for a, b in zip(sheet["current-year-earnings"], sheet["prior-years-not-closed"], strict=True)
    ]
    closed = slice.sum(CLOSING)
    moved = movements(earnings, -slice.openings(books.is_result))
    yield (
        "net income = movement of earnings + closed",
        "ProfitAndLoss",
        [(totals["ProfitAndLoss"]["NetIncome"], [a + b for a, b in zip(moved, closed)])],
    )
    yield (
        "balance − previous balance = movement",
        "BalanceSheet",
        [
            (
                movements(sheet[account], sign * slice.opening(account)),
                [sign * figure for figure in slice.of(ALL, account)],
            )
            for account in slice.accounts
            if not books.is_result(account)
            for sign in [SECTIONS["BalanceSheet"][books.classification(account)]]
        ],
    )
    flow = totals["CashFlow"]
    yield (
        "operating + investing + financing = change in cash",
        "CashFlow",
        [(flow["NetChangeInCash"], [e - b for e, b in zip(flow["EndingCash"], flow["BeginningCash"])])],
    )
    cash = [0] * len(books.periods)
    for account, figures in sheet.items():
        if books.is_cash(account):
            sign = SECTIONS["BalanceSheet"][books.classification(account)]
            cash = [a + sign * b for a, b in zip(cash, figures)]
    yield "ending cash = cash on the balance sheet", "CashFlow", [(flow["EndingCash"], cash)]
    for statement in SECTIONS:
        yield "rows add up to the totals", statement, rows_and_totals(
            statement, slice.rows[statement], totals[statement]
        )


def rows_and_totals(statement, rows, totals):
    for name, parts in TOTALS[statement].items():
        total = [figure or 0 for figure in totals[name]]
        added = [0] * len(total)
        for row in rows:
            factor = parts.get(row[3], 0)
            added = [a + factor * (b or 0) for a, b in zip(added, row[4])]
        yield added, total


def of_whole(books, slices):
    whole = slices[None, None]
    zeros = [0] * len(books.periods)
    balance = whole.sum(ALL)
    balance[0] += whole.openings()
    yield "trial balance sums to zero", "TrialBalance", [(balance, zeros)]
    members = {
        "classes": [slices.get((root, None)) for root in books.classes.roots()],
        "departments": [slices.get((None, root)) for root in books.departments.roots()],
    }
    for axis, parts in members.items():
        for statement in SECTIONS:
            sides = (
                (added(published(part, statement).get(id, zeros) for part in parts if part), figures)
                for id, figures in published(whole, statement).items()
            )
            yield f"sum over {axis} = unfiltered", statement, sides
    for statement in SECTIONS:
        rows = published(whole, statement)
        shown = {
            account: figures
            for account in whole.accounts
            for figures in [posted(books, whole, statement, account)]
            if figures is not None
        }
        yield (
            "every account is there, as posted",
            statement,
            [(rows.get(account, zeros), figures) for account, figures in shown.items()],
        )
        if statement == "ProfitAndLoss":
            yield (
                "months add up to the range",
                statement,
                [([sum(rows.get(account, zeros))], [sum(figures)]) for account, figures in shown.items()],
            )
        if statement == "BalanceSheet":
            yield (
                "balance = opening + all postings",
                statement,
                [(rows.get(account, zeros)[-1:], figures[-1:]) for account, figures in shown.items()],
            )


def posted(books, whole, statement, account):
    """What an account shows on a statement by its postings; None where it has no place there."""
    is_result = books.is_result(account)
    if statement == "ProfitAndLoss":
        if not is_result:
            return None
        section = books.classification(account) if account in books.accounts else COMPUTED_ACCOUNTS[account]
        sign = SECTIONS["ProfitAndLoss"].get(section, -1)
        return [sign * figure for figure in whole.of(ACTIVITY, account)]
    if statement == "BalanceSheet":
        if is_result:
            return None
        sign = SECTIONS["BalanceSheet"][books.classification(account)]
        return [sign * figure for figure in whole.balance(account)]
    if books.is_cash(account):
        return None
    activity = whole.zeros if is_result else whole.of(ACTIVITY, account)
    return [-(a + b) for a, b in zip(activity, whole.of(GROSS_UP, account))]


def added(parts):
    return [sum(each) for each in zip(*parts)]


def of_budget(budget):
    for statement in SECTIONS:
        if statement == "CashFlow":
            rows, totals, _ = budget.cash_flow()
        else:
            rows, totals = budget.plain(statement)
        yield "rows add up to the totals", statement, rows_and_totals(statement, rows, totals)
    try:
        sides = [budget.balanced(month) for month in sorted(budget.balances)]
        if sides:
            yield "assets = liabilities + equity", "BalanceSheet", [zip(*sides)]
    except NotStated:
        pass
    _, totals, _ = budget.cash_flow()
    stated = [i for i, figure in enumerate(totals["NetChangeInCash"]) if figure is not None]
    if stated:
        change = [totals["NetChangeInCash"][i] for i in stated]
        moved = [totals["EndingCash"][i] - totals["BeginningCash"][i] for i in stated]
        yield "operating + investing + financing = change in cash", "CashFlow", [(change, moved)]


def members_of_budget(books, budgets, id):
    whole = budgets[id, None, None]
    axes = {
        "classes": [budgets.get((id, root, None)) for root in books.classes.roots()],
        "departments": [budgets.get((id, None, root)) for root in books.departments.roots()],
    }
    for statement in ("ProfitAndLoss", "BalanceSheet"):
        rows = {row[0]: row[4] for row in whole.plain(statement)[0]}
        for axis, parts in axes.items():
            of_parts = [{row[0]: row[4] for row in part.plain(statement)[0]} for part in parts if part]
            yield (
                f"sum over {axis} = unfiltered",
                statement,
                [
                    (
                        added([figure or 0 for figure in part.get(account, [0] * len(figures))] for part in of_parts),
                        [figure or 0 for figure in figures],
                    )
                    for account, figures in rows.items()
                ],
            )


def differences(books, comparison, expected):
    path = "tie-outs.json"
    comparison.compared.add(path)
    published = json.loads((comparison.folder / path).read_text("utf-8"))["Data"]
    found = {}
    for entry in published:
        key = Key(*(entry[name] for name in ("Identity", "Statement", "Basis", "BudgetId", "ClassId", "DepartmentId")))
        if key in found:
            yield f"{key} is listed twice"
        found[key] = {name: entry[name] for name in ("Checks", "Left", "Right", "Difference", "Result")}
    comparison.figures += 4 * len(found)
    for key in {**expected, **found}:
        of = expected.get(key)
        computed = of and {
            "Checks": of.checks,
            "Left": money(of.left, books.decimals),
            "Right": money(of.right, books.decimals),
            "Difference": money(of.difference, books.decimals),
            "Result": "pass",
        }
        if found.get(key) != computed:
            yield f"{tuple(key)}: published {found.get(key)}, computed {computed}"
