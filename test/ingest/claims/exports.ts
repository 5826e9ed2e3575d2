/** Correct exports of each format, and how a column, a title or the name of a sheet is put into each as its program would write it. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SheetData } from 'write-excel-file/node'
import { parse } from 'yaml'
import { makeBooks } from '../../../builder/books/books.ts'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { type Company, companySchema } from '../../../builder/workspace/company.ts'
import type { Finding } from '../../../builder/workspace/findings/finding.ts'
import { writeParquet } from '../../support/parquet.ts'
import { CHART, day, inFolder, LEDGER, workbook } from '../folder.ts'

const CORPUS = fileURLToPath(new URL('../corpus/', import.meta.url))

type Content = string | Buffer
/** The value of a record; '' where it has none. */
export type ValueAt = (record: number) => string

export interface Export {
  readonly name: string
  readonly company: Company
  readonly files: Readonly<Record<string, Content>>
  /** The file that holds the records. */
  readonly ledger: string
  readonly withColumn: (header: string, valueAt: ValueAt) => Promise<Content> | Content
  /** As the column is named in this format. */
  readonly nameOf: (header: string) => string
  /** Absent where nothing stands above the records. */
  readonly withTitle?: (title: string) => Promise<Content> | Content
  readonly withSheet?: (title: string) => Promise<Content> | Content
}

export const findingsOf = ({ files, company }: Export, ledger?: Content, name?: string) =>
  inFolder(ledger === undefined ? files : { ...files, [name!]: ledger }, async (folder) => {
    const intake = await ingest(company, folder)
    // What only the books see row by row.
    const isBooks = intake.ledger.some(({ kind, others }) => kind === 'parquet' && others !== undefined)
    const made = isBooks ? await makeBooks(company, intake) : null
    made?.books?.db.close()
    await intake.dispose()
    return made?.findings ?? intake.findings
  })
export const findingsWith = (each: Export, ledger: Content): Promise<readonly Finding[]> =>
  findingsOf(each, ledger, each.ledger)

function filesIn(folder: string, below = ''): Record<string, string> {
  const all: Record<string, string> = {}
  for (const name of readdirSync(join(folder, below))) {
    const path = below === '' ? name : `${below}/${name}`
    if (statSync(join(folder, path)).isDirectory()) Object.assign(all, filesIn(folder, path))
    else {
      const bytes = readFileSync(join(folder, path))
      const text = bytes.toString('utf8')
      all[path] = text.includes('\ufffd') ? bytes.toString('latin1').replace('Windows-1252', 'UTF-8') : text
    }
  }
  return all
}

const asIs = (header: string): string => header
const DATE = /\d{4}-\d\d-\d\d|\b\d\d?[./]\d\d?[./]\d{2,4}\b|\b\d\d? \w{3} \d{4}\b|\b20\d{6}\b/
const QUOTED = /"[^"]*"/g

/** A column behind the others. The rows that hold records are the wide ones with a date; the header stands above the first. */
const delimited =
  (text: string, delimiter = ',', hasDates = true): Export['withColumn'] =>
  (header, valueAt) => {
    const rows = text.split('\n')
    const width = (row: string) => row.replace(QUOTED, 'x').split(delimiter).length
    const widest = Math.max(...rows.map(width))
    const isRecord = (row: string) => width(row) === widest && (!hasDates || DATE.test(row))
    const first = rows.findIndex(isRecord)
    const isFilled = (row: string) =>
      row
        .replace(QUOTED, 'x')
        .split(delimiter)
        .filter((cell) => cell.trim() !== '').length > 2
    const at = hasDates ? rows.slice(0, first).findIndex(isFilled) : rows.findIndex(isFilled)
    let record = 0
    return rows
      .map((row, i) => {
        if (row.trim() === '') return row
        const end = row.endsWith('\r') ? '\r' : ''
        const cell = i === at ? header : i > at && isRecord(row) ? valueAt(record++) : ''
        return `${row.slice(0, row.length - end.length)}${delimiter}${cell}${end}`
      })
      .join('\n')
  }

