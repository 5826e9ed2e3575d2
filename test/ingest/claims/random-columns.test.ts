/**
 * Columns and titles that change the meaning of rows, put into correct exports of each format of the corpus by seed, in the languages that
 * are read: nothing is read as if they were not there. And the same exports without them are not asked.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { type Company, companySchema } from '../../../builder/workspace/company.ts'
import type { Finding } from '../../../builder/workspace/finding.ts'
import { inFolder } from '../folder.ts'

const claims = suite('columns and titles by seed')
const CORPUS = fileURLToPath(new URL('../corpus/', import.meta.url))

/** Header, what all rows of the books say, and what some rows say that may not be of the books. */
const COLUMNS: readonly (readonly [header: string, usual: string, other: string])[] = [
  ['Status', 'Posted', 'Draft'],
  ['Status', 'Approved', 'Voided'],
  ['Document status', 'P', 'U'],
  ['Statut', 'Comptabilisé', 'Brouillon'],
  ['Buchungsstatus', 'Gebucht', 'Storniert'],
  ['Bokföringsstatus', 'Bokförd', 'Makulerad'],
  ['Status', 'Bogført', 'Kladde'],
  ['Status', 'Geboekt', 'Concept'],
  ['Estado del asiento', 'Contabilizado', 'Borrador'],
  ['Situação', 'Lançado', 'Estornado'],
  ['Stato', 'Registrato', 'Bozza'],
  ['Posting', 'Yes', 'No'],
  ['Posted', 'TRUE', 'FALSE'],
  ['Gebucht', 'Ja', 'Nein'],
  ['Bokförd', 'Ja', 'Nej'],
  ['Comptabilisé', 'Oui', 'Non'],
  ['Voided', '', 'Yes'],
  ['Annullerad', '', 'X'],
  ['Storniert', 'Nein', 'Ja'],
  ['Deleted', 'false', 'true'],
  ['Remarks', 'ok', 'void'],
  ['Scenario', 'Actual', 'Budget'],
  ['Szenario', 'Ist', 'Prognose'],
  ['Escenario', 'Real', 'Presupuesto'],
  ['Scénario', 'Réalisé', 'Prévision'],
  ['Version', 'Utfall', 'Budget'],
  ['ACTUAL_FLAG', 'A', 'B'],
  ['Kind', 'x', 'Forecast'],
  ['Company', 'Acme Ltd', 'Beta Ltd'],
  ['Buchungskreis', '1000', '2000'],
  ['Bolag', 'Acme AB', 'Beta AB'],
  ['Société', 'Acme SA', 'Beta SA'],
  ['Legal entity', 'A', 'B'],
  ['Unit', 'kUSD', 'kUSD'],
  ['Enhet', 'TSEK', 'TSEK'],
  ['Skala', '1', 'thousands'],
  ['Period type', 'Month', 'YTD'],
  ['Periodentyp', 'Monat', 'kumuliert'],
]
const TITLES = [
  'Budget 2025',
  'Forecast',
  'Draft',
  'Utkast',
  'Amounts in thousands of USD',
  'TSEK',
  'Cumulative',
  'Kumuliert',
  'Presupuesto',
]
const BEFORE_HEADER = new Set(['tables', 'mapped'])

interface Export {
  readonly name: string
  readonly company: Company
  readonly files: Readonly<Record<string, string>>
  /** The file that holds the lines. */
  readonly ledger: string
  readonly delimiter: string
}

function filesIn(folder: string, below = ''): Record<string, string> {
  const all: Record<string, string> = {}
  for (const name of readdirSync(join(folder, below))) {
    const path = below === '' ? name : `${below}/${name}`
    if (statSync(join(folder, path)).isDirectory()) Object.assign(all, filesIn(folder, path))
    else all[path] = readFileSync(join(folder, path), 'utf8')
  }
  return all
}

/** A corpus, of which this file holds the lines. */
function exported(name: string, is: RegExp, delimiter = ','): Export {
  const files = filesIn(join(CORPUS, name, 'seed'))
  const company = companySchema.parse(parse(files['company.yaml']!)) as Company
  const ledger = Object.keys(files).find((file) => is.test(file))
  assert.ok(ledger, name)
  return { name, company, files, ledger: ledger!, delimiter }
}

const CANONICAL = `transaction_id,date,account,debit,credit
1,2025-01-05,1000,700.00,
1,2025-01-05,4000,,700.00
2,2025-01-20,1000,900.00,
2,2025-01-20,4000,,900.00
`
const CHART = 'id,number,name,classification,type\n1000,1000,Bank,Asset,Bank\n4000,4000,Sales,Income,Sales\n'
const own = (name: string, ledger: string, entry: object): Export => ({
  ...{ name, ledger: 'ledger.csv', delimiter: ',' },
  files: { 'ledger.csv': ledger, 'chart.csv': CHART, 'company.yaml': '' },
  company: companySchema.parse({
    ...{ id: 'acme', name: 'Acme', fiscalMonthEnd: 12, currency: 'USD', chartOfAccounts: 'chart.csv' },
    ledger: [{ files: 'ledger.csv', basis: 'accrual', ...entry }],
  }) as Company,
})

