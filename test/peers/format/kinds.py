"""What can be told of the kinds of postings from the postings themselves: transfers, days of closing entries, disposals."""
from collections import Counter, defaultdict


def differences(books):
    entries = defaultdict(list)
    for posting in books.postings:
        entries[posting.basis, posting.transaction].append(posting)
    year_ends = {year["end"] for year in books.years}
    disposals = {books.frame["accounts"][code]["id"] for code in books.frame.get("disposals", [])}
    for (basis, id), lines in entries.items():
        # A derived line has the kind of the line that it recognises, and the day on which it does.
        if books.frame["basisSources"][basis.upper()] != "Derived":
            own = [line for line in lines if line.kind != "gross-up"]
            is_transfer = all(is_equity(books, line) for line in own) and sum(line.amount for line in own) == 0
            for line in own:
                if line.kind == "activity" and is_transfer or line.kind == "transfer" and not is_transfer:
                    yield f"{basis} {id}: {line.kind} of {line.account}"
                if line.kind.startswith("closing") and (line.kind == "closing-current") != (line.date in year_ends):
                    yield f"{basis} {id}: {line.kind} on {line.date}"
        if gross_ups(line for line in lines if line.kind == "gross-up") != expected_gross_ups(books, lines, disposals):
            yield f"{basis} {id}: the disposal is shown gross otherwise"


def is_equity(books, line):
    return line.account in books.accounts and books.classification(line.account) == "Equity"


def gross_ups(lines):
    return Counter((line.account, line.klass, line.department, line.date, line.amount) for line in lines)


def expected_gross_ups(books, lines, disposals):
    def type_of(line):
        return books.accounts[line.account]["type"] if line.account in books.accounts else ""

    activity = [line for line in lines if line.kind == "activity"]
    assets = [line for line in activity if type_of(line) == "FixedAsset" and line.amount < 0]
    named = any(line.account in disposals for line in lines if line.kind != "gross-up")
    if not assets or not named:
        return Counter()
    asset = min(assets, key=lambda line: line.amount)
    moved = [line for line in activity if line.account in disposals or type_of(line) == "AccumulatedDepreciation"]
    back = [line._replace(amount=-line.amount) for line in moved]
    return gross_ups([*back, *(line._replace(account=asset.account) for line in moved)])
