"""What the manifest says of the files and of the books."""
import hashlib
import json

from documents import money


def differences(books, computed, identities):
    folder = books.folder
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    files = {entry["Path"]: entry for entry in manifest["Files"]}
    for path, entry in files.items():
        bytes = (folder / path).read_bytes() if (folder / path).is_file() else b""
        if entry["Bytes"] != len(bytes) or entry["Sha256"] != hashlib.sha256(bytes).hexdigest():
            yield f"{path} is not the file that it lists"
    documents = [path for path in files if not path.startswith(("books/", "report/")) and path != "restatement.json"]
    for path in documents:
        if path not in computed:
            yield f"{path} was published, but does not follow from the books"
    lines = "".join(f"{path} {files[path]['Sha256']}\n" for path in documents)
    hash = hashlib.sha256(lines.encode("utf-8")).hexdigest()
    coverage = books.frame["coverage"]
    postings = [posting for posting in books.postings if posting.kind != "gross-up"]
    month = coverage["endDate"][:7]
    expected = {
        "Format": 1 if manifest["Format"] == 1 else 2,
        "CompanyId": books.frame["companyId"],
        "SnapshotId": f"{month}-r{manifest['Revision']}-{hash[:6]}",
        "Month": month,
        "ContentHash": hash,
        "Currency": books.frame["currency"],
        "Coverage": {"StartDate": coverage["startDate"], "EndDate": coverage["endDate"]},
        "Totals": {
            "Postings": len(postings),
            "Transactions": len({(posting.basis, posting.transaction) for posting in postings}),
            "Documents": len(documents),
        },
    }
    for name, value in expected.items():
        if manifest[name] != value:
            yield f"{name} is {manifest[name]}, computed {value}"
    if list(files) != sorted(files):
        yield "Files are not ordered by path"
    yield from input_differences(books, manifest["Inputs"])
    yield from tie_out_differences(books, manifest["TieOuts"], identities)


def input_differences(books, inputs):
    stated = [entry for entry in inputs if "Postings" in entry]
    read = sum(entry["Postings"] for entry in stated)
    for entry in stated:
        amounts = [p.amount for p in books.postings if p.seq <= read and p.file == entry["File"]]
        computed = (
            len(amounts),
            money(sum(amount for amount in amounts if amount > 0), books.decimals),
            money(-sum(amount for amount in amounts if amount < 0), books.decimals),
        )
        published = (entry["Postings"], entry["PostedDebit"], entry["PostedCredit"])
        if published != computed:
            yield f"Inputs {entry['File']}: posted {published}, computed {computed}"


def tie_out_differences(books, published, identities):
    sums = {}
    for key, held in identities.items():
        of = sums.setdefault(
            (key.identity, key.statement, key.basis),
            {"Scopes": 0, "Checks": 0, "Left": 0, "Right": 0, "LargestDifference": 0, "Result": "pass"},
        )
        of["Scopes"] += 1
        of["Checks"] += held.checks
        of["LargestDifference"] = max(of["LargestDifference"], held.difference)
        if key.klass is None and key.department is None:
            of["Left"], of["Right"] = held.left, held.right
    for of in sums.values():
        for name in ("Left", "Right", "LargestDifference"):
            of[name] = money(of[name], books.decimals)
    found = {(entry.pop("Identity"), entry.pop("Statement"), entry.pop("Basis")): entry for entry in published}
    for key in {**sums, **found}:
        if found.get(key) != sums.get(key):
            yield f"TieOuts {key}: {found.get(key)}, computed {sums.get(key)}"