const EXPORTS: readonly Export[] = [
  own('tables', CANONICAL, {}),
  own('mapped', CANONICAL.replace(/^.*\n/, 'No,Day,GL,Dr,Cr\n'), {
    columns: { transaction_id: 'No + Day', date: 'Day', account: 'GL', debit: 'Dr', credit: 'Cr' },
  }),
  exported('odoo', /ledger|items|gl/i),
  exported('netsuite', /ledger|search|gl/i),
  exported('erpnext', /ledger|gl/i),
  exported('business-central', /entries|ledger|gl/i),
  exported('sage50', /ledger|gl/i),
  exported('quickbooks', /gl\.csv/),
  exported('quickbooks-desktop', /gl\.csv/),
  exported('quickbooks-journal', /gl\.csv/),
  exported('xero', /gl|ledger|xero/i),
]

const findingsOf = ({ files, company }: Export): Promise<readonly Finding[]> =>
  inFolder(files, async (folder) => {
    const intake = await ingest(company, folder)
    await intake.dispose()
    return intake.findings
  })

const DATE = /\d{4}-\d\d-\d\d|\b\d\d?[./]\d\d?[./]\d{2,4}\b|\b\d\d? \w{3} \d{4}\b/
const QUOTED = /"[^"]*"/g

/** The rows that hold lines: wide ones with a date; the header stands above the first. */
function withColumn(
  text: string,
  delimiter: string,
  header: string,
  valueAt: (line: number) => string,
): string {
  const rows = text.split('\n')
  const width = (row: string) => row.replace(QUOTED, 'x').split(delimiter).length
  const widest = Math.max(...rows.map(width))
  const isLine = (row: string) => width(row) === widest && DATE.test(row)
  const first = rows.findIndex(isLine)
  const at = rows.slice(0, first).findIndex(
    (row) =>
      row
        .replace(QUOTED, 'x')
        .split(delimiter)
        .filter((cell) => cell.trim() !== '').length > 3,
  )
  let line = 0
  return rows
    .map((row, i) => {
      if (row.trim() === '') return row
      const end = row.endsWith('\r') ? '\r' : ''
      const cell = i === at ? header : i > at && isLine(row) ? valueAt(line++) : ''
      return `${row.slice(0, row.length - end.length)}${delimiter}${cell}${end}`
    })
    .join('\n')
}

const told = (findings: readonly Finding[]): boolean =>
  findings.some(({ code, severity }) => /^meaning-of|^rows-left-out$/.test(code) || severity === 'error')

claims('exports as their programs write them are not asked', async () => {
  for (const each of EXPORTS) {
    const asked = (await findingsOf(each)).filter(
      ({ code, severity }) => /^meaning-of/.test(code) || severity === 'error',
    )
    assert.equal(
      asked.map(({ message }) => `${each.name}: ${message}`),
      [],
    )
  }
})

claims('300 columns and titles: none is passed over', async () => {
  const passed: string[] = []
  const seen = new Set<string>()
  for (let seed = 0; seed < 300; seed++) {
    const each = EXPORTS[seed % EXPORTS.length]!
    const text = each.files[each.ledger]!
    const round = Math.floor(seed / EXPORTS.length)
    const isTitle = BEFORE_HEADER.has(each.name) && round % 3 === 2
    const [header, usual, other] = COLUMNS[(seed * 7 + round) % COLUMNS.length]!
    const title = TITLES[(seed + round) % TITLES.length]!
    const step = 2 + (seed % (BEFORE_HEADER.has(each.name) ? 3 : 5))
    const changed = isTitle
      ? `${title}${each.delimiter.repeat(4)}\n${text}`
      : withColumn(text, each.delimiter, header, (line) => (line % step === step - 1 ? other : usual))
    assert.is.not(changed, text)
    const findings = await findingsOf({ ...each, files: { ...each.files, [each.ledger]: changed } })
    const what = isTitle ? title : `${header}: ${usual} | ${other}`
    seen.add(`${each.name} ${what}`)
    if (!told(findings)) passed.push(`${seed} ${each.name}: ${what}`)
  }
  assert.equal(passed, [])
  assert.ok(seen.size > 200, String(seen.size))
})

claims('a column that says of all rows that they count is not asked, and changes nothing', async () => {
  for (const each of EXPORTS)
    for (const [header, usual] of COLUMNS.filter(([, usual, other]) => usual !== other && usual !== '')) {
      const changed = withColumn(each.files[each.ledger]!, each.delimiter, header, () => usual)
      const findings = await findingsOf({ ...each, files: { ...each.files, [each.ledger]: changed } })
      const asked = findings.filter(({ code, severity }) => /^meaning-of/.test(code) || severity === 'error')
      assert.equal(
        asked.map(({ message }) => `${each.name} ${header}: ${message}`),
        [],
      )
    }
})

claims.run()
