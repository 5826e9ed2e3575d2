"""
Computes every document of snapshots anew, from nothing but docs/format.md, and holds it against what was published:
    python3 recompute.py <folder of a snapshot>...
Prints each difference, and last how many figures were compared. Exit code 1 where anything differs.
"""
import json
import sys
from pathlib import Path

import kinds
import lists
import manifest
import metrics
import tie_outs
from books import Books
from budgets import budgets_inside
from cash_basis import differences as cash_basis_differences
from documents import (
    list_text,
    metrics_path,
    metrics_text,
    page_text,
    statement_path,
    statement_text,
    text,
)
from statements import SECTIONS, combinations


class Comparison:
    """Of one snapshot."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.figures = 0
        self.compared = set()
        self.differences = []

    def differs(self, path, what):
        self.differences.append(f"{self.folder}: {path}: {what}")

    def document(self, path, computed):
        """`computed` is a text, or makes one of the published document."""
        self.compared.add(path)
        try:
            published = (self.folder / path).read_bytes().decode("utf-8")
        except FileNotFoundError:
            self.differs(path, "was not published, but follows from the books")
            return
        if published == computed:
            self.figures += count_of(published)
            return
        try:
            document = parsed(published)
        except json.JSONDecodeError as problem:
            self.differs(path, f"is no JSON: {problem}")
            return
        if callable(computed):
            computed = computed(document)
        found = figures_of(document)
        self.figures += count_of(published)
        if published == computed:
            return
        expected = figures_of(parsed(computed))
        changed = [key for key in {**expected, **found} if expected.get(key) != found.get(key)]
        for key in changed:
            row, month = key
            self.differs(path, f"{row}, {month}: published {found.get(key)}, computed {expected.get(key)}")
        if not changed:
            self.differs(path, f"is worded otherwise: {first_difference(published, computed)}")


def count_of(text):
    """How many figures stand in the rows of a document."""
    rows = text.split('"Values":[')[1:]
    return sum(row.index("]") and row.count(",", 0, row.index("]")) + 1 for row in rows)


def parsed(document):
    """Numbers as the text that they are."""
    return json.loads(document, parse_float=str, parse_int=str)


def figures_of(document):
    """(row, month) -> text, of a statement or metrics; of a list (entry, member) -> value."""
    if isinstance(document.get("Data"), list) and "Periods" not in document:
        return {(i, key): value for i, entry in enumerate(document["Data"]) for key, value in entry.items()}
    if "Periods" not in document:
        return {("company", key): value for key, value in document.items()}
    months = [period["Month"] for period in document["Periods"]]
    rows = [*document["Data"], *document.get("Summary", [])]
    reasons = {("NotStated", entry["Month"]): entry["Reason"] for entry in document.get("NotStated", [])}
    return reasons | {
        (row.get("AccountId", row.get("NonFinancialId", row.get("Name"))), month): value
        for row in rows
        for month, value in zip(months, row["Values"], strict=True)
    }


def first_difference(one, other):
    for a, b in zip(one.split("\n"), other.split("\n")):
        if a != b:
            return f"published {a[:200]}, computed {b[:200]}"
    return "one of both has more lines"


def head(books, statement, basis, source, coverage, budget, klass, department):
    return {
        "CompanyId": books.frame["companyId"],
        "Statement": statement,
        "AccountingBasis": basis,
        "BasisSource": source,
        "StartDate": coverage[0].start,
        "EndDate": coverage[-1].end,
        "BudgetId": budget,
        "ClassId": klass,
        "DepartmentId": department,
        "Currency": books.frame["currency"],
    }


def compare_actuals(books, comparison, slices):
    for basis, found in slices.items():
        source = books.frame["basisSources"][basis]
        for (klass, department), slice in found.items():
            for statement in SECTIONS:
                about = head(books, statement, basis, source, books.periods, None, klass, department)
                made = statement_text(
                    books, about, books.periods, slice.rows[statement], slice.totals[statement].items()
                )
                comparison.document(statement_path(statement, basis, None, klass, department), made)


def compare_divided(books, comparison):
    """Statements of the parts of months that a fiscal year divides."""
    divided = books.divided()
    if divided is None:
        return
    months = [period.month for period in divided.periods]
    places = [i for i, month in enumerate(months) if months.count(month) > 1]

    def only(figures):
        return [figures[place] for place in places]

    for basis in books.frame["bases"]:
        source = books.frame["basisSources"][basis]
        for (klass, department), slice in combinations(divided, basis).items():
            for statement in SECTIONS:
                about = head(books, statement, basis, source, books.periods, None, klass, department)
                rows = [(*row[:4], only(row[4])) for row in slice.rows[statement]]
                totals = {name: only(figures) for name, figures in slice.totals[statement].items()}
                made = statement_text(books, about, only(divided.periods), rows, totals.items())
                path = statement_path(statement, basis, None, klass, department)
                comparison.document(path.replace("statements/", "divided-months/", 1), made)


def compare_budgets(books, comparison, budgets):
    for (id, klass, department), budget in budgets.items():
        for statement in SECTIONS:
            not_stated = None
            if statement == "CashFlow":
                rows, totals, not_stated = budget.cash_flow()
            else:
                rows, totals = budget.plain(statement)
            for basis in ("ACCRUAL", "CASH"):
                about = head(books, statement, basis, "Budget", budget.periods, id, klass, department)

                def made(published):
                    # The sentences are no part of the format.
                    details = {each["Month"]: each["Detail"] for each in published.get("NotStated", [])}
                    stated = not_stated
                    if stated is not None:
                        stated = [(month, reason, details.get(month, "")) for month, reason in stated]
                    return statement_text(books, about, budget.periods, rows, totals.items(), stated)

                comparison.document(statement_path(statement, basis, id, klass, department), made)


def compare_metrics(books, comparison):
    for (budget, klass, department), (periods, rows) in metrics.documents_of(books).items():
        about = {
            "CompanyId": books.frame["companyId"],
            "StartDate": periods[0].start,
            "EndDate": periods[-1].end,
            "BudgetId": budget,
            "ClassId": klass,
            "DepartmentId": department,
        }
        comparison.document(metrics_path(budget, klass, department), metrics_text(about, periods, rows))


def compare_lists(books, comparison):
    comparison.document("info.json", text(lists.info(books)) + "\n")
    for name, entries in lists.lists(books).items():
        comparison.document(f"{name}.json", list_text(entries))
        for offset in range(0, max(1, len(entries)), 100):
            comparison.document(f"pages/{name}/{offset}.json", page_text(entries, offset))


def compare(folder):
    books = Books(folder)
    comparison = Comparison(folder)
    slices = {basis: combinations(books, basis) for basis in books.frame["bases"]}
    budgets = budgets_inside(books)
    compare_actuals(books, comparison, slices)
    compare_divided(books, comparison)
    compare_budgets(books, comparison, budgets)
    compare_metrics(books, comparison)
    compare_lists(books, comparison)
    held = tie_outs.identities(books, slices, budgets)
    for what in tie_outs.differences(books, comparison, held):
        comparison.differs("tie-outs.json", what)
    for what in manifest.differences(books, comparison.compared, held):
        comparison.differs("manifest.json", what)
    for what in [*kinds.differences(books), *cash_basis_differences(books)]:
        comparison.differs("books/postings.parquet", what)
    return comparison


def main(folders):
    comparisons = [compare(folder) for folder in folders]
    differences = [each for comparison in comparisons for each in comparison.differences]
    for each in differences:
        print(each)
    figures = sum(comparison.figures for comparison in comparisons)
    documents = sum(len(comparison.compared) for comparison in comparisons)
    print(
        f"{figures} figures in {documents} documents of {len(comparisons)} snapshots compared,"
        f" {len(differences)} differences"
    )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
