"""Postings of kind gross-up (formats 1 and 2), from the other postings."""


def gross_ups(books, postings):
    """The postings of all pairs in their order, without numbers."""
    entries, out = {}, []
    for p in postings:
        entries.setdefault((p.basis, p.transaction_id), []).append(p)

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
                    out.append((p.seq, p._replace(seq=None, kind='gross-up', account=account, amount=amount)))
    return [p for _, p in sorted(out, key=lambda each: each[0])]
