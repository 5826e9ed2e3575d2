/**
 * Reads `commentary/2026-03.md` in a company's folder: what people write about the figures of a month. No figure
 * comes from it.
 */
import { join } from 'node:path'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { sha256 } from '../workspace/hash.ts'
import { readFile } from '../workspace/plain-file.ts'
import { COMMENTARY, commentaryFiles } from '../workspace/source-files.ts'
import type { CommentaryText, SourceRecord } from './format/intake.ts'
import { decodeText, undecodable } from './text/decode.ts'

export interface CommentaryReading {
  readonly texts: readonly CommentaryText[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** A page shows all of the text and must stay small enough for any browser. */
const MOST_BYTES = 64 * 1024

/** The texts by month. A file whose name is not a month is reported and not read. */
export async function readCommentary(folder: string): Promise<CommentaryReading> {
  const texts: CommentaryText[] = []
  const sources: SourceRecord[] = []
  const findings: Finding[] = []
  const { files, others } = await commentaryFiles(folder)
  for (const file of others)
    findings.push(
      warning('commentary-name', 'is not read: commentary is named by its month', {
        file,
        remedy: `call it ${COMMENTARY}/2026-03.md, by the month that it is about, or put it elsewhere`,
      }),
    )
  for (const file of files) {
    const bytes = await readFile(join(folder, file))
    const { text, encoding, undecodableLine } = decodeText(bytes, 'utf-8')
    if (undecodableLine !== null) findings.push(undecodable(file, encoding, undecodableLine))
    if (bytes.length > MOST_BYTES)
      findings.push(
        error(
          'file-too-large',
          `has ${bytes.length} bytes; the commentary of a month may have ${MOST_BYTES}`,
          {
            file,
            remedy: 'shorten it, or keep the long text elsewhere',
          },
        ),
      )
    const month = file.slice(COMMENTARY.length + 1, -'.md'.length)
    texts.push({ month, file, text: text.replaceAll('\r\n', '\n') })
    const described = { bytes: bytes.length, sha256: sha256(bytes), encoding }
    sources.push({ file, ...described, role: 'commentary', rows: null })
  }
  return { texts, sources, findings }
}