/** Text at places of a file, once for each record. */
const inserted =
  (text: string, place: RegExp, textOf: (header: string, value: string) => string): Export['withColumn'] =>
  (header, valueAt) => {
    let record = 0
    return text.replace(place, (found) => {
      const value = valueAt(record++)
      return value === '' ? found : `${found}${textOf(header, value)}`
    })
  }

/** `Document status` → `DocumentStatus`. */
const camel = (header: string): string =>
  header
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
const dashed = (header: string): string => header.replace(/ /g, '-')
const label = (header: string): string =>
  `#${header.normalize('NFD').replace(/\p{M}/gu, '').replace(/ø/g, 'o').replace(/\W+/g, '_').toUpperCase()}`

/** The seed of a corpus, of which one file holds the records. */
function corpus(
  name: string,
  is: RegExp,
  form: (text: string) => Pick<Export, 'withColumn'> & Partial<Export> = (text) => ({
    withColumn: delimited(text),
  }),
): Export {
  const files = filesIn(join(CORPUS, name, 'seed'))
  const company = companySchema.parse(parse(files['company.yaml']!)) as Company
  const ledger = Object.keys(files).find((file) => is.test(file) && file !== 'company.yaml')
  if (ledger === undefined) throw new Error(name)
  return { name, company, files, ledger, nameOf: asIs, ...form(files[ledger]!) }
}

/** A small company; what is given replaces the entry of its ledger, or adds another. */
function own(name: string, ledger: string, content: Content, form: Partial<Export>, more: object): Export {
  const company = companySchema.parse({
    ...{ id: 'acme', name: 'Acme', fiscalMonthEnd: 12, currency: 'USD', chartOfAccounts: 'chart.csv' },
    ...{ ledger: [{ files: 'ledger.csv', basis: 'accrual' }], ...more },
  }) as Company
  const files = { 'ledger.csv': LEDGER, 'chart.csv': CHART, 'company.yaml': '', [ledger]: content }
  const text = content.toString()
  return {
    ...{ name, company, files, ledger, nameOf: asIs, withColumn: delimited(text, ',', text !== BUDGET) },
    ...(typeof content === 'string' ? { withTitle: (title: string) => `${title},,,\n${text}` } : {}),
    ...form,
  }
}

const CANONICAL = `transaction_id,date,account,debit,credit
1,2025-01-05,1000,700.00,
1,2025-01-05,4000,,700.00
2,2025-01-20,1000,900.00,
2,2025-01-20,4000,,900.00
`
const BUDGET = 'account,2025-01,2025-02\n4000,10.00,11.00\n6000,3.00,4.00\n1500,5.00,6.00\n2000,7.00,8.00\n'
const METRICS =
  'metric,date,value\nvisits,2025-01-31,4\nvisits,2025-02-28,5\nvisits,2025-03-31,6\nvisits,2025-04-30,7\n'
const BUDGETS = { budgets: [{ id: 'b', name: 'B', files: 'b.csv' }] }
const VISITS = { nonFinancial: [{ id: 'visits', name: 'Visits', aggregation: 'sum' }] }

/** The same rows in a workbook: numbers and days as such. */
function inSheet(text: string): SheetData {
  return text
    .trim()
    .split('\n')
    .map((line, row) =>
      line.split(',').map((cell) => {
        if (cell === '') return null
        if (row > 0 && /^\d{4}-\d\d-\d\d$/.test(cell)) return { value: day(cell), type: Date }
        return row > 0 && /^\d+\.\d\d$/.test(cell) ? Number(cell) : cell
      }),
    ) as SheetData
}

async function ofWorkbook(name: string, ledger: string, text: string, more: object): Promise<Export> {
  const sheet = (content: string, title = 'Data') => workbook({ [title]: inSheet(content) })
  const column = delimited(text, ',', text !== BUDGET)
  return own(
    name,
    ledger,
    await sheet(text),
    {
      withColumn: async (header, valueAt) => sheet(String(await column(header, valueAt))),
      withTitle: (title) => sheet(`${title}\n${text}`),
      withSheet: (title) => sheet(text, title),
    },
    more,
  )
}

