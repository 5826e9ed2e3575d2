/**
 * A ledger in which every id, memo, reference, journal, type and name of a party is a word of its own, and what people typed as reasons:
 * none of these words reaches a client without the scope, a person without the right, a line of the log or a metric.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../../builder/build/build.ts'
import { ageing } from '../../../builder/contract/ageing-schema.ts'
import { OPERATIONS } from '../../../builder/contract/operations.ts'
import {
  MANIFEST,
  pointerPath,
  reportPath,
  SIGNATURE,
  snapshotFolder,
} from '../../../builder/snapshot/files/layout.ts'
import { encodeManifest, type Manifest } from '../../../builder/snapshot/files/manifest.ts'
import { sha256 } from '../../../builder/system/hash.ts'
import { spelledOut } from '../../../builder/workspace/findings/finding.ts'
import { openWorkspace } from '../../../builder/workspace/workspace.ts'
import { type LogEntry, type RunningServer, startServer } from '../../../serve/server.ts'
import { partsOf } from '../../export/parts.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { authorizeUrl, Browser, redeem, SECRET } from '../oauth/harness.ts'
import { type BuiltWorkspace, builtWorkspace, withBob } from './workspace.ts'

interface Context {
  built: BuiltWorkspace
  running: RunningServer
  log: LogEntry[]
}
const texts = suite<Context>('ledger text')
rememberPasswords(texts)

// Long enough that no random id or key holds it by chance.
const WORD = /Zqword\w+/
let words = 0
const word = (kind: string): string => `Zqword${kind}${words++}`

const KINDS = [
  ...['memo', 'reference', 'journal', 'type', 'line', 'item', 'counterparty'],
  // No such word is a day, which a warning says.
  ...['party', 'partyid', 'enteredon', 'enteredby', 'duedate'],
]

/** Entries that warnings are about: doubled, of two years, closing, opening, without a link; and rows that are none. */
function ledger(rent: string): string {
  words = 0
  const rows: string[] = []
  const entry = (date: string, lines: string, id = word('id')) => {
    for (const line of lines.split('; ')) {
      const [account, amount] = line.split(' ')
      const about = KINDS.map(word)
      rows.push([id, date, account, amount, ...about].join(','))
    }
  }
  entry('2024-01-01', '1000 50.00; 3000 -50.00')
  entry('2024-03-05', '1200 70.00; 4000 -70.00')
  entry('2024-06-05', `6000 ${rent}; 1000 -${rent}`)
  for (const date of ['2024-08-01', '2025-02-01']) entry(date, '1000 5.00; 4000 -5.00', 'Zqwordagain')
  entry('2024-09-01', '6000 1.00; 1000 -1.00; 6000 2.00; 1000 -2.00', 'Zqwordtwice')
  rows.push(...rows.slice(-4).map((row) => row.replace(/Zqword(line|item)\w+/g, '')))
  rows.splice(-8, 4, ...rows.slice(-8, -4).map((row) => row.replace(/Zqword(line|item)\w+/g, '')))
  entry('2024-12-31', '4000 75.00; 3000 -75.00')
  return [
    'transaction_id,date,account,amount,memo,reference,journal,type,line_id,open_item,counterparty,party,party_id,entered_on,entered_by,due_date',
    ...rows,
    `,,,0.00,Total Zqwordsum${','.repeat(11)}`,
    `,,,,printed by Zqwordprinter on a Monday${','.repeat(11)}`,
    '',
  ].join('\n')
}

texts.before(async (context) => {
  const built = await builtWorkspace()
  const { workspace, write } = built
  const access = withBob(readFileSync(workspace.access, 'utf8'), 'acme, solo')
  write('access.yaml', access.replace('name: Reports', 'name: Reports\n    allowLedger: true'))
  write('tieout.yaml', 'server: { port: 0, drainSeconds: 5, admin: { port: 0 } }\n')
  const company = readFileSync(join(workspace.datasets, 'solo/company.yaml'), 'utf8')
  write(
    'datasets/solo/company.yaml',
    company
      .replace('currency: JPY', 'currency: USD')
      .replace('fiscalMonthEnd: 6', 'fiscalMonthEnd: 12\nlockDate: 2024-06-30'),
  )
  for (const rent of ['9.00', '8.00']) {
    write('datasets/solo/accrual.csv', ledger(rent))
    const result = await build(openWorkspace(workspace.root), 'solo', {
      publish: true,
      restate: 'Zqwordreason of the accountant',
    })
    assert.is(result.outcome, 'published', JSON.stringify(result.findings))
  }
  asBefore(context, built)
  context.built = built
  context.log = []
  context.running = await startServer(openWorkspace(workspace.root), {
    log: (entry) => context.log.push(entry),
  })
})
texts.after(async ({ running, built }) => {
  await running.close()
  built.remove()
})

