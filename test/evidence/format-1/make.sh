#!/bin/sh
# Makes books.zip with the last program that published snapshots of format 1. It is committed, and never made again by a
# later program: say where the compiled program of commit 33c3c77 is, and where the archive goes.
#   git worktree add /tmp/format-1 33c3c77 && (cd /tmp/format-1 && npm ci)
#   sh test/evidence/format-1/make.sh /tmp/format-1/dist/cli/main.js /tmp/books.zip
. "$(dirname "$0")/../begin.sh"

printf 'keepInputs: true\nretention: { keepLast: 3 }\n' > "$books/tieout.yaml"
printf 'opening: none\nbudgets: [{ id: plan, name: Plan, files: plan.csv }]\n' >> "$company/company.yaml"
printf 'account,2025-01,2025-02\n4000,200,300\n6000,50,50\n' > "$company/plan.csv"
tieout build
entry 3 2025-03-01 rent bank 10.00
tieout build
tieout snapshots hold acme "$(current)" --reason 'tax audit of 2025'
printf 'lockDate: 2025-02-28\n' >> "$company/company.yaml"
tieout build
before=$(current)
entry 4 2025-02-20 rent bank 5.00
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
