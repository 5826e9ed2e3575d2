/** A page of statements as a file to save, made in a scratch folder by the same code as the commands make theirs. */
import { join } from 'node:path'
import { readFileSync } from '../../system/plain-file.ts'
import { scratchFolder } from '../../system/scratch-folder.ts'
import { thisProgram } from '../../system/version.ts'
import { printPaper } from '../print.ts'
import { type SavedAs, type savedPage, withoutEntryText } from '../rendered.ts'
import type { OpenedReport } from '../report.ts'

type Saved = NonNullable<ReturnType<typeof savedPage>> & { readonly as: SavedAs }

/**
 * The statements of the page through its month as CSV, the board pack of its month, or the page itself on paper; each of the
 * basis, class and department of the page. Null where this machine cannot make it, or where nothing was published.
 */
export async function savedFile(
  published: OpenedReport,
  { as, month, page: { basis, filter, sheet } }: Saved,
  entries: boolean,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const opened = entries ? published : withoutEntryText(published)
  const scratch = scratchFolder('save')
  const to = join(scratch.path, `statements.${as}`)
  const asked = {
    ...{ basis, budgetId: null, to, software: thisProgram() },
    classId: filter.kind === 'class' ? filter.id : null,
    departmentId: filter.kind === 'department' ? filter.id : null,
  }
  try {
    if (as === 'pdf') {
      const { snapshot, source } = opened
      await printPaper({ source, snapshot, month, basis, only: { file: sheet.file, filter } }, to, signal)
    } else if (as === 'csv') {
      const { exportFrom } = await import('../export/export.ts')
      const { statements } = sheet
      const tables = { what: 'statements', format: as, statements, from: null, through: month } as const
      if ((await exportFrom(opened.snapshot, { ...asked, ...tables })).findings) return null
    } else {
      const { packOf } = await import('../export/pack.ts')
      if ((await packOf({ ...opened, month }, { ...asked, cents: false })).findings) return null
    }
    return readFileSync(to)
  } finally {
    scratch.remove()
  }
}
