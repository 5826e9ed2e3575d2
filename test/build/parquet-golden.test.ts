/**
 * The same ledger as CSV and as Parquet: the same statements and the same content hash, for every company with figures checked by
 * hand, the samples of the repository, and random ones. The books differ only in the names of files and the places of rows.
 */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { writeCompany } from '../bench/ledger.ts'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'
import { ledgersToParquet } from '../support/parquet.ts'
import { type Built, buildIn, findingsText, inWorkspace, postings } from '../support/workspace.ts'

const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url))
const DATASETS = fileURLToPath(new URL('../../datasets', import.meta.url))
/** One is SIE, which states more than lines; the other is refused for what stands in its rows of text. */
const NO_TABLES = ['refused', 'sie-repeated-opening']

const same = suite('the same ledger as CSV and as Parquet')

const contentHash = (built: Built): string =>
  (JSON.parse(built.read('manifest.json')) as { ContentHash: string }).ContentHash

const LINES =
  'seq, basis, transaction_id, line_id, date, account, class, department, amount, kind, memo, reference, settles, journal, type, open_item, source_date'

/** A company's id, what writes it, and how many of its files hold lines. */
type Company = readonly [id: string, fill: (workspace: Workspace) => unknown, files?: number]

/** Publishes a company as it is and then as Parquet, and compares the two. */
const compare = ([id, fill, files = 1]: Company): Promise<void> =>
  inWorkspace(
    {},
    async (workspace) => {
      await fill(workspace)
      const csv = await buildIn(workspace, id)
      const before = { hash: contentHash(csv), lines: await postings(csv, LINES) }
      assert.ok((await ledgersToParquet(workspace, id)) >= files, 'files were written as Parquet')
      const parquet = await buildIn(workspace, id)
      assert.equal(await postings(parquet, LINES), before.lines, findingsText(parquet.result.findings))
      assert.is(contentHash(parquet), before.hash)
    },
    id,
  )

const idIn = (folder: string): string =>
  (parse(readFileSync(join(folder, 'company.yaml'), 'utf8')) as { id: string }).id

const folder = (from: string, files = 1): Company => [
  idIn(from),
  ({ datasets }: Workspace) => cpSync(from, join(datasets, idIn(from)), { recursive: true }),
  files,
]
const random = (seed: number): Company => [
  'bench',
  ({ root }: Workspace) =>
    writeCompany(root, 'bench', {
      ...{ postings: 1000 * seed, classes: 2 * seed, departments: 4 - seed, months: 5 + 7 * seed, seed },
      monthly: seed === 2,
    }),
]

const golden = readdirSync(GOLDEN).filter((each) => !NO_TABLES.includes(each))
for (const [name, company] of alike([
  ...golden.map((each) => [each, () => folder(join(GOLDEN, each, 'input'))] as const),
  ['harbor', () => folder(join(DATASETS, 'harbor'), 8)] as const,
  ['lakeside', () => folder(join(DATASETS, 'lakeside'))] as const,
  ...[1, 2, 3].map((seed) => [`random company ${seed}`, () => random(seed)] as const),
]))
  same(name, () => compare(company()))
