/**
 * The report of an archived snapshot, beside the payload: pages that open from the disk, with every ledger line of
 * the accounts.
 */
import type { Snapshot } from '../../snapshot/files/open.ts'

/** The folder of the report in the bag, and its first page. */
export const REPORT_FOLDER = 'report'
export const REPORT_PAGE = `${REPORT_FOLDER}/index.html`

export const isOfReport = (path: string): boolean => path.startsWith(`${REPORT_FOLDER}/`)

/**
 * Yields the path in the bag and the content of each page. The company's history is left out, since it is about
 * snapshots that the bag does not hold.
 */
export async function* reportFiles(
  snapshot: Snapshot,
): AsyncGenerator<readonly [path: string, text: string]> {
  const { openedReport } = await import('../../report/report.ts')
  const { renderedReport } = await import('../../report/rendered.ts')
  for await (const { path, content } of renderedReport(await openedReport(snapshot, true), false))
    yield [`${REPORT_FOLDER}/${path}`, content]
}
