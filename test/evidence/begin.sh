# The beginning of both scripts make.sh: a workspace of one company, made with an earlier program.
# Wants $1, the compiled program, and $2, the archive to make. What is missing in company.yaml, such as the opening, they add.
set -eu
program=$1
archive=$(realpath -m "$2")
top=$(mktemp -d)
books=$top/books
company=$books/datasets/acme
tieout() { node "$program" -C "$books" "$@" > "$top/out" 2>&1; }
current() { sed 's/.*"SnapshotId":"\([^"]*\)".*/\1/' "$books/snapshots/acme/current.json"; }
# An entry: number, day, the account of a debit and of a credit, amount.
entry() { printf '%s,%s,%s,%s\n%s,%s,%s,-%s\n' "$1" "$2" "$3" "$5" "$1" "$2" "$4" "$5" >> "$company/ledger.csv"; }

mkdir -p "$company"
cat > "$company/company.yaml" <<END
id: acme
name: Acme
fiscalMonthEnd: 12
currency: USD
chartOfAccounts: chart.csv
ledger: [{ files: ledger.csv }]
nonFinancial: [{ id: heads, name: Headcount, unit: people, aggregation: last }]
metrics: [{ files: heads.csv }]
END
cat > "$company/chart.csv" <<END
id,number,name,classification,type
bank,1000,Bank,Asset,Bank
capital,3000,Capital,Equity,Capital
sales,4000,Sales,Income,Sales
rent,6000,Rent,Expense,Expense
END
printf 'metric,2025-01,2025-02\nHeadcount,3,4\n' > "$company/heads.csv"
echo transaction_id,date,account,amount > "$company/ledger.csv"
entry 1 2025-01-01 bank capital 1000.00
entry 2 2025-02-10 bank sales 250.00
