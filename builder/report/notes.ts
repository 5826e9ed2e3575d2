/** The commentary of a month as it stands beside a statement: numbered in the order of the lines. */
import type { Frame } from '../books/reference/frame.ts'
import type { Note } from '../books/reference/presentation.ts'

export interface ShownNote {
  readonly number: number
  /** The id of a line of the statement. */
  readonly line: string
  readonly heading: string
  readonly text: string
}

/** Returns every note that was written about the month. */
export const commentaryIn = ({ presentation }: Pick<Frame, 'presentation'>, month: string): readonly Note[] =>
  presentation?.commentary?.find((each) => each.month === month)?.notes ?? []

/** Returns the notes on these lines, in the order of the lines; a line may have several. */
export function notesOn(
  lines: readonly { readonly id: string }[],
  frame: Pick<Frame, 'presentation'>,
  month: string,
): ShownNote[] {
  const notes = commentaryIn(frame, month)
  return lines
    .flatMap(({ id }) => notes.filter(({ line }) => line === id))
    .map(({ line, heading, text }, i) => ({ number: i + 1, line: line ?? '', heading: heading ?? '', text }))
}

/** A paragraph, or the items of a list. */
type Block = string | readonly string[]

/** Splits a text: blank lines separate paragraphs, and lines that begin with `-` or `*` are items. Anything else stays as it was written. */
export function blocksOf(text: string): Block[] {
  const blocks: (string | string[])[] = []
  for (const paragraph of text.split(/\n\s*\n/)) {
    let isNew = true
    for (const line of paragraph.split('\n').map((each) => each.trim())) {
      const item = /^[-*]\s+(\S.*)$/.exec(line)?.[1]
      const last = blocks.at(-1)
      if (item !== undefined && Array.isArray(last) && !isNew) last.push(item)
      else if (item !== undefined) blocks.push([item])
      else if (isNew) blocks.push(line)
      else if (Array.isArray(last)) last.push(`${last.pop() ?? ''} ${line}`)
      else blocks.push(`${blocks.pop() ?? ''} ${line}`)
      isNew = false
    }
  }
  return blocks
}