/** The current snapshot of acme becomes one that an earlier version published: its findings quote in the message. */
function asBefore(_: Context, { workspace }: BuiltWorkspace): void {
  const pointer = JSON.parse(readFileSync(pointerPath(workspace.snapshots, 'acme'), 'utf8'))
  const folder = snapshotFolder(workspace.snapshots, 'acme', pointer.SnapshotId)
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest
  const { ledgerText: _none, ...found } = {
    ...manifest.Warnings[0]!,
    message: 'entry Zqwordold stands twice',
    text: 'Zqwordold',
  }
  const path = reportPath('accrual/all/index.html')
  const page = readFileSync(join(folder, path), 'utf8').replace(
    '<h2>Warnings</h2>',
    '<h2>Warnings</h2> entry Zqwordold stands twice',
  )
  writeFileSync(join(folder, path), page)
  const Files = manifest.Files.map((file) =>
    file.Path === path ? { Path: path, Bytes: Buffer.byteLength(page), Sha256: sha256(page) } : file,
  )
  // What a report has above its table, and the numbers of its entries.
  const stated = { Stated: ['Zqwordtitle, printed by Zqwordprinter'], Numbers: ['Zqwordseries 1 to 9'] }
  const Inputs = manifest.Inputs.map((input) => (input.Role === 'ledger' ? { ...input, ...stated } : input))
  const text = encodeManifest({ ...manifest, Inputs, Warnings: [found], Files })
  writeFileSync(join(folder, MANIFEST), text)
  writeFileSync(
    pointerPath(workspace.snapshots, 'acme'),
    JSON.stringify({ ...pointer, ManifestSha256: sha256(text) }),
  )
}

async function token({ running }: Context, ticksLedger: boolean): Promise<string> {
  const browser = new Browser(running.address)
  const page = await browser.toConsent(authorizeUrl(running.address, { scope: 'read:company read:ledger' }))
  const form = [
    ...Object.entries(page.hidden),
    ['decision', 'allow'],
    ['company', 'acme'],
    ['company', 'solo'],
  ]
  if (ticksLedger) form.push(['ledger', 'yes'])
  const back = await browser.post(page.action!, form as [string, string][])
  const { body } = await redeem(
    running.address,
    new URL(back.headers.get('location')!).searchParams.get('code')!,
  )
  return body.access_token
}

type Ask = (path: string) => Promise<Response>
const asking =
  ({ running }: Context, bearer: string): Ask =>
  (path) =>
    fetch(new URL(path, running.address), { headers: { authorization: `Bearer ${bearer}` } })

const snapshotOf = async (ask: Ask, company: string): Promise<string> =>
  (await (await ask(`/companies/${company}/info`)).headers.get('snapshot-id'))!

texts(
  'S16: no word of the ledger reaches a client without the scope, in any file or answer',
  async (context) => {
    const ask = asking(context, await token(context, false))
    const whole = asking(context, await token(context, true))
    for (const company of ['acme', 'solo']) {
      const files = `/companies/${company}/snapshots/${await snapshotOf(ask, company)}/files/`
      const cut = await ask(files + MANIFEST)
      const manifest = (await cut.json()) as { Cut: boolean; ManifestSha256: string }
      const bytes = Buffer.from(await (await whole(files + MANIFEST)).arrayBuffer())
      assert.match(bytes.toString('utf8'), WORD, 'with the scope it is whole')
      assert.equal([manifest.Cut, manifest.ManifestSha256], [true, sha256(bytes)])
      assert.is(
        cut.headers.get('repr-digest'),
        `sha-256=:${Buffer.from(sha256(bytes), 'hex').toString('base64')}:`,
      )
      assert.is.not(cut.headers.get('etag'), (await whole(files + MANIFEST)).headers.get('etag'))
      assert.equal(
        [(await ask(files + SIGNATURE)).status, (await whole(files + SIGNATURE)).status === 403],
        [403, false],
      )
      assert.not.match(JSON.stringify(manifest), WORD)
      for (const { Path } of JSON.parse(bytes.toString('utf8')).Files as Manifest['Files'])
        assert.not.match(await (await ask(files + encodeURI(Path))).text(), WORD, Path)
      for (const { method, path } of Object.values(OPERATIONS)) {
        if (method !== 'GET' || !path.startsWith('/companies')) continue
        const asked = path.replace('{CompanyId}', company).replace('{SnapshotId}', files.split('/')[4]!)
        const answer = await ask(`${asked}?StartDate=2024-01-05&EndDate=2024-12-30&AccountingBasis=ACCRUAL`)
        assert.not.match(await answer.text(), WORD, asked)
      }
    }
  },
)

const codeOf = async (answer: Response): Promise<string> => ((await answer.json()) as { code: string }).code

