#!/bin/sh
# Makes a workspace with an earlier program, as one of the zips beside this script. They are committed, and never made again by a
# later program: say where the compiled program of that commit is, and where the archive goes.
#   git worktree add /tmp/earlier 1a90d8e4 && (cd /tmp/earlier && npm ci)
#   sh test/evidence/landed/make.sh /tmp/earlier/dist/cli/main.js test/evidence/landed/0.1.0.zip.br
# 0.1.0 is commit 1a90d8e4; 1.0.0-2071217f and 1.0.0-3f55b2e8 are the two that were released as 1.0.0; 1.0.0+b8ee49f9-03532ba6 made the first
# snapshots of format 3, 1.0.0+2c69c4da-4dc0c58b those of format 4 (dist/cli/tieout.cjs), 1.0.0+2de8ff5a-ec1646f5 the first pages with
# cards, 1.0.0+119aa858-75dd7007 the first with ratios, 2.0.0+9e4b9e69-bd2ebb3f is the first of 2.0.0, 2.0.0+5b62e8e7-40b60858 has a group,
# whose translated lines it rounded by account, and 2.0.0+2fae1258-f3a7454f is the first with 29 rules. What a program cannot do yet is left out.
. "$(dirname "$0")/../begin.sh"

# Ends well: exit code 0, or 5 where somebody else has to approve it.
done_() { tieout "$@" || [ $? = 5 ] || { cat "$top/out"; echo "$@"; exit 1; }; }
knows() { node "$program" --help 2>&1 | grep -q "^ *$1"; }

printf 'keepInputs: true\nretention: { keepLast: 4 }\n' > "$books/tieout.yaml"
echo "opening: { transactions: ['1'] }" >> "$company/company.yaml"
done_ build
entry 3 2025-03-01 rent bank 10.00
done_ build
done_ snapshots hold acme "$(current)" --reason 'tax audit of 2025'
printf 'lockDate: 2025-02-28\n' >> "$company/company.yaml"
entry 4 2025-03-02 rent bank 11.00
done_ build
before=$(current)
entry 5 2025-02-20 rent bank 5.00
done_ build acme --restate 'the rent of February was forgotten'
after=$(current)
done_ use acme "$before" --reason 'the auditor looks at it'
done_ use acme "$after" --reason 'the auditor is done'
if knows close; then
  done_ close acme 2025-03
  sed -i /lockDate/d "$company/company.yaml"
  entry 6 2025-03-20 rent bank 6.00
  done_ build acme --restate 'the rent of March was booked late'
  done_ reopen acme 2025-03 --reason 'the bank statement came late'
  done_ keys signing rotate --reason 'every year in January'
  entry 7 2025-03-21 bank sales 70.00
  done_ build
  tieout keys signing list
  old=$(grep -o '"keyId": *"[^"]*"\|"KeyId":"[^"]*"' "$books/snapshots/acme/log.jsonl" | head -1 | sed 's/.*:"\(.*\)"/\1/')
  done_ keys signing revoke "$old" --reason 'a laptop was stolen'
  TIEOUT_APPROVER_PASSPHRASE= tieout approvers key --to "$top/ann.pem" --name Ann --json || { cat "$top/out"; exit 1; }
  key=$(grep -o '"key": *"[^"]*"' "$top/out" | sed 's/.*"\([^"]*\)"$/\1/')
  printf 'approval: required\napprovers: [{ name: Ann, key: %s }]\n' "$key" >> "$books/tieout.yaml"
  entry 8 2025-03-22 bank sales 80.00
  done_ build
  done_ approve acme --key "$top/ann.pem"
  entry 9 2025-04-02 rent bank 12.00
  done_ build
  done_ approve acme --key "$top/ann.pem"
  done_ prune --yes --reason 'nobody needs the first ones'
  done_ approve acme --key "$top/ann.pem"
else
  done_ prune --yes --reason 'nobody needs the first one'
fi
if knows bridge; then
  mkdir "$books/datasets/euro" "$books/datasets/group"
  sed 's/acme/euro/; s/Acme/Euro/; s/USD/EUR/; /^lockDate/d; /eads/d' "$company/company.yaml" > "$books/datasets/euro/company.yaml"
  cp "$company/chart.csv" "$books/datasets/euro"
  cp "$company/chart.csv" "$books/datasets/group"
  company=$books/datasets/euro
  echo transaction_id,date,account,amount > "$company/ledger.csv"
  entry 1 2025-01-01 bank capital 100.03
  for day in 03 04 05 06 07; do entry "2$day" "2025-02-$day" rent bank 3.33; entry "3$day" "2025-02-$day" bank sales 7.77; done
  done_ build euro
  done_ approve euro --key "$top/ann.pem"
  company=$books/datasets/group
  cat > "$company/company.yaml" <<END
id: group
name: Group
fiscalMonthEnd: 12
currency: USD
chartOfAccounts: chart.csv
group:
  members: [{ company: acme }, { company: euro }]
  rates: rates.csv
END
  printf '1 EUR = x USD\ncurrency,month,average,closing\nEUR,2024-12,,1.04\n' > "$company/rates.csv"
  for month in 01 02 03 04; do echo "EUR,2025-$month,1.0${month}7,1.0${month}9" >> "$company/rates.csv"; done
  done_ build group
  done_ approve group --key "$top/ann.pem"
  done_ verify group --sources
fi
done_ verify acme
rm -rf "$books/.tieout/cache"
find "$books" -name '*.mdb' -delete
rm "$top/out"
node "$program" --version > "$top/version"
(cd "$top" && find . -type f | sort | TZ=UTC zip -q -X -0 -@ "$top.zip")
# Many small files that are alike: compressed together, they take a sixth of what they take one by one.
node -e '
const { readFileSync, writeFileSync } = require("node:fs")
const { brotliCompressSync, constants } = require("node:zlib")
writeFileSync(process.argv[2], brotliCompressSync(readFileSync(process.argv[1]), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }))
' "$top.zip" "$archive"
rm -rf "$top" "$top.zip"
