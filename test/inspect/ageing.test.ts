/** Ageing: a company worked by hand, and random ones held against another program, which was written from docs/audit.md. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseXlsx } from '../../builder/ingest/workbook/xlsx.ts'
import { type Ageing, type AgeingRequest, ageing } from '../../builder/inspect/audit/ageing.ts'
import { ageingSheets, writeSheets } from '../../builder/report/export/audit-workbook.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { alike, seed } from '../seed.ts'
import { suite } from '../suite.ts'
import { inPublished } from '../support/published.ts'
import { type Random, seeded } from '../support/random.ts'
import { CHART, COMPANY, companyYaml } from '../support/workspace.ts'

const test = suite('ageing')

const published = (ledger: string, run: (workspace: Workspace) => Promise<void>): Promise<void> =>
  inPublished(
    {
      'company.yaml': companyYaml('opening: { references: [OPENING] }'),
      'chart.csv': CHART,
      'ledger.csv': ledger,
    },
    async (workspace) => {
      await run(workspace)
    },
  )

const ask = (workspace: Workspace, request: Partial<AgeingRequest> = {}) =>
  ageing(workspace.snapshots, { company: COMPANY, snapshotId: null, account: null, asOf: null, ...request })

async function aged(workspace: Workspace, request: Partial<AgeingRequest> = {}): Promise<Ageing> {
  const { value, findings } = await ask(workspace, request)
  assert.is(findings, undefined, JSON.stringify(findings))
  assert.ok(value!.addsUp)
  return value!
}

const rowsOf = ({ sections }: Ageing): string[] =>
  sections.flatMap(({ side, parties }) =>
    parties.map(
      ({ partyId, party, amounts, total }) => `${side} ${partyId} ${party}: ${amounts.join(' ')} = ${total}`,
    ),
  )

const LEDGER = `transaction_id,date,account,amount,reference,settles,open_item,party,party_id,due_date
OB,2025-01-01,bank,200.00,OPENING,,,,,
OB,2025-01-01,debtors,300.00,OPENING,,,Jones,C2,2024-12-10
OB,2025-01-01,debtors,50.00,OPENING,,,Smith,C1,
OB,2025-01-01,capital,-550.00,OPENING,,,,,
I1,2025-01-20,debtors,1000.00,,,,Smith,C1,2025-02-19
I1,2025-01-20,sales,-1000.00,,,,Smith,C1,
P1,2025-02-01,bank,400.00,,,,,,
P1,2025-02-01,debtors,-400.00,,I1,,Smith & Sons,C1,
P2,2025-02-03,bank,120.00,,,,,,
P2,2025-02-03,debtors,-120.00,,OB,,Jones,C2,
N1,2025-02-04,returns,100.00,,,,,,
N1,2025-02-04,debtors,-100.00,,I1,,Smith & Sons,C1,
A1,2025-02-05,bank,70.00,,,,,,
A1,2025-02-05,debtors,-70.00,,I2,,Brown,,
X1,2025-02-06,debtors,9.00,,,,,,
X1,2025-02-06,sales,-9.00,,,,,,
I2,2025-02-10,debtors,200.00,,,,Brown,,2025-03-10
I2,2025-02-10,sales,-200.00,,,,Brown,,
B1,2025-02-11,rent,80.00,,,,,,
B1,2025-02-11,creditors,-80.00,,,,Landlord,V1,
B2,2025-02-20,rent,80.00,,,,,,
B2,2025-02-20,creditors,-80.00,,,,Landlord,V1,
B3,2025-03-01,creditors,100.00,,,,Landlord,V1,
B3,2025-03-01,bank,-100.00,,,,,,
`

test('a page has the cells of the workbook, and what a party is called is text on it', () =>
  published(LEDGER.replaceAll('Landlord', '<b>Land & Lord</b>'), async (workspace) => {
    const sheets = () => ageingSheets(found, 'this program')
    const found = await aged(workspace, { asOf: '2025-02-28' })
    const [page, workbook] = ['html', 'xlsx'].map((ending) => join(workspace.root, `ageing.${ending}`))
    await writeSheets(sheets(), page!)
    await writeSheets(sheets(), workbook!)
    const text = readFileSync(page!, 'utf8')
    const cells = [...text.matchAll(/<tr>(.*)<\/tr>/g)].map(([, row]) =>
      [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) =>
        unescaped(cell!).replace(/(?<=\d),(?=\d{3})/g, ''),
      ),
    )
    const parsed = await parseXlsx(readFileSync(workbook!), '.', workbook!)
    const rows = parsed.sheets.flatMap(({ rows }) => rows.map(({ cells }) => cells))
    const isAmount = (cell: string) => /^-?\d+(\.\d+)?$/.test(cell)
    const alike = (all: readonly (readonly string[])[]) =>
      all
        .filter(({ length }) => length > 1)
        .map((row) => row.map((cell) => (isAmount(cell) ? String(Number(cell)) : cell)).join('|'))
    assert.ok(cells.flat().includes('<b>Land & Lord</b>'))
    assert.not.match(text, /<b>/)
    assert.equal(alike(cells), alike(rows))
  }))

const unescaped = (text: string): string =>
  text.replace(
    /&(lt|gt|quot|#39|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name]!,
  )

test('by open items, which keep the party of their document; by last movements, where nothing says what settles what', () =>
  published(LEDGER, async (workspace) => {
    const march = await aged(workspace)
    assert.equal(rowsOf(march), [
      'receivables null Brown: 0.00 130.00 0.00 0.00 0.00 = 130.00',
      'receivables C2 Jones: 0.00 0.00 0.00 0.00 180.00 = 180.00',
      // 500.00 of the invoice, 40 days over due; what Smith owed before the books has no due date.
      'receivables C1 Smith & Sons: 0.00 0.00 500.00 50.00 0.00 = 550.00',
      'receivables null null: 0.00 0.00 9.00 0.00 0.00 = 9.00',
      'payables V1 Landlord: 0.00 0.00 60.00 0.00 0.00 = 60.00',
    ])
    assert.equal(
      march.sections.map(({ accounts, lines, dueDates, withoutParty }) => [
        accounts
          .map(({ number, by, balance, difference }) => `${number} ${by} ${balance} ${difference}`)
          .join(),
        ...[lines, dueDates, withoutParty],
      ]),
      [
        ['1100 items 869.00 0.00', 5, 3, '9.00'],
        ['2000 movements 60.00 0.00', 1, 0, '0.00'],
      ],
    )
    // Before its invoice an advance stands with a minus; Smith has the old name, the landlord both bills.
    assert.equal(rowsOf(await aged(workspace, { asOf: '2025-02-09', account: '1100' })), [
      'receivables null Brown: 0.00 -70.00 0.00 0.00 0.00 = -70.00',
      'receivables C2 Jones: 0.00 0.00 0.00 180.00 0.00 = 180.00',
      'receivables C1 Smith & Sons: 500.00 0.00 50.00 0.00 0.00 = 550.00',
      'receivables null null: 0.00 9.00 0.00 0.00 0.00 = 9.00',
    ])
    assert.equal(rowsOf(await aged(workspace, { asOf: '2025-01-31', account: 'debtors' })), [
      'receivables C2 Jones: 0.00 0.00 300.00 0.00 0.00 = 300.00',
      'receivables C1 Smith: 1000.00 0.00 50.00 0.00 0.00 = 1050.00',
    ])
    const codes = async (request: Partial<AgeingRequest>) =>
      (await ask(workspace, request)).findings!.map(({ code }) => code)
    assert.equal(await codes({ asOf: '2025-04-01' }), ['not-a-day'])
    assert.equal(await codes({ account: '1101' }), ['unknown-account'])
  }))

test('an open item is of one party, by whatever name its lines have; a line id does not stand for an entry', () =>
  published(
    `transaction_id,line_id,date,account,amount,settles,open_item,party
1,2,2025-01-05,debtors,100.00,,A,Old name
1,3,2025-01-05,sales,-100.00,,,
2,4,2025-01-06,debtors,40.00,,B,Other
2,5,2025-01-06,sales,-40.00,,,
3,6,2025-01-20,bank,90.00,,,
3,7,2025-01-20,debtors,-90.00,,A,New name
4,8,2025-01-21,bank,5.00,,,
4,9,2025-01-21,debtors,-5.00,5,,Other
`,
    async (workspace) =>
      assert.equal(rowsOf(await aged(workspace)), [
        'receivables null Old name: 0.00 10.00 0.00 0.00 0.00 = 10.00',
        'receivables null Other: 0.00 35.00 0.00 0.00 0.00 = 35.00',
      ]),
  ))

/**
 * The rules of docs/audit.md, line by line: documents and queues in the place of sets. It reads the ledger, not the books.
 */
