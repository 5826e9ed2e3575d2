/** What `tieout doctor` asks the engine of ledgers: whether its command runs statements, and whether the cluster reads the tables in buckets. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Checks } from '../../workspace/check.ts'
import { FindingsError } from '../../workspace/findings/finding.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { sparkName, sparkText } from './dialect.ts'
import { runStatements } from './job.ts'
import { holdsResult, scratchFor } from './scratch.ts'
import { objectPath, reachSql } from './table-path.ts'

/** Checks the engine by reading a row of one file of each table; `objects` has the addresses of these files. */
export async function checkEngine(
  workspace: Pick<Workspace, 'root' | 'state' | 'engine'>,
  objects: readonly string[],
  checks: Checks,
): Promise<void> {
  const { engine } = workspace
  try {
    const scratch = scratchFor('doctor', engine.scratch)
    try {
      const answer = join(scratch.path, 'answer')
      mkdirSync(answer)
      const paths = objects.map(objectPath)
      const queries = [
        'SELECT 1 AS answer',
        ...paths.map((path) => `SELECT 1 AS answer FROM parquet.${sparkName(path)} LIMIT 1`),
      ]
      const statements = queries.map(
        (query, i) =>
          `INSERT OVERWRITE DIRECTORY ${sparkText(`file:${answer}/${i}`)} USING parquet\n${query};\n`,
      )
      const sql = [...paths.map((path, i) => `${reachSql(path, i)};\n`), ...statements].join('')
      await runStatements(sql, scratch.path, 'doctor', workspace)
      const written = queries.filter((_, i) => holdsResult(join(answer, String(i))))
      if (written.length < queries.length)
        checks.fail(
          'answers',
          'its command ended well, but wrote no result',
          `let the machines of the cluster see ${engine.scratch} under the same path, and write there`,
        )
      else
        checks.holds(
          'answers',
          objects.length === 0 ? 'it runs statements' : 'it runs statements, and reads the tables',
        )
    } finally {
      scratch.remove()
    }
  } catch (problem) {
    if (!(problem instanceof FindingsError)) throw problem
    // A machine that only serves needs no engine.
    for (const { message, remedy } of problem.findings)
      checks[message.includes('cannot be started') ? 'warn' : 'fail']('answers', message, remedy ?? '')
  }
}
