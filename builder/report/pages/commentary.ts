/** Commentary on pages: below a statement the notes on its lines, on the overview all that was written about the month. */
import { type Html, html } from '../../contract/html.ts'
import { blocksOf, commentaryIn, type ShownNote } from '../notes.ts'
import type { FigureSource } from '../source.ts'

/** The anchor of a note on a table, by the name of the table. */
export const notePlace = ({ number }: Pick<ShownNote, 'number'>, table: string): string =>
  `${table}-note-${number}`

export const noteList = (notes: readonly ShownNote[], table: string): Html | null =>
  notes.length === 0
    ? null
    : html`<section class="notes" aria-label="Commentary">
<h2>Commentary</h2>
<ol>${notes.map((note) => html`<li id="${notePlace(note, table)}"><h3>${note.heading}</h3>${blocks(note.text)}</li>\n`)}</ol></section>
`

export function monthlyCommentary({ frame }: Pick<FigureSource, 'frame'>, month: string): Html | null {
  const notes = commentaryIn(frame, month)
  if (notes.length === 0) return null
  return html`<section class="notes" aria-label="Commentary">
<h2>Commentary</h2>
${notes.map(({ heading, text }) => html`${heading === null ? null : html`<h3>${heading}</h3>`}${blocks(text)}`)}</section>
`
}

const blocks = (text: string): Html[] =>
  blocksOf(text).map((block) =>
    typeof block === 'string'
      ? html`<p>${block}</p>\n`
      : html`<ul>${block.map((item) => html`<li>${item}</li>`)}</ul>\n`,
  )
