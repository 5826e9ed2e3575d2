#!/bin/sh
# Makes books.zip with the last program that published snapshots of format 1. It is committed, and never made again by a
# later program: say where the compiled program of commit 33c3c77 is, and where the archive goes.
#   git worktree add /tmp/format-1 33c3c77 && (cd /tmp/format-1 && npm ci)
#   sh test/evidence/format-1/make.sh /tmp/format-1/dist/cli/main.js /tmp/books.zip
set -eu
program=$1
archive=$2
top=$(mktemp -d)
books=$top/books
company=$books/datasets/acme
tieout() { node "$program" -C "$books" "$@" > /dev/null 2>&1; }
current() { sed 's/.*"SnapshotId":"\([^"]*\)".*/\1/' "$books/snapshots/acme/current.json"; }

mkdir -p "$company"
printf 'keepInputs: true\nretention: { keepLast: 3 }\n' > "$books/tieout.yaml"
cat > "$company/company.yaml" <<END
id: acme
name: Acme
fiscalMonthEnd: 12
currency: USD
chartOfAccounts: chart.csv
ledger: [{ files: ledger.csv }]
opening: none
nonFinancial: [{ id: heads, name: Headcount, unit: people, aggregation: last }]
metrics: [{ files: heads.csv }]
budgets: [{ id: plan, name: Plan, files: plan.csv }]
END
cat > "$company/chart.csv" <<END
id,number,name,classification,type
bank,1000,Bank,Asset,Bank
capital,3000,Capital,Equity,Capital
sales,4000,Sales,Income,Sales
rent,6000,Rent,Expense,Expense
END
printf 'metric,2025-01,2025-02\nHeadcount,3,4\n' > "$company/heads.csv"
printf 'account,2025-01,2025-02\n4000,200,300\n6000,50,50\n' > "$company/plan.csv"
cat > "$company/ledger.csv" <<END
transaction_id,date,account,amount
1,2025-01-01,bank,1000.00
1,2025-01-01,capital,-1000.00
2,2025-02-10,bank,250.00
2,2025-02-10,sales,-250.00
END
tieout build
printf '3,2025-03-01,rent,10.00\n3,2025-03-01,bank,-10.00\n' >> "$company/ledger.csv"
tieout build
tieout snapshots hold acme "$(current)" --reason 'tax audit of 2025'
printf 'lockDate: 2025-02-28\n' >> "$company/company.yaml"
tieout build
before=$(current)
printf '4,2025-02-20,rent,5.00\n4,2025-02-20,bank,-5.00\n' >> "$company/ledger.csv"
tieout build acme --restate 'the rent of February was forgotten'
after=$(current)
tieout use acme "$before" --reason 'the auditor looks at it'
tieout use acme "$after" --reason 'the auditor is done'
tieout prune --yes --reason 'nobody needs the first one'
tieout archive acme --to "$top/acme.zip"
tieout archive acme --to "$top/acme-bag"
rm -rf "$books/.tieout/cache"
find "$books" -name '*.mdb' -delete
(cd "$top" && find books acme.zip acme-bag -type f | sort | TZ=UTC zip -q -X -9 -@ "$archive")
rm -rf "$top"