/** A column of the canonical rows, written by DuckDB. */
async function parquetOf(header: string | null, valueAt: ValueAt): Promise<Buffer> {
  const rows = CANONICAL.trim().split('\n').slice(1)
  const values = rows.map((row, i) => {
    const [id, date, account, debit, credit] = row.split(',')
    const amount = (text = '') => `${text === '' ? 'NULL' : text}::DECIMAL(18, 2)`
    const value = `'${valueAt(i).replace(/'/g, "''")}'`
    return `('${id}', DATE '${date}', '${account}', ${amount(debit)}, ${amount(credit)}, ${value})`
  })
  const columns = `transaction_id, date, account, debit, credit, "${header ?? 'memo'}"`
  return inFolder({}, async () => {
    const path = join(tmpdir(), `tieout-claims-${process.pid}.parquet`)
    await writeParquet(path, `SELECT * FROM (VALUES ${values.join(', ')}) t(${columns})`)
    const bytes = readFileSync(path)
    rmSync(path)
    return bytes
  })
}

const xml = (text: string) => ({
  nameOf: camel,
  withColumn: inserted(
    text,
    /<\/TransactionID>/g,
    (header, value) => `<${camel(header)}>${value}</${camel(header)}>`,
  ),
  withTitle: (title: string) => text.replace('</Header>', `<HeaderComment>${title}</HeaderComment></Header>`),
})

export const EXPORTS: readonly Export[] = [
  own('tables', 'ledger.csv', CANONICAL, {}, {}),
  own(
    'mapped',
    'ledger.csv',
    CANONICAL.replace(/^.*\n/, 'No,Day,GL,Dr,Cr\n'),
    {},
    {
      ledger: [
        {
          ...{ files: 'ledger.csv', basis: 'accrual' },
          columns: { transaction_id: 'No + Day', date: 'Day', account: 'GL', debit: 'Dr', credit: 'Cr' },
        },
      ],
    },
  ),
  await ofWorkbook('workbook', 'l.xlsx', CANONICAL, { ledger: [{ files: 'l.xlsx', basis: 'accrual' }] }),
  own(
    'parquet',
    'l.parquet',
    await parquetOf(null, () => ''),
    { withColumn: parquetOf },
    { ledger: [{ files: 'l.parquet', basis: 'accrual' }] },
  ),
  corpus('odoo', /ledger/),
  corpus('netsuite', /Ledger/),
  corpus('erpnext', /ledger/),
  corpus('business-central', /entries/),
  corpus('sage50', /gl/),
  corpus('gnucash', /transactions/, (text) => ({ withColumn: delimited(text, ',', false) })),
  corpus('quickbooks', /gl\.csv/),
  corpus('quickbooks-desktop', /gl\.csv/),
  corpus('quickbooks-journal', /gl\.csv/),
  corpus('xero', /gl/),
  corpus('xero-2', /gl/),
  corpus('ads', /Detail/, (text) => ({ withColumn: delimited(text, '|') })),
  corpus('fec', /FEC/, (text) => ({ withColumn: delimited(text, '\t') })),
  corpus('sie', /\.se$/, (text) => ({
    nameOf: label,
    withColumn: inserted(text, /\n\{/g, (header, value) => `\n${label(header)} "${value}"`),
    withTitle: (title: string) => text.replace('#RAR', `#PROSA "${title}"\n#RAR`),
  })),
  corpus('saft', /xml/, xml),
  corpus('saft-pt', /xml/, xml),
  corpus('plain-text', /journal/, (text) => ({
    nameOf: dashed,
    // The comment of the posting is the last cell.
    withColumn: inserted(text, /,(?=\r?\n)/g, (header, value) => `${dashed(header)}: ${value}`),
  })),
  own('budget', 'b.csv', BUDGET, {}, BUDGETS),
  await ofWorkbook('budget workbook', 'b.xlsx', BUDGET, {
    budgets: [{ id: 'b', name: 'B', files: 'b.xlsx' }],
  }),
  own('metrics', 'm.csv', METRICS, {}, { ...VISITS, metrics: [{ files: 'm.csv' }] }),
  await ofWorkbook('metrics workbook', 'm.xlsx', METRICS, {
    ...VISITS,
    metrics: [{ files: 'm.xlsx' }],
  }),
]
