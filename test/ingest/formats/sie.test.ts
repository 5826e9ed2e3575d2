/** SIE: what real files must tie to, by plain integer sums over the intake; how a file may be encoded, and damaged. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { ControlRow } from '../../../builder/ingest/format/intake.ts'
import type { Company, LedgerSetting } from '../../../builder/workspace/company.ts'
import { seed, times } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { column, fields } from '../../support/fields.ts'
import { readSie, type SieIntake } from '../../support/sie.ts'

const samples = resolve(import.meta.dirname, '../../../../shared/samples/sie')
const company: Company = {
  id: 'test',
  name: 'Test AB',
  fiscalMonthEnd: 12,
  currency: 'SEK',
  ledger: [{ files: '*.se' }],
}
const setting: LedgerSetting = { files: '*.se' }

const sample = (name: string) => ({ file: `ledger/${name}`, bytes: readFileSync(resolve(samples, name)) })
const minor = (text: string) => Math.round(Number(text) * 100)

/** Controls that tie out: [those that do, all]. Independent of the importer: nothing but integer sums. */
async function tie(intake: SieIntake, wanted: readonly ControlRow[]): Promise<[number, number]> {
  const postings = (await intake.rows()).flat()
  const first = intake.openings.map(({ yearStart }) => yearStart).sort()[0]
  const ties = wanted.filter((control) => {
    const carries = (row: { account: string | null; class: string | null; department: string | null }) =>
      row.account === control.account &&
      (control.class === null || row.class === control.class) &&
      (control.department === null || row.department === control.department)
    const year = intake.fiscalYears.find(({ start, end }) => start <= control.date && control.date <= end)!
    const from = { movement: `${control.date.slice(0, 7)}-01`, result: year.start, closing: '' }[control.kind]
    const moved = postings
      .filter((row) => carries(row) && row.date! >= from && row.date! <= control.date)
      .reduce((sum, row) => sum + minor(row.amount!), 0)
    const opened = intake.openings
      .filter((row) => row.yearStart === first && carries(row))
      .reduce((sum, row) => sum + minor(row.amount), 0)
    return minor(control.amount) === moved + (control.kind === 'closing' ? opened : 0)
  })
  return [ties.length, wanted.length]
}
const of = (intake: SieIntake, ...kinds: ControlRow['kind'][]) =>
  intake.controls.filter(({ kind }) => kinds.includes(kind))
const codes = (intake: SieIntake, severity?: 'error' | 'warning') =>
  intake.findings
    .filter((found) => severity === undefined || found.severity === severity)
    .map(({ code }) => code)

const real = suite('SIE files of real programs')
const realTest = existsSync(samples) ? real : real.skip
if (!existsSync(samples)) process.stderr.write('skipped: ../shared/samples/sie is not there\n')

const onlyWarnings = (intake: SieIntake) => assert.equal(codes(intake, 'error'), [])

realTest('transaktioner_ovnbolag.se: closings, results and months tie', async () => {
  const intake = await readSie([sample('transaktioner_ovnbolag.se')], setting, company)
  onlyWarnings(intake)
  assert.equal(await tie(intake, of(intake, 'closing', 'result')), [82, 82])
  assert.equal(await tie(intake, of(intake, 'movement')), [158, 158])
  assert.is((await intake.rows())[0]!.length, 671)
  assert.is(new Set((await intake.rows())[0]!.map((row) => row.transaction_id)).size, 163)
  assert.is(intake.sources[0]!.encoding, 'cp437')
  const opened = intake.openings.reduce((sum, row) => sum + minor(row.amount), 0)
  const prior = intake.priorResults.reduce((sum, row) => sum + minor(row.amount), 0)
  assert.is(prior, -115167815)
  assert.is(opened + prior, 0)
  // The program writes each budget record under year 0 and again under year -1: the month says which year is meant.
  assert.is(intake.budgets[0]!.rows.length, 624)
  assert.equal(
    column(
      [...intake.budgets[0]!.rows].filter(({ account, month }) => account === '3041' && month === '2011-01'),
      'amount',
    ),
    ['150000.00'],
  )
  assert.equal(codes(intake), ['unmapped-dimension'])
})

