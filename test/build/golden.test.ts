/**
 * Companies with hand-checked figures: `test/golden/<case>/input` is built, and what comes out must be `expected/`,
 * byte for byte. A case is added by adding a folder with an `input` and a `case.md` that derives its figures by hand;
 * `UPDATE=1` writes the expected files anew (`npm run golden`), and then a person reads the difference.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { readBooks } from '../../builder/books/store/store.ts'
import { rangeBooks } from '../../builder/books/sums/ranges.ts'
import type { StatementScope } from '../../builder/contract/document.ts'
import { sliceStatement } from '../../builder/contract/slice.ts'
import { BOOKS, isReport, MANIFEST, SIGNATURE, snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import { answerStatement } from '../../builder/statements/answer.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { buildIn, findingsText, inWorkspace } from '../support/workspace.ts'

const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url))
const FINDINGS = 'findings.txt'
const UPDATE = process.env.UPDATE === '1'

const golden = suite('golden')

for (const name of readdirSync(GOLDEN).sort()) {
  const input = join(GOLDEN, name, 'input')
  const expected = join(GOLDEN, name, 'expected')
  const company = (parse(readFileSync(join(input, 'company.yaml'), 'utf8')) as { id: string }).id

  golden(name, async () => {
    const actual = await inWorkspace({}, (workspace) => outcomeOf(workspace, company, input), company)
    assert.ok(existsSync(join(GOLDEN, name, 'case.md')), 'a case says in case.md how its figures come about')
    if (UPDATE || (!existsSync(expected) && !process.env.CI)) {
      rmSync(expected, { recursive: true, force: true })
      for (const [path, text] of actual) {
        mkdirSync(dirname(join(expected, path)), { recursive: true })
        writeFileSync(join(expected, path), text)
      }
      return
    }
    const wanted = existsSync(expected) ? filesOf(expected) : []
    assert.equal([...actual.keys()].sort(), wanted.sort(), 'the files of the snapshot')
    for (const path of wanted)
      assert.fixture(
        actual.get(path)!,
        readFileSync(join(expected, path), 'utf8'),
        `${name}/expected/${path}`,
      )
  })
}

/** The published files that hold figures or reference data, and all findings; checks the ad-hoc engine on the way. */
async function outcomeOf(workspace: Workspace, company: string, input: string): Promise<Map<string, string>> {
  cpSync(input, join(workspace.datasets, company), { recursive: true })
  const { result } = await buildIn(workspace, company)
  const outcome = new Map<string, string>()
  if (result.findings.length > 0) outcome.set(FINDINGS, findingsText(result.findings))
  if (result.snapshotId === null) return outcome
  const folder = snapshotFolder(workspace.snapshots, company, result.snapshotId)
  for (const path of filesOf(folder))
    if (
      !([MANIFEST, SIGNATURE] as string[]).includes(path) &&
      !path.startsWith(`${BOOKS}/`) &&
      !isReport(path) &&
      !path.startsWith('pages/')
    )
      outcome.set(path, readFileSync(join(folder, path), 'utf8'))
  await sameAdHoc(folder, outcome)
  return outcome
}

/** Every precomputed statement, from each of its months on, is what the ad-hoc engine gives (identity 9). */
async function sameAdHoc(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const books = await rangeBooks(await readBooks(join(folder, BOOKS)))
  try {
    for (const [path, text] of files) {
      if (!path.startsWith('statements/')) continue
      const { Periods, ...body } = JSON.parse(text) as { Periods: { StartDate: string }[] } & Record<
        string,
        string | null
      >
      const scope = {
        statement: body.Statement,
        basis: body.AccountingBasis,
        budgetId: body.BudgetId,
        classId: body.ClassId,
        departmentId: body.DepartmentId,
      } as StatementScope
      for (const { StartDate } of Periods) {
        const range = { startDate: StartDate, endDate: body.EndDate! }
        // Every answer of a cash flow has NotStated, which published ones of actuals lack.
        const isWhole = StartDate === body.StartDate && body.Statement !== 'CashFlow'
        const wanted = isWhole ? text : sliceStatement(Buffer.from(text), range).toString()
        assert.fixture(
          await answerStatement(books, scope, range),
          wanted,
          `ad hoc: ${path} from ${StartDate}`,
        )
      }
    }
  } finally {
    books.db.close()
  }
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
