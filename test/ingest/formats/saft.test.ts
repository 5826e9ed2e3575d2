/** SAF-T Financial: what Norwegian and Portuguese programs write, and what is refused, each through a whole build. */

import * as assert from 'uvu/assert'
import type { LedgerPlan } from '../../../builder/ingest/format/intake.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { intakeOf, statedIn } from '../../support/readings.ts'
import { type SaftFile, saftFile } from '../../support/saft.ts'
import { type Files, only } from '../../support/workspace.ts'

const test = suite('SAF-T')

const yaml = (more = '', currency = 'NOK') =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: ${currency}\nledger: [{ files: "*.xml" }]\n${more}\n`

const ACCOUNTS = `
  1920 Bank 1000.00 1120.00
  1500 Kunder 0.00 0.00
  2000 Aksjekapital -1000.00 -1000.00
  2700 Utgaaende-mva 0.00 -20.00
  3000 Salg 0.00 -100.00`
const LINES = `
  1 2025-01-05 1500 120.00
  1 2025-01-05 3000 -100.00
  1 2025-01-05 2700 -20.00
  2 2025-02-10 1920 120.00
  2 2025-02-10 1500 -120.00`
const YEAR: SaftFile = { accounts: ACCOUNTS, lines: LINES }

type Given = string | Buffer | Files
const company = (given: Given, more = '', currency = 'NOK'): Files => ({
  'company.yaml': yaml(more, currency),
  ...(typeof given === 'string' || Buffer.isBuffer(given) ? { 'saft.xml': given } : given),
})
/** What is refused where it is read. */
const refusal = async (given: Given, code: string, more = '', currency = 'NOK') => {
  const { findings } = await intakeOf(company(given, more, currency))
  const found = only(findings, code)
  assert.is(found.severity, 'error')
  return found
}
/** Whatever it is written like, the books get of it what they get of {@link YEAR}. */
const readsAsYear = async (given: Given, more = '', year = saftFile(YEAR)) =>
  assert.equal(statedIn(await intakeOf(company(given, more))), statedIn(await intakeOf(company(year, more))))

test('with prefixes, on one line, with a mark, with comments, in any encoding that it declares', async () => {
  const party =
    '<Customers><Customer><CustomerID>7</CustomerID><Name>Ærlig, "Ole"</Name></Customer></Customers></MasterFiles>'
  const text = saftFile({ ...YEAR, replace: [['Bank', 'Bånk – €']] })
    .replace('</MasterFiles>', party)
    .replaceAll('</TransactionDate>', '</TransactionDate><CustomerID>7</CustomerID>')
  const { accounts, ledger } = await intakeOf(company(text))
  assert.is(accounts[0]!.name, 'Bånk – €')
  assert.match((ledger[0] as LedgerPlan).path, 'Ærlig, ""Ole""')
  const [start, ...rest] = text.split('<Transaction>')
  const latin = (encoding: string) =>
    Buffer.from(text.replace('UTF-8', encoding).replace('–', '\u0096').replace('€', '\u0080'), 'latin1')
  const utf16 = Buffer.from(`\ufeff${text.replace('UTF-8', 'UTF-16')}`, 'utf16le')
  const tags = '</Transaction>\n<Transaction><TransactionID>900</TransactionID>'
  for (const file of [
    text.replace('xmlns=', 'xmlns:n1=').replaceAll(/<(\/?)(?=[A-Z])/g, '<$1n1:'),
    text.replaceAll('\n', ''),
    text.replaceAll('\n', '\r\n'),
    text.replaceAll('\n', '\r'),
    [start, ...rest.map((each) => each.replaceAll('\n', ''))].join('<Transaction>'),
    `\ufeff${text}`,
    text.replace(/^<\?xml.*?\?>/, '<!-- by hand -->'),
    utf16,
    Buffer.from(utf16).swap16(),
    latin('windows-1252'),
    latin('ISO-8859-1'),
    text.replace('UTF-8', 'windows-1252'),
    text.replaceAll('<Transaction>', '<Transaction >').replaceAll('<Journal>', '<Journal id="1">'),
    text.replace('<AuditFile ', '<AuditFile note="a > b" '),
    text.replaceAll('<Transaction>', `<!-- ${tags.repeat(20)} --><Transaction>`),
    text.replaceAll('<Transaction>', `<?note ${tags.repeat(20)}?><Transaction>`),
  ])
    await readsAsYear(file, '', text)
  await readsAsYear(text.replaceAll('Entry 1', `<![CDATA[${tags}]]>`), '', text)
})

test('bytes that are not of the encoding that the file declares are refused', async () => {
  const text = saftFile({ ...YEAR, replace: [['Bank', 'Bånk']] })
  const latin = Buffer.from(text, 'latin1')
  assert.match((await refusal(latin, 'undecodable-text')).message, 'utf-8')
  const none = Buffer.from(text.replace(/^<\?xml.*?\?>/, ''), 'latin1')
  await refusal(none, 'undecodable-text')
  const unknown = await refusal(Buffer.from(text.replace('UTF-8', 'EBCDIC'), 'latin1'), 'unknown-encoding')
  assert.is(unknown.text, 'EBCDIC')
  const stated = yaml().replace('"*.xml" }', '"*.xml", encoding: iso-8859-1 }')
  const read = await intakeOf({ 'company.yaml': stated, 'saft.xml': latin })
  assert.equal(statedIn(read), statedIn(await intakeOf(company(text))))
})

const HOSTILE: readonly (readonly [
  name: string,
  file: (text: string) => string | Buffer,
  code: string,
  message?: string,
])[] = [
  [
    'an entity bomb',
    (text) =>
      text
        .replace(
          '<AuditFile',
          '<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n<AuditFile',
        )
        .replace('Bank', '&b;'),
    'malformed-xml',
    'DOCTYPE',
  ],
  [
    'an external entity',
    (text) => text.replace('<AuditFile', '<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<AuditFile'),
    'malformed-xml',
  ],
  ['an entity that nobody declares', (text) => text.replace('Bank', '&passwd;'), 'malformed-xml'],
  ['a file that was cut off', (text) => text.slice(0, text.indexOf('</Journal>')), 'truncated-file'],
  [
    'a file that was cut off inside a tag',
    (text) => text.slice(0, text.lastIndexOf('<Amount>') + 4),
    'truncated-file',
  ],
  ['elements that are not closed', (text) => text.replace('</Line>', ''), 'malformed-xml'],
  ['a second root', (text) => `${text}<AuditFile/>`, 'malformed-xml'],
  ['NUL', (text) => text.replace('Linje', 'Lin\0je'), 'zero-bytes'],
  [
    'deep nesting',
    (text) => text.replace('Linje', `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`),
    'malformed-xml',
  ],
  ['a text without end', (text) => text.replace('Linje', 'x'.repeat(3 << 20)), 'malformed-xml'],
  [
    'an element of many',
    (text) => text.replace('<Description>Linje', `${'<a/>'.repeat(20_000)}<Description>Linje`),
    'malformed-xml',
  ],
]
for (const [name, file, code, message = ''] of HOSTILE)
  test(`${name} is refused, with its line`, async () => {
    const found = await refusal(file(saftFile(YEAR)), code)
    assert.is(found.file, 'saft.xml')
    assert.ok(found.row! >= 1)
    assert.ok(found.message.length < 300)
    assert.match(found.message, message)
  })

test('more accounts than any chart has are refused before they fill the memory', async () => {
  const many = Array.from({ length: 200_001 }, (_, i) => `<Account><AccountID>${i}</AccountID></Account>`)
  const file = saftFile(YEAR).replace(
    '</GeneralLedgerAccounts>',
    () => `${many.join('')}</GeneralLedgerAccounts>`,
  )
  assert.match((await refusal(file, 'too-many-ids')).message, 'more than 200000 accounts')
})

cases(test, new URL('cases/saft.yaml', import.meta.url))