realTest('BL0001_typ4.SE: undeclared objects, history, a year that spans two', async () => {
  const intake = await readSie([sample('BL0001_typ4.SE')], setting, company)
  assert.equal(codes(intake).sort(), [
    'assumed-account',
    'undeclared-member',
    'undeclared-member',
    'unmapped-dimension',
    'voucher-history',
    'voucher-repeat',
  ])
  assert.is(intake.classes.length + intake.departments.length, 9 + 10 + 13)
  assert.is(intake.accounts.find(({ id }) => id === '9999')!.classification, 'OtherExpense')
  const ids = (await intake.rows())[0]!.map((row) => row.transaction_id!)
  assert.is(new Set(ids).size, 84)
  assert.ok(ids.includes('2009-10 A 8'))
  assert.ok(ids.includes('2009-10 1 2009-07-31')) // "#VER # 1" repeats every month
  const lineIds = (await intake.rows())[0]!.map((row) => row.line_id)
  assert.is(new Set(lineIds).size, lineIds.length)
})

realTest('the months of the year before serve as postings only where they lead to its closings', async () => {
  const psaldo: LedgerSetting = { ...setting, priorYear: 'psaldo' }
  const intake = await readSie([sample('transaktioner_ovnbolag.se')], psaldo, company)
  onlyWarnings(intake)
  assert.equal([...new Set(intake.openings.map(({ yearStart }) => yearStart))], ['2010-01-01', '2011-01-01'])
  assert.equal(await tie(intake, intake.controls), [intake.controls.length, intake.controls.length])
  assert.ok(intake.controls.some(({ kind, date }) => kind === 'result' && date === '2010-12-31'))
  const refused = await readSie([sample('typ4.se')], psaldo, company)
  assert.equal(codes(refused, 'error'), ['prior-year'])
})
realTest('MAMUT_SIE4_EXPORT.SE: balances of the year before that were not carried are named', async () => {
  const [found] = (await readSie([sample('MAMUT_SIE4_EXPORT.SE')], setting, company)).findings.filter(
    ({ code }) => code === 'closing-not-carried',
  )
  assert.is(found!.severity, 'warning')
  assert.match(found!.message, '2611 closes with -1,642,725.40 and opens with -2,086,222.50')
  assert.match(found!.message, '2650 closes with -680,347.00 and opens with -236,850.00')
})

realTest('Test4.SE: objects on balances, but on no voucher, are one finding; a setting ends it', async () => {
  const asIs = await readSie([sample('Test4.SE')], setting, company)
  assert.equal(codes(asIs, 'error'), ['objects-without-vouchers'])
  assert.match(asIs.findings.find(({ severity }) => severity === 'error')!.remedy!, '1: none')
  const without = await readSie([sample('Test4.SE')], setting, { ...company, dimensions: { '1': 'none' } })
  onlyWarnings(without)
  assert.equal(await tie(without, without.controls), [without.controls.length, without.controls.length])
  assert.ok(without.controls.length > 200)
  // Each budget stands once for nobody ({1 "0"}) and once in total.
  const march = [...without.budgets[0]!.rows].filter(
    ({ account, month }) => account === '3010' && month === '2008-03',
  )
  assert.equal(fields(march, 'amount', 'department'), [['200000.00', null]])
})

realTest('SIE4_Exempelfil_med_underdim.SE: an object of a sub-dimension is one above it too', async () => {
  const intake = await readSie([sample('SIE4_Exempelfil_med_underdim.SE')], setting, company)
  onlyWarnings(intake)
  assert.equal(
    column(
      intake.classes.filter(({ id }) => id === '0037'),
      'name',
    ),
    ['Scrum master tjafs'],
  )
})

for (const name of ['typ4si.si', 'BokOrder.si'])
  realTest(`${name} is an import file: refused by name`, async () => {
    const intake = await readSie([sample(name)], setting, company)
    assert.equal(codes(intake, 'error'), ['sie-import-file'])
    assert.match(intake.findings[0]!.message, 'no balances (#IB, #UB)')
  })

/** A small, correct file of 2024. */
const GOOD = [
  '#FLAGGA 1',
  '#FORMAT PC8',
  '#SIETYP 4',
  '#PROGRAM "Test" 1',
  '#FNAMN "Test AB"',
  '#ORGNR 556000-0001',
  '#RAR 0 20240101 20241231',
  '#RAR -1 20230101 20231231',
  '#KONTO 1510 Kundfordringar',
  '#KONTO 1930 "Bank"',
  '#KONTO 2081 Aktiekapital',
  '#KONTO 3010 "Försäljning"',
  '#KONTO 4010 Inköp',
  '#DIM 1 Kostnadsställe',
  '#DIM 6 Projekt',
  '#OBJEKT 1 N Nord',
  '#OBJEKT 6 P1 "Projekt 1"',
  '#IB 0 1930 1000.00',
  '#IB 0 2081 -1000.00',
  '#VER A 1 20240115 "Faktura"',
  '{',
  '#TRANS 1510 {} 100.00',
  '#TRANS 3010 {1 N 6 P1} -100.00 20240115 "Rad"',
  '}',
  '',
].join('\r\n')
/** The swedish letters of the fixtures, as DOS programs write them. */
const dos = (text: string) =>
  Buffer.from(text.replaceAll('ä', '\x84').replaceAll('å', '\x86').replaceAll('ö', '\x94'), 'latin1')