const PYTHON = `
import csv, datetime, json, sys
def day(text): return datetime.date.fromisoformat(text)
def cents(text): return round(float(text) * 100)
SIGN = {"debtors": 1, "creditors": -1}
def aged(lines, as_of):
    out, names = {}, {}
    key = lambda l: ("id", l["party_id"]) if l["party_id"] else ("name", l["party"]) if l["party"] else None
    for l in sorted(lines, key=lambda l: l["day"]):
        if l["party"] and l["account"] in SIGN and l["day"] <= as_of: names[key(l)] = l["party"]
    for account, sign in SIGN.items():
        every = [l for l in lines if l["account"] == account]
        by_items = any(l["settles"] or l["open_item"] for l in every)
        entries = {l["transaction_id"] for l in lines}
        entry_of = {l["line_id"]: l["transaction_id"] for l in lines if l["line_id"]}
        known = [l for l in every if l["day"] <= as_of]
        groups = {}
        def document(l):
            target = l["settles"]
            if target not in entries: target = entry_of.get(target, target)
            return target
        for l in known:
            if not by_items:
                groups.setdefault(("party", key(l)), [key(l), []])[1].append(l)
                continue
            party, item = key(l), l["open_item"]
            entry = l["transaction_id"]
            if l["settles"]:
                entry = document(l)
                documents = [d for d in known if d["transaction_id"] == entry and not d["settles"]]
                parties = {key(d) for d in documents} - {None}
                items = {d["open_item"] for d in documents} - {""}
                item = items.pop() if len(items) == 1 else ""
                if len(parties) == 1: party = parties.pop()
            if item: groups.setdefault(("item", item), [None, []])[1].append((l, party))
            else: groups.setdefault(("entry", entry, party), [party, []])[1].append(l)
        for name, (party, own) in groups.items():
            if name[0] == "item":
                own.sort(key=lambda pair: pair[0]["day"])
                party = next((p for _, p in own if p), None)
                own = [l for l, _ in own]
            own = sorted(own, key=lambda l: l["day"])
            residue = sum(l["cents"] for l in own) * sign
            if residue == 0: continue
            queue = [[l, abs(l["cents"])] for l in own if l["cents"] * sign * residue > 0]
            paid = sum(abs(l["cents"]) for l in own if l["cents"] * sign * residue < 0)
            for open_line in queue:
                taken = min(paid, open_line[1])
                open_line[1] -= taken
                paid -= taken
            for l, left in queue:
                if left == 0: continue
                days = (as_of - (day(l["due_date"]) if l["due_date"] else l["day"])).days
                column = 0 if days <= 0 else 1 if days <= 30 else 2 if days <= 60 else 3 if days <= 90 else 4
                side = "receivables" if sign == 1 else "payables"
                row = out.setdefault((side, party, names.get(party)), [0] * 5)
                row[column] += left if residue > 0 else -left
    return [[s, p[1] if p and p[0] == "id" else None, n, a] for (s, p, n), a in out.items()]
lines = list(csv.DictReader(open(sys.argv[1], encoding="utf8")))
for l in lines:
    l["cents"] = cents(l["amount"])
    l["day"] = datetime.date(2024, 12, 31) if l["reference"] == "OPENING" else day(l["date"])
lines.sort(key=lambda l: l["reference"] != "OPENING")
print(json.dumps([aged(lines, day(d)) for d in sys.argv[2:]], default=str))`

