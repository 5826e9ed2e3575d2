/** What formats with readers of their own, and tables that the books alone see row by row, hold in columns that nobody reads. */

import * as assert from 'uvu/assert'
import { makeBooks } from '../../../builder/books/books.ts'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { type Company, companySchema } from '../../../builder/workspace/company.ts'
import type { Finding } from '../../../builder/workspace/findings/finding.ts'
import { suite } from '../../suite.ts'
import { column } from '../../support/fields.ts'
import { inFolder, only } from '../folder.ts'
import { EXPORTS, type Export, findingsOf, findingsWith } from './exports.ts'

const formats = suite('columns of formats that nobody reads')

formats('exports as their programs write them are not asked', async () => {
  for (const each of EXPORTS) {
    const told = await findingsOf(each)
    const asked = told.filter(({ code }) => code.startsWith('meaning-of'))
    assert.equal([...column(asked, 'message'), ...errorsOf(told)], [], each.name)
  }
})

const named = (name: string): Export => EXPORTS.find((each) => each.name === name)!
/** The same company, with more in the entry of its ledger. */
const withEntry = (each: Export, more: object): Export => {
  const [entry] = each.company.ledger
  return { ...each, company: { ...each.company, ledger: [{ ...entry, ...more }] } as Company }
}
const everyOther = (usual: string, other: string) => (record: number) => (record % 2 === 1 ? other : usual)
function errorsOf(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []))
}

formats('a FEC with a column of drafts is asked by its values and counts; "count" answers', async () => {
  const fec = named('fec')
  const file = await fec.withColumn('Statut', everyOther('Validé', 'Brouillon'))
  const question = only(await findingsWith(fec, file), 'meaning-of-column')
  assert.match(
    question.message,
    /^"Statut" holds Validé \(\d+\), Brouillon \(\d+\): do all of these rows count\?$/,
  )
  assert.match(question.remedy!, 'count: { Statut: [Validé, Brouillon] }')
  assert.equal([question.file, question.row, question.column], [fec.ledger, 1, 'Statut'])
  for (const answer of [{ count: { Statut: ['Validé', 'Brouillon'] } }, { ignore: 'Statut' }])
    assert.equal(errorsOf(await findingsWith(withEntry(fec, answer), file)), [])
  // The file states sums of all lines, so that none is left out by "skip".
  const skipped = withEntry(fec, { format: 'fec', skip: { Statut: 'Brouillon' } })
  assert.is(errorsOf(await findingsWith(skipped, file)).length, 1)
})

/** Tables and reports, which have headers of any words. */
const REMARKED = EXPORTS.filter(({ nameOf }) => nameOf('A b') === 'A b').map(
  ({ name }) => [name, 'Remarks', 'ok', 'void'] as const,
)
formats('elements of SAF-T, labels of SIE, columns of others that nobody reads are asked', async () => {
  for (const [name, header, usual, other] of [
    ['saft', 'TransactionStatus', 'Posted', 'Draft'],
    ['saft-pt', 'Estado', 'Lançado', 'Rascunho'],
    ['sie', 'STATUS', 'Aktiv', 'Utkast'],
    ['ads', 'JE_Status', 'Posted', 'Parked'],
    ...REMARKED,
  ] as const) {
    const each = named(name)
    const file = await each.withColumn(header, everyOther(usual, other))
    const { message } = only(await findingsWith(each, file), 'meaning-of-column')
    assert.match(message, `"${each.nameOf(header)}" holds `)
    for (const value of [usual, other]) assert.match(message, `${value} (`)
  }
})

formats(
  'a comment of an audit file, #PROSA, and the title or sheet of a workbook say what a whole file is',
  async () => {
    const asks = async (name: string, file: Parameters<typeof findingsWith>[1]) =>
      assert.match(
        only(await findingsWith(named(name), file), 'meaning-of-title').message,
        '"Prognos 2025": do all of these rows hold actual figures',
        name,
      )
    for (const name of ['saft', 'saft-pt', 'sie', 'workbook'])
      await asks(name, await named(name).withTitle!('Prognos 2025'))
    await asks('workbook', await named('workbook').withSheet!('Prognos 2025'))
  },
)

formats('tags of a journal are asked, and so are transactions that hledger --forecast made', async () => {
  const plain = named('plain-text')
  const drafts = await plain.withColumn('status', everyOther('', 'draft'))
  assert.match(only(await findingsWith(plain, drafts), 'meaning-of-column').message, '"status" holds draft (')
  const forecast = await plain.withColumn('generated-transaction', everyOther('', '~ monthly'))
  const { message } = only(await findingsWith(plain, forecast), 'meaning-of-column')
  assert.match(
    message,
    /^"generated-transaction" holds forecast \(\d\): do all of these rows hold actual figures/,
  )
})

formats('of Parquet the values of a column are counted; "count" answers, and "skip" is refused', async () => {
  const parquet = named('parquet')
  const file = await parquet.withColumn('Remarks', everyOther('ok', 'void'))
  const question = only(await findingsWith(parquet, file), 'meaning-of-column')
  assert.is(question.message, '"Remarks" holds ok (2), void (2): do all of these rows count?')
  assert.match(question.remedy!, 'say it in ledger.0 of company.yaml: "count: { Remarks: [ok, void] }"')
  const counted = withEntry(parquet, { count: { Remarks: ['ok', 'void'] } })
  assert.equal(errorsOf(await findingsWith(counted, file)), [])
  const skipped = withEntry(parquet, { skip: { Remarks: 'void' } })
  assert.match(errorsOf(await findingsWith(skipped, file)).join(), 'nor left out by rows')
})

formats('every row of a canonical ledger is looked at, whatever its header says', async () => {
  const header = 'transaction_id,date,account,debit,credit,Remarks\n'
  const rows = Array.from({ length: 1500 }, (_, i) => {
    const remark = i === 1400 ? 'void' : 'ok'
    return `${i},2025-01-05,1000,1.00,,${remark}\n${i},2025-01-05,4000,,1.00,${remark}\n`
  })
  const chart =
    'id,number,name,classification,type\n1000,1000,Bank,Asset,Bank\n4000,4000,Sales,Income,Sales\n'
  const files = { 'company.yaml': '', 'ledger.csv': header + rows.join(''), 'chart.csv': chart }
  const asked = (more: object): Promise<readonly Finding[]> =>
    inFolder(files, async (folder) => {
      const company = companySchema.parse({
        ...{ id: 'acme', name: 'Acme', fiscalMonthEnd: 12, currency: 'USD', chartOfAccounts: 'chart.csv' },
        ledger: [{ files: 'ledger.csv', basis: 'accrual', ...more }],
      }) as Company
      const intake = await ingest(company, folder)
      const { books, findings } = await makeBooks(company, intake)
      books?.db.close()
      await intake.dispose()
      return findings
    })
  assert.is(
    only(await asked({}), 'meaning-of-column').message,
    '"Remarks" holds ok (2998), void (2): do all of these rows count?',
  )
  assert.equal(errorsOf(await asked({ skip: { Remarks: 'void' } })), [])
})