const read = (text: string, more: Partial<Company> = {}, entry: Partial<LedgerSetting> = {}) =>
  readSie([{ file: 'ledger/a.se', bytes: dos(text) }], { ...setting, ...entry }, { ...company, ...more })

const grammar = suite('SIE grammar')

for (const [name, bytes, encoding] of [
  ['CP437', dos(GOOD), 'cp437'],
  ['Latin-1', Buffer.from(GOOD, 'latin1'), 'iso-8859-1'],
  ['UTF-8', Buffer.from(GOOD), 'utf-8'],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${GOOD}`), 'utf-8'],
  ['UTF-16', Buffer.from(`\ufeff${GOOD}`, 'utf16le'), 'utf-16le'],
] as const)
  grammar(`${name} is detected`, async () => {
    const intake = await readSie([{ file: 'a.se', bytes }], setting, company)
    assert.equal(intake.findings, [])
    assert.is(intake.sources[0]!.encoding, encoding)
    assert.is(intake.accounts.find(({ id }) => id === '3010')!.name, 'Försäljning')
  })

const mac = (text: string) =>
  Buffer.from(text.replaceAll('ä', '\x8a').replaceAll('å', '\x8c').replaceAll('ö', '\x9a'), 'latin1')

grammar('Mac Roman is read as what it is, and told unless the encoding is stated', async () => {
  const one = [{ file: 'a.se', bytes: mac(GOOD) }]
  const found = await readSie(one, setting, company)
  assert.equal(codes(found), ['mac-roman'])
  const said = await readSie(one, { ...setting, encoding: 'macintosh' }, company)
  assert.equal(said.findings, [])
  for (const { sources, accounts } of [found, said]) {
    assert.is(sources[0]!.encoding, 'macintosh')
    assert.is(accounts.find(({ id }) => id === '3010')!.name, 'Försäljning')
  }
  // Letters of other languages in a DOS file are not those of a Mac.
  const names = GOOD.replace('Test AB', 'Müller Crème').replaceAll('ü', '\x81').replaceAll('è', '\x8a')
  const foreign = await readSie([{ file: 'a.se', bytes: dos(names) }], setting, company)
  assert.is(foreign.sources[0]!.encoding, 'cp437')
})

const findings = suite('SIE findings')

findings('no mutation makes the importer throw, and every finding says what would mend it', async () => {
  const lines = [
    ...GOOD.trimEnd().split('\r\n'),
    ...['#OIB 0 1930 {1 N} 3', '#PSALDO 0 202401 3010 {1 N} -1', '#PBUDGET 0 202401 3010 {} -1', ''],
  ]
  const line = fc.oneof(
    fc.constantFrom(...lines, '{', '}', '#VER', '#TRANS', '#RAR 0', '#UNDERDIM 20 x 20'),
    fc.string(),
  )
  const edit = fc.record({
    at: fc.nat(lines.length),
    drop: fc.nat(3),
    put: fc.array(line, { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(edit, { maxLength: 4 }),
      fc.constantFrom('psaldo' as const, 'none' as const),
      async (edits, priorYear) => {
        const text = edits
          .reduce((now, { at, drop, put }) => now.toSpliced(at, drop, ...put), lines)
          .join('\n')
        const intake = await read(text, {}, { priorYear })
        assert.ok(intake.findings.every(({ remedy, file }) => remedy !== null && file !== null))
      },
    ),
    { seed, numRuns: times(300) },
  )
})

findings('a series whose numbers repeat is named by a text of the ledger', async () => {
  const voucher = '#VER "Bosse" 1 20240110 ""\r\n{\r\n#TRANS 1930 {} 5.00\r\n#TRANS 1930 {} -5.00\r\n}\r\n'
  const { findings } = await read(GOOD + voucher + voucher)
  const found = findings.find(({ code }) => code === 'voucher-repeat')
  assert.is(found?.message, 'voucher series […]: used more than once […]')
  assert.equal(found?.ledgerText, ['Bosse', '1'])
})

findings('a file in which everything is wrong is told in full', async () => {
  const lines = Array.from({ length: 150_000 }, () => '#TRANS 1930 {} x')
  const intake = await read(GOOD.replace('#TRANS 1510 {} 100.00', lines.join('\r\n')))
  assert.is(codes(intake, 'error').length, 150_000)
})

cases(suite('SIE files'), new URL('cases/sie.yaml', import.meta.url))
