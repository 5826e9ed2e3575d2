/**
 * What somebody who has the key publishes under another program's name, so that every signature, hash, chain and log holds: only words
 * of the program may differ. Each forgery is told of, none is a note.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import {
  type VerificationOutcome,
  type VerifiedSnapshot,
  verifyFolder,
} from '../../builder/evidence/verify/verify.ts'
import { contentHashOf } from '../../builder/snapshot/files/files.ts'
import { isReport, reportPath, snapshotId } from '../../builder/snapshot/files/layout.ts'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { buildName } from '../../builder/system/version.ts'
import { goodCompany, tieout } from '../cli/command.ts'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'
import { writeFiles } from '../support/workspace.ts'
import { copyOf, manifestOf, ofAnotherProgram, rewriteHistory, snapshotsIn } from './attacker.ts'

interface Context {
  top: string
  /** One snapshot of acme with a warning, and its sources. */
  honest: string
  signer: Signer
}

const test = suite<Context>('another program')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-program-'))
  const workspace = join(context.top, 'workspace')
  mkdirSync(workspace)
  writeFileSync(join(workspace, 'tieout.yaml'), 'keepInputs: true\n')
  writeFiles(join(workspace, 'datasets/acme'), {
    ...goodCompany('acme', '3 2025-02-11 rent 1300.00; 3 2025-02-11 bank -1300.00'),
  })
  const built = await tieout(['build'], { cwd: workspace })
  assert.is(built.code, 0, built.out + built.err)
  context.honest = join(workspace, 'snapshots/acme')
  context.signer = await openSigner(join(workspace, '.tieout'))
  const [id] = snapshotsIn(context.honest)
  assert.ok(manifestOf(context.honest, id!).Warnings.length > 0)
})

/** Changes a file, or writes one that was not there, and all that follows from it but the snapshot's own books and documents. */
async function forged(
  { top, honest, signer }: Context,
  { path, edit, manifest: change = (manifest) => manifest, pages = true }: Forgery,
): Promise<string> {
  const folder = copyOf(honest, join(mkdtempSync(join(top, 'case-')), 'acme'))
  const [id] = snapshotsIn(folder)
  let { Files, ContentHash } = manifestOf(folder, id!)
  if (path && edit) {
    const file = join(folder, id!, path)
    const before = Files.some(({ Path }) => Path === path) ? readFileSync(file, 'utf8') : ''
    const text = edit(before)
    assert.is.not(text, before, 'the forgery changes something')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    const entry = { Path: path, Bytes: Buffer.byteLength(text), Sha256: sha256(text) }
    Files = [...Files.filter(({ Path }) => Path !== path), entry].sort((a, b) => (a.Path < b.Path ? -1 : 1))
    ContentHash = contentHashOf(Files)
  }
  if (!pages) {
    Files = Files.filter(({ Path }) => !isReport(Path))
    rmSync(join(folder, id!, reportPath('')), { recursive: true })
  }
  const SnapshotId = snapshotId('2025-02', 1, ContentHash)
  if (SnapshotId !== id) renameSync(join(folder, id!), join(folder, SnapshotId))
  await rewriteHistory(folder, signer, (manifest) =>
    change({
      ...manifest,
      Files,
      ContentHash,
      SnapshotId,
      ...ofAnotherProgram(manifest),
    }),
  )
  return folder
}

interface Forgery {
  readonly path?: string
  edit?(text: string): string
  manifest?(manifest: Manifest): Manifest
  readonly sources?: boolean
  /** False: without pages, which show the same words. */
  readonly pages?: boolean
  readonly outcome: VerificationOutcome
  readonly says: RegExp
}

const PROFIT = 'statements/profit-loss/accrual/actuals/all/all.json'
const PAGE = reportPath('accrual/all/profit-loss.html')
const replacing = (path: string, from: string | RegExp, to: string) => ({
  path,
  edit: (text: string) => text.replace(from, to),
  outcome: 'read-otherwise' as const,
})

