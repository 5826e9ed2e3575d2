/** What an insider with the real key writes into manifests and log beside figures that hold. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openSigner, type Signer } from '../../builder/snapshot/key-file.ts'
import type { Manifest } from '../../builder/snapshot/manifest.ts'
import { verifyFolder } from '../../builder/verify/verify.ts'
import { goodCompany, inWorkspaceOf, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { copyOf, rewriteHistory } from './attacker.ts'

const test = suite<{ top: string; honest: string; signer: Signer }>('stated')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-stated-'))
  context.honest = join(context.top, 'honest')
  await inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    const built = await tieout(['build'], { cwd })
    assert.is(built.code, 0, built.out + built.err)
    copyOf(cwd, context.honest)
  })
  context.signer = await openSigner(join(context.honest, '.tieout'))
})
test.after(({ top }) => rmSync(top, { recursive: true, force: true }))

type Stated = Readonly<Record<string, unknown>>

const CASES: Readonly<Record<string, [stated: (manifest: Manifest) => Stated, told: RegExp]>> = {
  'another first day': [
    ({ Coverage }) => ({ Coverage: { ...Coverage, StartDate: '2024-01-01' } }),
    /states the first day as 2024-01-01, the books give 2025-01-01/,
  ],
  'another currency': [() => ({ Currency: 'EUR' }), /states the currency as EUR, the books give USD/],
  'another number of documents': [
    ({ Totals }) => ({ Totals: { ...Totals, Documents: 1 } }),
    /states the number of documents as 1, the books give \d+/,
  ],
  'another number of postings': [
    ({ Totals }) => ({ Totals: { ...Totals, Postings: Totals.Postings + 1 } }),
    /states the number of postings as \d+, the books give \d+/,
  ],
  'another number of transactions': [
    ({ Totals }) => ({ Totals: { ...Totals, Transactions: 1 } }),
    /states the number of transactions as 1, the books give \d+/,
  ],
  'no sources': [() => ({ Inputs: null }), /not a manifest any more: Inputs: /],
  'a warning that is none': [() => ({ Warnings: [null] }), /not a manifest any more: Warnings\.0: /],
  'a lock date that is a number': [() => ({ LockedThrough: 5 }), /not a manifest any more: LockedThrough: /],
  'no coverage': [() => ({ Coverage: {} }), /not a manifest any more: Coverage\.StartDate: /],
}

for (const [name, [stated, told]] of Object.entries(CASES))
  test(name, async ({ top, honest, signer }) => {
    const folder = copyOf(join(honest, 'snapshots/acme'), join(mkdtempSync(join(top, 'case-')), 'acme'))
    await rewriteHistory(folder, signer, (manifest) => ({ ...manifest, ...stated(manifest) }) as Manifest)
    const { outcome, companies } = await verifyFolder(folder, 'company', {
      figures: true,
      known: signer.known,
    })
    assert.is(outcome, 'damaged')
    const all = companies.flatMap(({ damages, snapshots }) => [
      ...damages,
      ...snapshots.flatMap((each) => each.damages),
    ])
    const messages = all.map(({ message }) => message).join('\n')
    assert.match(messages, told)
    assert.not.match(messages, /Cannot read|is not a function/)
  })

const RESTATEMENT = {
  ...{ Since: '2024-12-r1-aaaaaa', LockDate: '2025-01-31', Reason: 'invoice 2210 was booked wrongly' },
  ...{ Figures: 1, Documents: 1, Days: 1, Months: ['2025-01'], GoneMonths: [], First: [] },
}
for (const [reason, said] of [
  [null, 'no reason'],
  ['the board wants it', 'the reason "the board wants it"'],
] as const)
  test(`a line that gives ${said} where the manifest gives another`, async ({ top, honest, signer }) => {
    const folder = copyOf(join(honest, 'snapshots/acme'), join(mkdtempSync(join(top, 'case-')), 'acme'))
    const told = async (given?: string | null): Promise<string> => {
      await rewriteHistory(folder, signer, (manifest) => ({ ...manifest, Restatement: RESTATEMENT }), given)
      const found = await verifyFolder(folder, 'company', { figures: false, known: signer.known })
      return found.companies[0]!.damages.map(({ message }) => message).join('\n')
    }
    assert.ok((await told(reason)).includes(`log.jsonl gives ${said} for the publication of`))
    assert.not.match(await told(), /for the publication of/)
  })

test.run()