texts('S16: parties and their ages are answered with the scope alone, and by the schema', async (context) => {
  const ask = asking(context, await token(context, false))
  const whole = asking(context, await token(context, true))
  const path = '/companies/solo/ageing'
  const refused = await ask(path)
  assert.equal([refused.status, await codeOf(refused)], [403, 'insufficient-scope'])
  const answer = await whole(`${path}?AsOf=2024-04-30`)
  assert.is(answer.status, 200)
  const body = ageing.parse(await answer.json())
  assert.is(body.AsOf, '2024-04-30')
  const [receivables] = body.Data
  assert.equal(
    [receivables!.Side, receivables!.Total, receivables!.Amounts, receivables!.Accounts[0]!.Difference],
    ['Receivables', '70.00', ['0.00', '0.00', '70.00', '0.00', '0.00'], '0.00'],
  )
  assert.match(receivables!.Parties[0]!.Name!, /^Zqwordparty/)
  assert.match(receivables!.Parties[0]!.PartyId!, /^Zqwordpartyid/)
  for (const [query, status, code] of [
    ['?AsOf=2023-12-31', 400, 'invalid-request'],
    ['?AsOf=soon', 400, 'invalid-request'],
    ['?AccountId=9999', 404, 'unknown-account'],
    ['?Account=1200', 400, 'invalid-request'],
  ] as const) {
    const wrong = await whole(path + query)
    assert.equal([wrong.status, await codeOf(wrong)], [status, code], query)
  }
  assert.is((await whole('/companies/nobody/ageing')).status, 404)
})

/** Pages that state warnings, reasons or entries, of the last month and of one before; all others state figures. */
const SHOWN =
  /^\/reports\/(acme|solo)\/(?!months\/(?!2025-03))(.*index|\w+|accrual\/all\/[\w-]+|.*accounts\/6000\/.*)\.html$/

const textOfPdf = (path: string): string =>
  existsSync('/usr/bin/pdftotext') ? execFileSync('pdftotext', [path, '-'], { encoding: 'utf8' }) : 'Cash'

const SAVED = /accrual\/all\/(index\.(csv|xlsx|pdf)|profit-loss\.csv)$/

texts(
  'S16: no word of the ledger reaches a person without the right, on any page or in a saved file',
  async (context) => {
    const seen = { ann: '', bob: '' }
    for (const name of ['ann', 'bob'] as const) {
      const browser = new Browser(context.running.address)
      await browser.signIn('/reports/', `${name}@example.com`)
      const found = new Set(['/reports/acme/', '/reports/solo/'])
      const saved = new Set<string>()
      for (const path of found) {
        const text = await (await browser.follow(await browser.request(path))).text()
        if (name === 'ann') assert.not.match(text, WORD, path)
        seen[name] += text
        const base = new URL(path, context.running.address)
        for (const [, href] of text.matchAll(/href="([^"#]+)/g)) {
          const { pathname } = new URL(href!, base)
          if (SHOWN.test(pathname)) found.add(pathname)
          // What Bob may see anyway he may save.
          if (SAVED.test(pathname) && name === 'ann') saved.add(pathname)
        }
      }
      for (const path of saved) {
        const bytes = Buffer.from(await (await browser.request(path)).arrayBuffer())
        const at = join(context.built.workspace.datasets, '..', `${name}-${path.replaceAll('/', '-')}`)
        writeFileSync(at, bytes)
        const text = path.endsWith('csv')
          ? String(bytes)
          : path.endsWith('pdf')
            ? textOfPdf(at)
            : [...(await partsOf(at)).values()].join()
        assert.match(text, /Rent|Cash/, path)
        assert.not.match(text, WORD, path)
      }
      if (name === 'ann') assert.ok(saved.size >= 6, [...saved].join(' '))
      assert.ok(found.size > 12, [...found].join(' '))
    }
    for (const expected of [/Zqwordmemo/, /Zqwordreason/, /Zqwordold/, /Zqwordtitle/, /Zqwordseries/])
      assert.match(seen.bob, expected)
    assert.match(seen.ann, /stands? twice in this file|stand in more than one fiscal year/, 'warnings stay')
  },
)

texts('S16: no word of the ledger is in a line of the log or in the metrics', async ({ running, log }) => {
  const metrics = await (await fetch(`http://127.0.0.1:${running.adminPort}/metrics`)).text()
  assert.ok(log.length > 50 && metrics.length > 1000)
  assert.not.match(JSON.stringify(log), WORD)
  assert.not.match(metrics, WORD)
  assert.not.match(JSON.stringify(log), SECRET)
})

texts(
  'S16: what a finding quotes of entries is a member of its own; who may read the ledger gets the whole sentence',
  async ({ built }) => {
    const { snapshots } = built.workspace
    const { SnapshotId } = JSON.parse(readFileSync(pointerPath(snapshots, 'solo'), 'utf8'))
    const { Warnings } = JSON.parse(
      readFileSync(join(snapshotFolder(snapshots, 'solo', SnapshotId), MANIFEST), 'utf8'),
    ) as Manifest
    for (const found of Warnings) {
      assert.not.match(`${found.message} ${found.remedy}`, WORD)
      const quoted = found.ledgerText ?? []
      for (const text of quoted)
        assert.match(`${spelledOut(found).message} ${spelledOut(found).remedy}`, text)
    }
    assert.equal(
      [...new Set(Warnings.filter(({ ledgerText }) => ledgerText).map(({ code }) => code))].sort(),
      [
        'entry-repeated',
        'line-left-out',
        'opening-or-activity',
        'total-left-out',
        'transaction-id-in-two-years',
      ],
    )
  },
)
