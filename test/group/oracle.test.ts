/** Random groups against a second implementation of IAS 21, in Python: no difference in any figure. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { lastDay, monthOf } from '../../builder/contract/calendar.ts'
import { currencyDecimals, formatInteger } from '../../builder/contract/currency.ts'
import { chosen, seed } from '../seed.ts'
import { suite } from '../suite.ts'
import { GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { type Random, seeded } from '../support/random.ts'
import { type Built, buildIn, CHART, type Files, writeFiles } from '../support/workspace.ts'

const ORACLE = fileURLToPath(new URL('oracle.py', import.meta.url))
const python = spawnSync('python3', ['-c', ''])
const test = suite('oracle')
test.needs(python.status === 0 ? null : 'no python3')

const CURRENCIES = ['USD', 'EUR', 'JPY', 'KWD']
const MONTHS = ['2025-01', '2025-02', '2025-03', '2025-04']
const BEFORE = '2024-12'
const KINDS = Object.fromEntries(
  CHART.split('\n')
    .slice(1, -1)
    .map((row) => [row.split(',')[0]!, row.split(',')[3]!]),
)
/** Entries that no rule of the cash flow or of closing looks into: two accounts each. */
const ENTRIES = [
  ...[
    ['bank', 'sales'],
    ['debtors', 'sales'],
    ['rent', 'creditors'],
    ['cogs', 'till'],
    ['plant', 'bank'],
  ],
  ...[
    ['bank', 'capital'],
    ['drawings', 'bank'],
    ['till', 'debtors'],
    ['creditors', 'bank'],
    ['bank', 'loan'],
  ],
] as const

type Line = [day: string, account: string, minor: number]

/** The lines of a company, and its entries as CSV. The group begins with its first member, which has no history. */
function ledgerOf(random: Random, decimals: number, hasHistory: boolean) {
  const lines: Line[] = []
  let csv = 'transaction_id,date,account,amount,department\n'
  const months = hasHistory && random.chance(70) ? ['2024-11', BEFORE, ...MONTHS] : MONTHS
  let tx = 0
  for (const month of months)
    for (let n = random.between(3, 9); n >= 0; n--) {
      const day = `${month}-${String(random.between(1, 28)).padStart(2, '0')}`
      const [debit, credit] = n === 0 ? ENTRIES[0]! : random.pick(ENTRIES)
      const minor = random.between(1, random.chance(20) ? 9 : 9_999_999)
      const department = random.pick(['', 'north', 'south'])
      tx++
      for (const [account, signed] of [
        [debit!, minor],
        [credit!, -minor],
      ] as const) {
        lines.push([day, account, signed])
        csv += `${tx},${day},${account},${formatInteger(String(signed), decimals)},${department}\n`
      }
    }
  return { lines, csv }
}

/** The first and last month of a member, and whether it leaves; the first member is one throughout. */
function daysOf(random: Random, isDated: boolean) {
  const from = isDated && random.chance(40) ? random.between(0, 2) : 0
  const to = isDated && random.chance(40) ? random.between(from, 3) : null
  return { from: MONTHS[from]!, to: MONTHS[to ?? 3]!, leaves: to !== null }
}

/** The share of each month, which may change once. */
function shareOf(random: Random): Record<string, string> {
  const some = () => random.pick(['100', '80', '51', '66.6667', '12.5'])
  const [before, after, changes] = [some(), some(), random.between(1, 6)]
  return Object.fromEntries(MONTHS.map((month, i) => [month, i < changes ? before : after]))
}

type Member = ReturnType<typeof randomMembers>[number]

/** Companies with books of their own. */
const randomMembers = (random: Random) =>
  Array.from({ length: random.between(2, 4) }, (_, i) => {
    const currency = random.pick(CURRENCIES)
    const decimals = currencyDecimals(currency)
    return { id: `m${i}`, currency, decimals, ...ledgerOf(random, decimals, i > 0) }
  })

