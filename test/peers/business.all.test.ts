/** One business in every format: the statements are those of our own files, byte for byte, under every filter. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import * as assert from 'uvu/assert'
import { FORMATS } from '../../builder/ingest/formats.ts'
import { suite } from '../suite.ts'
import { type Business, makeBusiness } from '../support/business.ts'
import { type Built, buildWith, type Files } from '../support/workspace.ts'
import { ads } from './business/ads.ts'
import { canonicalFiles } from './business/canonical.ts'
import type { Exported, Exporter } from './business/exported.ts'
import { fec } from './business/fec.ts'
import { plainText } from './business/plain-text.ts'
import { QUICKBOOKS } from './business/quickbooks.ts'
import { saftNo120, saftNo130, saftPt } from './business/saft.ts'
import { sie } from './business/sie.ts'
import { XERO } from './business/xero.ts'

/** By the format's id: every variant that its programs write. */
const EXPORTERS: Readonly<Record<string, readonly Exporter[]>> = {
  sie: [sie],
  fec: [fec],
  saft: [saftNo120, saftNo130, saftPt],
  'plain-text': plainText,
  ads,
  quickbooks: QUICKBOOKS,
  xero: XERO,
}

const business: Business = makeBusiness()

/** Path → bytes of every statement that was published. */
function statementsOf(built: Built): Map<string, string> {
  const root = built.path('statements')
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [relative(root, path), readFileSync(path, 'utf8')]),
  )
}

const publish = (files: Files) =>
  buildWith(files, (built) => {
    assert.equal(
      built.result.findings.filter(({ severity }) => severity === 'error'),
      [],
    )
    return { statements: statementsOf(built), postings: built.result.postings }
  })

/** Most formats name accounts and tags alike: their yardstick is built once. */
const built = new Map<string, ReturnType<typeof publish>>()
function canonical(files: Files): ReturnType<typeof publish> {
  const key = JSON.stringify(files)
  const known = built.get(key) ?? publish(files)
  built.set(key, known)
  return known
}

async function compare(exported: Exported): Promise<void> {
  const [ours, theirs] = [await canonical(canonicalFiles(business, exported)), await publish(exported.files)]
  assert.ok(ours.statements.size >= 3)
  assert.equal([...theirs.statements.keys()], [...ours.statements.keys()])
  for (const [path, text] of ours.statements) assert.is(theirs.statements.get(path), text, path)
  assert.is(theirs.postings, ours.postings)
}

const formats = suite('one business in every format')

/** Their exports are compared with figures computed by hand, in test/ingest/formats/programs.test.ts. */
const BY_HAND = ['odoo', 'erpnext', 'netsuite', 'gnucash', 'business-central', 'sage50']

formats('every format is compared', () => {
  assert.equal([...Object.keys(EXPORTERS), ...BY_HAND].sort(), FORMATS.map(({ id }) => id).sort())
})

for (const [id, exporters] of Object.entries(EXPORTERS))
  for (const exporter of exporters)
    formats(`${id}: ${exporter.name}`, async () => {
      const exported = await exporter(business)
      if (exported === null)
        process.stderr.write(`skipped: no program that writes ${id} (${exporter.name})\n`)
      else await compare(exported)
    })
