"""Postings of kind gross-up, from the other postings of a basis."""


def gross_ups(books, postings):
    """(transaction id, date, account, class, department, amount) of each."""
    entries, out = {}, []
    for p in postings:
        entries.setdefault(p.transaction_id, []).append(p)

    def kind(p):
        return books.account.get(p.account, {}).get('type')

    for lines in entries.values():
        credits = [p for p in lines if p.kind == 'activity' and kind(p) == 'FixedAsset' and p.amount < 0]
        if not credits or not any(p.account in books.disposals for p in lines):
            continue
        asset = min(credits, key=lambda p: p.amount).account
        for p in lines:
            if p.kind == 'activity' and (p.account in books.disposals or kind(p) == 'AccumulatedDepreciation'):
                for account, amount in ((p.account, -p.amount), (asset, p.amount)):
                    out.append((p.transaction_id, p.date, account, p.class_, p.department, amount))
    return out