const FORGERIES: Readonly<Record<string, Forgery>> = {
  'another currency': {
    ...replacing('info.json', '"USD"', '"EUR"'),
    says: /info\.json, Currency is published as "EUR", the books give "USD"/,
  },
  'another name of the company': {
    ...replacing('info.json', '"Name":"', '"Name":"Great '),
    says: /info\.json, Name is published as "Great /,
  },
  'another end of the fiscal year': {
    ...replacing('info.json', '"FiscalMonthEnd":12', '"FiscalMonthEnd":6'),
    says: /info\.json, FiscalMonthEnd is published as 6/,
  },
  'another basis': {
    ...replacing(PROFIT, '"ACCRUAL"', '"CASH"'),
    says: /AccountingBasis is published as "CASH"/,
  },
  'another section': {
    ...replacing(PROFIT, '"Section":"Income"', '"Section":"OtherIncome"'),
    says: /Data, entry 1, Section is published as "OtherIncome"/,
  },
  'another name of an account': {
    ...replacing(PROFIT, '"Rent"', '"Consulting"'),
    says: /AccountName is published as "Consulting"/,
  },
  'other days of a period': {
    ...replacing(PROFIT, '"EndDate":"2025-02-28"}', '"EndDate":"2025-03-28"}'),
    says: /EndDate is published as "2025-03-28"/,
  },
  'a row that stands there twice': {
    ...replacing(PROFIT, /(\{"AccountId"[^\n]*),\n/, '$1,\n$1,\n'),
    says: /Data, entry 2/,
  },
  'a member that stands there twice': {
    ...replacing(PROFIT, '"Currency":', '"Currency":"EUR","Currency":'),
    outcome: 'damaged',
    says: /all\.json names "Currency" twice/,
  },
  'a member that no frame has': {
    ...replacing('books/frame.json', '"isHeader": false,', '"isHeader": false, "audited": true,'),
    says: /books\/frame\.json has members that its format has not: accounts\.audited/,
  },
  'more decimals than money has': {
    ...replacing(PROFIT, '1300.00', '1300.000000000000000001'),
    says: /all\.json writes numbers in another form than the books give/,
  },
  'an explanation where there is nothing to explain': {
    ...replacing('tie-outs.json', '{"Identity"', '{"Detail":"all is well","Identity"'),
    says: /tie-outs\.json, Data, entry 1, Detail is published as "all is well", the books give nothing/,
  },
  "this program's version beside another fingerprint": {
    manifest: (manifest) => ({ ...manifest, Tool: { ...manifest.Tool, Version: buildName() } }),
    outcome: 'damaged',
    says: /names tieout \S+ with \d+ rules, which is not program e{64}/,
  },
  'the version of a program of before its format': {
    manifest: (manifest) => ({ ...manifest, Tool: { ...manifest.Tool, Version: '0.1.0' } }),
    outcome: 'damaged',
    says: /names tieout 0\.1\.0 with \d+ rules, which is not program e{64}/,
  },
  'fewer rules than the first program of its format had': {
    manifest: (manifest) => ({ ...manifest, Tool: { ...manifest.Tool, Rules: 26 } }),
    outcome: 'damaged',
    says: /names tieout \S+ with 26 rules, which is not program e{64}/,
  },
  'a program of before there were fingerprints': {
    manifest: ({ Build: { Program: _, ...Build }, ...manifest }) => ({
      ...manifest,
      Build,
      Tool: { Name: 'tieout', Version: '0.1.0' },
    }),
    outcome: 'damaged',
    says: /names tieout 0\.1\.0 with no rules, which is not program without a fingerprint/,
  },
  'a difference in a tie-out': {
    ...replacing('tie-outs.json', '"Difference":"0.00"', '"Difference":"9.00"'),
    says: /tie-outs\.json, Data, entry 1, Difference is published as "9\.00"/,
  },
  'a tie-out left out': {
    ...replacing('tie-outs.json', /\n\{[^\n]*,(?=\n)/, ''),
    says: /tie-outs\.json, Data, entry 1/,
  },
  'a difference in the sum of tie-outs': {
    manifest: (manifest) => ({
      ...manifest,
      TieOuts: manifest.TieOuts.map((each) => ({ ...each, LargestDifference: '9.00' })),
    }),
    outcome: 'read-otherwise',
    says: /states a different outcome of "trial balance sums to zero"/,
  },
  'emptied warnings': {
    manifest: (manifest) => ({ ...manifest, Warnings: [] }),
    sources: true,
    outcome: 'read-otherwise',
    says: /states the warnings differently than the sources give it/,
  },
  'a text of an entry that no warning quotes': {
    manifest: (manifest) => ({
      ...manifest,
      Warnings: manifest.Warnings.map((each) => ({ ...each, ledgerText: ['bribe'] })),
    }),
    sources: true,
    outcome: 'read-otherwise',
    says: /states the warnings differently than the sources give it/,
  },
  'a figure on a page': {
    ...replacing(PAGE, 'data-minor="130000"', 'data-minor="30000"'),
    says: /profit-loss\.html .*"Expenses, 6000 Rent, Feb 2025": 30000 .* is not what the documents give/,
  },
  'a figure that a page shows otherwise than it states': {
    ...replacing(PAGE, '>1,300<', '>300<'),
    says: /"Expenses, 6000 Rent, Feb 2025": 130000 \(300\), as account d1 is not what the documents give/,
  },
  'a link on a page': {
    ...replacing(PAGE, 'href="../../accrual/all/cash-flow.html"', 'href="https://example.com/"'),
    says: /the link Cash flow: https:\/\/example\.com\/ leads elsewhere/,
  },
  'a label on a page': {
    ...replacing(PAGE, ' Rent<', ' Consulting<'),
    outcome: 'unproven',
    says: /6000 Consulting/,
  },
  'a script on a page': {
    ...replacing(PAGE, '</main>', '</main><script>shown()</script>'),
    outcome: 'unproven',
    says: /an element <script>/,
  },
  'a style that hides rows': {
    path: reportPath('report.css'),
    edit: (text) => `${text}tr:nth-child(2) { display: none }\n`,
    outcome: 'unproven',
    says: /report\.css .*lays out pages as no known release did/,
  },
  'a style sheet from elsewhere': {
    ...replacing(PAGE, 'href="../../report.css"', 'href="data:text/css,td{display:none}"'),
    outcome: 'unproven',
    says: /an element <link href="data:text\/css,td\{display:none\}">/,
  },
  'a link that leads to two places': {
    ...replacing(
      PAGE,
      '<a href="../../accrual/all/cash',
      '<a href="https://example.com/" href="../../accrual/all/cash',
    ),
    outcome: 'unproven',
    says: /no page as Tieout writes them/,
  },
  'other words for who hears a page': {
    ...replacing(PAGE, 'aria-label="The month', 'aria-label="Twice the month'),
    outcome: 'unproven',
    says: /aria-label="Twice the month/,
  },
  'a text behind a comment that ends where it begins': {
    ...replacing(PAGE, '</main>', '<!--> <p>Net income is 9,000.</p> --></main>'),
    outcome: 'unproven',
    says: /no page as Tieout writes them/,
  },
  'a row that is part of a title, which browsers do not show': {
    ...replacing(PAGE, /<tr class="account[^>]*>(?:(?!<tr).)* Rent<.*?<\/tr>/s, '<title>$&</title>'),
    outcome: 'unproven',
    says: /an element <title> in <tbody>/,
  },
  'a title without an end': {
    ...replacing(PAGE, '</title>', ''),
    outcome: 'unproven',
    says: /no page as Tieout writes them/,
  },
  'figures below the heads of other columns': {
    ...replacing(PAGE, '<th scope="row">', '<th scope="row" colspan="4">'),
    outcome: 'read-otherwise',
    says: /is no figure that the documents are known to give there/,
  },
  'a figure that the style sheet hides': {
    ...replacing(PAGE, '<td data-minor=', '<td class="share" data-minor='),
    outcome: 'read-otherwise',
    says: /is not what the documents give/,
  },
  'a total that is shown as a heading': {
    ...replacing(PAGE, '<tr class="total d0"', '<tr class="heading d0"'),
    outcome: 'read-otherwise',
    says: /is not what the documents give/,
  },
  'the heading of another statement': {
    ...replacing(PAGE, /<h1>[^<]*/, '<h1>Cash flow'),
    outcome: 'unproven',
    says: /the text "Cash flow" in <h1>/,
  },
  'a page without its warnings': {
    ...replacing(reportPath('accrual/all/index.html'), /<h2>Warnings<\/h2>\s*<ul.*?<\/ul>/s, ''),
    outcome: 'unproven',
    says: /the text "Warnings" in <h2> is missing/,
  },
  'a ledger of its own beside the books': {
    path: 'books/postings-final.csv',
    edit: () => 'date,account,amount\n',
    outcome: 'damaged',
    says: /books\/postings-final\.csv was published, but the books of a snapshot have no such file/,
  },
  'a page of its own': {
    path: reportPath('accrual/all/summary.html'),
    edit: () => '<p>All is well.</p>',
    outcome: 'unproven',
    says: /summary\.html was published, but such a snapshot has no such page/,
  },
}

async function verified(folder: string, { signer }: Context, sources: boolean, isKnown = true) {
  const known = isKnown ? signer.known : null
  const { outcome, companies } = await verifyFolder(folder, 'company', { figures: true, known, sources })
  assert.is(companies.length, 1)
  return { outcome, snapshot: companies[0]!.snapshots[0]! }
}

const told = ({ damages, readings, unproven, notes }: VerifiedSnapshot): string =>
  [...[...damages, ...readings].map(({ message }) => message), ...unproven, ...notes].join('\n')

/** Without a key everybody could have written that it was another program. */
const UNKEYED = alike(Object.keys(FORGERIES))
for (const [name, forgery] of Object.entries(FORGERIES))
  test(name, async (context) => {
    const folder = await forged(context, forgery)
    const { outcome, snapshot } = await verified(folder, context, forgery.sources ?? false)
    assert.is(outcome, forgery.outcome, told(snapshot))
    assert.match(told(snapshot), forgery.says)
    if (forgery.sources || forgery.outcome !== 'read-otherwise' || !UNKEYED.includes(name)) return
    assert.is((await verified(folder, context, false, false)).outcome, 'damaged', 'without a known key')
  })

const WORDED: Readonly<Record<string, Omit<Forgery, 'outcome'>>> = {
  'the name of a computed row': {
    ...replacing('statements/cash-flow/accrual/actuals/all/all.json', '"Net income"', '"Result"'),
    pages: false,
    says: /differs in wording from what the books give; no figure differs/,
  },
  'the layout of a page': {
    ...replacing(PAGE, /\n<tbody>/g, '\n\n  <tbody>'),
    says: /each of their figures, labels and links is as the documents give it/,
  },
  'other decimals in a drawing': {
    ...replacing(reportPath('accrual/all/index.html'), / y="(\d+)"/, ' y="$1.00"'),
    says: /each of their figures, labels and links is as the documents give it/,
  },
  'the words of a warning': {
    manifest: (manifest) => ({
      ...manifest,
      Warnings: manifest.Warnings.map((each) => ({ ...each, message: 'Money is missing', remedy: null })),
    }),
    sources: true,
    pages: false,
    says: /warnings are worded otherwise/,
  },
}
for (const [name, forgery] of Object.entries(WORDED))
  test(`a note: ${name}`, async (context) => {
    const folder = await forged(context, { ...forgery, outcome: 'verified' })
    const { outcome, snapshot } = await verified(folder, context, forgery.sources ?? false)
    assert.is(outcome, 'verified', told(snapshot))
    assert.match(snapshot.notes.join('\n'), forgery.says)
  })