const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) process.stdout.write('python3 is missing: ageing is not held against it\n')
const withPython = hasPython ? test : test.skip

const LINKS = ['settles', 'open items', 'both', 'nothing'] as const
type Links = (typeof LINKS)[number]

/** A quarter of a trading company: part payments, credit notes, advances, payments without a name, and parties that change their names. */
class Trade {
  readonly #rows: string[] = []
  readonly #random: Random
  readonly #links: Links
  #entries = 0
  #lines = 0

  constructor(random: Random, links: Links) {
    this.#random = random
    this.#links = links
  }

  #party(n: number, month: number): string {
    // The first two never had an id; every third has another name from March on.
    const name = n % 3 === 0 && month >= 3 ? `Party ${n} & Co` : `Party ${n}`
    return this.#random.chance(4) ? ',' : `${name},${n < 2 ? '' : `C${n}`}`
  }

  #line(id: string, date: string, account: string, cents: number, rest = ',,,,,'): void {
    this.#rows.push(`${id},${++this.#lines},${date},${account},${(cents / 100).toFixed(2)},${rest}`)
  }

  /** The columns behind the amount: reference, settles, open_item, party, party_id, due_date. */
  #entry(
    side: 'debtors' | 'creditors',
    cents: number,
    date: string,
    n: number,
    linked: string,
    due = '',
  ): string {
    const id = String(++this.#entries)
    const month = Number(date.slice(5, 7))
    const byItem = this.#links === 'open items' || (this.#links === 'both' && n % 2 === 0)
    const names = this.#links !== 'nothing' && linked !== ''
    const [settles, item] = [names && !byItem ? linked : '', names && byItem ? `A${linked}` : '']
    const own = this.#links !== 'nothing' && linked === '' && byItem && due !== '' ? `A${id}` : ''
    this.#line(id, date, side, cents, `,${settles},${item || own},${this.#party(n, month)},${due}`)
    const other = due === '' ? 'bank' : side === 'debtors' ? 'sales' : 'rent'
    this.#line(id, date, other, -cents)
    return id
  }

  ledger(): string {
    const random = this.#random
    const day = (month: number, of: number) => `2025-0${month}-${String(of).padStart(2, '0')}`
    const opening = (account: string, cents: number, n: number, due: string) =>
      this.#line('OB', '2025-01-01', account, cents, `OPENING,,,${this.#party(n, 1)},${due}`)
    opening('debtors', 50_000, 3, '2024-12-15')
    opening('debtors', 12_345, 4, '')
    opening('creditors', -20_000, 5, '')
    this.#line('OB', '2025-01-01', 'capital', -42_345, 'OPENING,,,,,')
    for (let i = 0; i < 60; i++) {
      const side = random.chance(60) ? 'debtors' : 'creditors'
      const sign = side === 'debtors' ? 1 : -1
      const [n, month] = [random.between(0, 6), random.between(1, 3)]
      const cents = random.between(100, 90_000)
      const date = day(month, random.between(1, 28))
      // An advance names the invoice that is booked after it.
      const next = String(this.#entries + 2)
      if (random.chance(12)) this.#entry(side, -sign * random.between(100, cents), date, n, next)
      else if (random.chance(6)) this.#entry(side, -sign * random.between(100, 5000), date, n, '')
      const isDue = random.chance(70)
      const due = isDue ? day(Math.min(month + 1, 9), random.between(1, 28)) : ''
      const id = this.#entry(side, sign * cents, date, n, '', due)
      for (let paid = random.between(0, 3); paid > 0; paid--) {
        const later = day(Math.min(3, month + random.between(0, 2)), random.between(1, 28))
        const linked = random.chance(80) ? id : ''
        const target = linked !== '' && random.chance(20) ? String(this.#lines - 1) : linked
        this.#entry(
          side,
          -sign * random.around(Math.ceil(cents / 3), 30),
          later,
          n,
          this.#links === 'settles' ? target : linked,
        )
      }
      if (random.chance(5)) this.#entry('debtors', -random.between(100, 4000), day(2, 10), 3, 'OB')
    }
    return `transaction_id,line_id,date,account,amount,reference,settles,open_item,party,party_id,due_date\n${this.#rows.join('\n')}\n`
  }
}

const DAYS = ['2025-01-15', '2025-01-31', '2025-02-14', '2025-03-03', '2025-03-28']
const CASES = Array.from({ length: 20 }, (_, i) => i)

for (const number of alike(CASES))
  withPython(`random books ${number}: every party and age of five days as another program has them`, () => {
    const links = LINKS[(number + Math.floor(number / 10)) % LINKS.length]!
    const ledger = new Trade(seeded(`ageing ${seed} ${number}`), links).ledger()
    return published(ledger, async (workspace) => {
      const file = join(workspace.datasets, COMPANY, 'ledger.csv')
      assert.is(readFileSync(file, 'utf8'), ledger)
      const { stdout, stderr } = spawnSync('python3', ['-c', PYTHON, file, ...DAYS], { encoding: 'utf8' })
      assert.is(stderr, '')
      const cents = (amount: string): number => Math.round(Number(amount) * 100)
      for (const [i, theirs] of (JSON.parse(stdout) as unknown[][]).entries()) {
        const ours = (await aged(workspace, { asOf: DAYS[i]! })).sections.flatMap(({ side, parties }) =>
          parties.map(({ partyId, party, amounts }) => [side, partyId, party, amounts.map(cents)]),
        )
        const inOrder = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
        assert.equal(inOrder(ours), inOrder(theirs), `${links}, ${DAYS[i]}`)
      }
    })
  })