function randomGroup(random: Random, companies: readonly Member[]) {
  const currency = random.pick(CURRENCIES)
  const inverse = random.chance(40)
  const rates: Record<string, Record<string, [string | null, string]>> = {}
  const other = currency === 'EUR' ? 'USD' : 'EUR'
  let csv = `1 ${inverse ? currency : other} = x ${inverse ? other : currency}\ncurrency,month,average,closing\n`
  for (const each of CURRENCIES) {
    let closing = random.between(100, 99_999)
    rates[each] = {}
    for (const month of [BEFORE, ...MONTHS]) {
      const text = (value: number) => (value / 1000).toFixed(random.between(3, 6))
      const average = month === BEFORE ? null : text(random.around(closing, 6))
      closing = random.around(closing, 9)
      rates[each][month] = [average, text(closing)]
      csv += `${each},${month},${average ?? ''},${rates[each][month][1]}\n`
    }
  }
  const members = companies.map((company, i) => ({
    ...company,
    map: random.chance(50) ? { till: 'bank' } : {},
    ...daysOf(random, i > 0),
    share: shareOf(random),
  }))
  const historical = members.flatMap(({ id, lines }) => {
    const days = lines.filter(
      ([day, account]) => day > '2025' && KINDS[account] === 'Equity' && random.chance(50),
    )
    const at = (date: string, account: string) => ({
      member: id,
      date,
      account,
      rate: (random.between(100, 99_999) / 1000).toFixed(4),
    })
    const own = new Map(
      days.map(([day, account]) => [`${day} ${account}`, at(day, random.chance(50) ? account : '')]),
    )
    return [...own.values(), ...(random.chance(40) ? [at('2024-12-31', 'capital')] : [])]
  })
  return { currency, inverse, csv, rates, members, historical: distinctOf(historical) }
}

const distinctOf = <T extends { member: string; date: string; account: string }>(rows: T[]): T[] => [
  ...new Map(rows.map((row) => [`${row.member} ${row.date} ${row.account}`, row])).values(),
]

function filesOfMember({ id, currency, csv }: Member): Files {
  return {
    'company.yaml': memberYaml(id, `currency: ${currency}\ndepartments: departments.csv\n`),
    ...{ 'departments.csv': 'id,name\nnorth,North\nsouth,South\n', 'ledger.csv': csv },
  }
}

function filesOfGroup(group: ReturnType<typeof randomGroup>): Files {
  const members = group.members.map(
    ({ id, map, from, to, leaves, share }) =>
      `  - { company: ${id}${map.till === undefined ? '' : ', accounts: till.csv'}${from === MONTHS[0] ? '' : `, from: ${from}-01`}${leaves ? `, to: ${lastDay(monthOf(`${to}-01`))}` : ''}, share: { ${MONTHS.map((month) => `${month}-01: ${share[month]}`).join(', ')} } }`,
  )
  return {
    'company.yaml': groupYaml(
      `members:\n${members.join('\n')}\nrates: rates.csv\nhistorical: historical.csv`,
    ).replace('currency: USD', `currency: ${group.currency}`),
    'till.csv': 'account,group_account\ntill,bank\n',
    'rates.csv': group.csv,
    'historical.csv': `member,date,account,rate\n${group.historical.map(({ member, date, account, rate }) => `${member},${date},${account},${rate}\n`).join('')}`,
  }
}

type Figures = Record<string, Record<'ProfitAndLoss' | 'BalanceSheet', Record<string, number[]>>>

/** Holds the figures of the group that was built against what the other program has of it. */
function compare(built: Built, group: ReturnType<typeof randomGroup>, where: string): void {
  const decimals = currencyDecimals(group.currency)
  const input = JSON.stringify({ ...group, decimals, kinds: KINDS, months: MONTHS, before: BEFORE })
  const { stdout, stderr } = spawnSync('python3', ['-B', ORACLE], { input, encoding: 'utf8' })
  assert.is(stderr, '')
  for (const [classId, statements] of Object.entries(JSON.parse(stdout) as Figures))
    for (const statement of ['ProfitAndLoss', 'BalanceSheet'] as const) {
      const expected = Object.entries(statements[statement]).map(([row, figures]) => [
        row,
        figures.map((minor) => formatInteger(String(minor), decimals)),
      ])
      assert.equal(
        built.statement(statement, { classId }).rows,
        Object.fromEntries(expected),
        `${where}, ${classId} ${statement}`,
      )
    }
}

/** Two groups of the same companies each, which differ in currency, rates, shares, accounts and months. */
for (const i of chosen(Array.from({ length: 10 }, (_, i) => 2 * i)))
  test(`groups ${i} and ${i + 1} of seed ${seed}`, () => {
    const members = randomMembers(seeded(`members ${seed} ${i}`))
    const companies = Object.fromEntries(members.map((member) => [member.id, filesOfMember(member)]))
    return inGroup({ ...companies, [GROUP]: {} }, async (workspace) => {
      for (const { id } of members) await buildIn(workspace, id)
      for (const n of [i, i + 1]) {
        const group = randomGroup(seeded(`group ${seed} ${n}`), members)
        writeFiles(join(workspace.datasets, GROUP), filesOfGroup(group))
        rmSync(join(workspace.snapshots, GROUP), { recursive: true, force: true })
        compare(await buildIn(workspace, GROUP), group, `group ${n}`)
      }
    })
  })
