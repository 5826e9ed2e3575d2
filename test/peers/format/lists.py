"""The company and its lists."""
from statements import NAMES

DEBIT = ("Asset", "CostOfSales", "Expense", "OtherExpense")
CONTRA = ("AccumulatedDepreciation", "Drawings")


def info(books):
    frame = books.frame
    return {
        "Id": frame["companyId"],
        "Name": frame["name"],
        "FiscalMonthEnd": frame["fiscalMonthEnd"],
        "Currency": frame["currency"],
        "BooksThrough": frame["coverage"]["endDate"][:7],
        "LockedThrough": frame["lockedThrough"],
        "FiscalYears": [{"StartDate": year["start"], "EndDate": year["end"]} for year in books.years],
        "AccountingBases": frame["bases"],
    }


def lists(books):
    frame = books.frame
    return {
        "chart-of-accounts": [*chart(books), *computed(books)],
        "budgets": [
            {
                "Id": budget["id"],
                "Name": budget["name"],
                "StartMonth": budget["startMonth"],
                "EndMonth": budget["endMonth"],
            }
            for budget in by_name(frame["budgets"])
        ],
        "classes": members(books.classes),
        "departments": members(books.departments),
        "non-financial-list": [
            {"Id": metric["id"], "Name": metric["name"], "Unit": metric["unit"], "Aggregation": metric["aggregation"]}
            for metric in by_name(frame["metrics"])
        ],
    }


def by_name(entries):
    return sorted(entries, key=lambda entry: (entry["name"], entry["id"]))


def members(tree):
    entries = [
        {"Id": member["id"], "Name": member["name"], "ParentId": member["parentId"], "IsActive": member["isActive"]}
        for member in by_name(tree.members)
    ]
    if entries:
        entries.append({"Id": "unassigned", "Name": "Unassigned", "ParentId": None, "IsActive": True})
    return entries


def statements_of(books):
    """By account id; a header stands where the accounts below it stand."""
    accounts = {account["id"]: account for account in books.frame["accounts"]}
    disposals = books.frame.get("disposals", [])
    found = {id: set() for id in accounts}
    for code, account in enumerate(books.frame["accounts"]):
        if account["isHeader"]:
            continue
        if books.is_result(account["id"]):
            own = {"ProfitAndLoss", "CashFlow"} if code in disposals else {"ProfitAndLoss"}
        else:
            own = {"BalanceSheet"} if account["cashFlow"] == "Cash" else {"BalanceSheet", "CashFlow"}
        found[account["id"]] |= own
        above = accounts.get(account["parentId"])
        while above is not None:
            if above["isHeader"]:
                found[above["id"]] |= own
            above = accounts.get(above["parentId"])
    return {
        id: [name for name in ("ProfitAndLoss", "BalanceSheet", "CashFlow") if name in names]
        for id, names in found.items()
    }


def chart(books):
    disposals = books.frame.get("disposals", [])
    statements = statements_of(books)
    for code, account in enumerate(books.frame["accounts"]):
        classification = account["classification"]
        debit = (classification in DEBIT) != (account["type"] in CONTRA)
        category = "Operating" if code in disposals else account["cashFlow"]
        yield {
            "Id": account["id"],
            "Number": account["number"],
            "Name": account["name"],
            "Classification": classification,
            "Type": account["type"],
            "ParentId": account["parentId"],
            "IsHeader": account["isHeader"],
            "IsActive": account["isActive"],
            "IsComputed": False,
            "NormalBalance": "Debit" if debit else "Credit",
            "CashFlowCategory": category,
            "Statements": statements[account["id"]],
        }


def computed(books):
    rows = [
        ("net-income", "Equity", "Operating", ["CashFlow"]),
        ("current-year-earnings", "Equity", None, ["BalanceSheet"]),
        ("prior-years-not-closed", "Equity", None, ["BalanceSheet"]),
    ]
    if books.classes.members or books.departments.members:
        rows.append(("balancing", "Equity", "Operating", ["BalanceSheet", "CashFlow"]))
    if books.frame["basisSources"].get("CASH") == "Derived":
        rows += [
            ("unapplied-receipts", "Income", None, ["ProfitAndLoss"]),
            ("opening-receivables-collected", "Income", None, ["ProfitAndLoss"]),
            ("unapplied-payments", "Expense", None, ["ProfitAndLoss"]),
            ("opening-payables-paid", "Expense", None, ["ProfitAndLoss"]),
        ]
    for id, classification, category, statements in rows:
        yield {
            "Id": id,
            "Number": "",
            "Name": NAMES[id],
            "Classification": classification,
            "Type": "Computed",
            "ParentId": None,
            "IsHeader": False,
            "IsActive": True,
            "IsComputed": True,
            "NormalBalance": "Debit" if classification in DEBIT else "Credit",
            "CashFlowCategory": category,
            "Statements": statements,
        }
