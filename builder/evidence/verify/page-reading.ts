/**
 * Reads a page that another program made, and compares it with the page that this program makes of the same documents:
 * each figure by the labels of its group, row and column, each link by its text. Order and blanks are no difference. A
 * text, an element or a drawing that this program does not make cannot be judged.
 */
import { addTo } from '../../contract/grouping.ts'

/** `differs`: a figure or a link is not what the documents give. `unreadable`: something can be neither confirmed nor refuted. */
export interface PageJudgement {
  readonly differs: readonly string[]
  readonly unreadable: readonly string[]
}

/** What a page shows, as texts that two pages can be compared by. */
interface Page {
  /** By row and column: the exact values, and how they are shown. */
  readonly figures: Map<string, string[]>
  /** By the text of links: where they lead. */
  readonly links: Map<string, string[]>
  /** Labels and other texts, drawings, and what elements with which attributes there are. */
  readonly others: Set<string>
}

export function judgedPage(published: string, given: string): PageJudgement {
  const [page, own] = [readPage(published), readPage(given)]
  if (page === null || own === null)
    return { differs: [], unreadable: ['it is no page as Tieout writes them'] }
  const [figures, links] = [compared(page.figures, own.figures), compared(page.links, own.links)]
  return {
    differs: [
      ...figures.other.map((what) => `${what} is not what the documents give`),
      ...[...links.other, ...links.unknown].map((what) => `the link ${what} leads elsewhere`),
    ],
    unreadable: [
      ...figures.unknown.map((what) => `${what} is no figure that the documents are known to give there`),
      ...figures.missing.map((what) => `${what} is missing`),
      ...[...page.others].filter((what) => !own.others.has(what)),
      ...[...own.others]
        .filter((what) => what.startsWith(TEXT) && !page.others.has(what))
        .map((what) => `${what} is missing`),
    ],
  }
}

/**
 * Compares figures or links by their names. `other`: a known name has another value. `unknown`: only the page has the
 * name. `missing`: the page lacks it.
 */
function compared(page: Page['figures'], own: Page['figures']) {
  const [other, unknown, missing]: [string[], string[], string[]] = [[], [], []]
  for (const [name, values] of page) {
    const known = own.get(name)
    const said = values.find((value) => !known?.includes(value))
    if (known === undefined) unknown.push(`${name}: ${values[0]}`)
    else if (said !== undefined) other.push(`${name}: ${said}`)
  }
  for (const [name, values] of own) if ((page.get(name)?.length ?? 0) < values.length) missing.push(name)
  return { other, unknown, missing }
}

/** How an entry of {@link Page.others} begins that is a text. */
const TEXT = 'the text '

/** A cell whose text is being read. */
interface Cell {
  readonly tag: string
  /** How many columns it is wide. */
  readonly width: number
  /** Whether it is the heading of the rows that follow. */
  readonly isGroup: boolean
  readonly value: string | null
  /** Its class and that of its row, by which the style sheet shows or hides it. */
  readonly look: string
  text: string
}

const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ')

const TOKEN =
  /<!-- snapshot -->|<!doctype html>|<(\/?)([a-z][\w-]*)((?: [\w-]+(?:="[^"<>]*")?)*) ?\/?>|([^<>]+)/gsy
/** Zeros at the end of a decimal number, which change nothing of it. */
const ZEROS = /\.0+(?!\d)|(\.\d*[1-9])0+(?!\d)/g
/** Elements that have no end. */
const VOID = ['meta', 'link', 'br', 'img', 'input', 'hr', 'col']
/** The attributes that hold the exact value of a figure. */
const FIGURES = ['data-minor', 'data-tenths', 'data-value']
const ATTRIBUTE = / ([\w-]+)(?:="([^"]*)")?/g

/**
 * Reads a page. Null for a text in which anything else stands than elements, texts and the comment that the program writes, or where
 * elements do not end as they begin: what stands inside which element decides whether a browser shows it.
 */
function readPage(html: string): Page | null {
  const page: Page = { figures: new Map(), links: new Map(), others: new Set() }
  let columns: string[] = []
  let group = ''
  let row = ''
  let rowClass = ''
  let at = 0
  let cell: Cell | null = null
  let link: { readonly href: string; text: string } | null = null
  let isDrawing = false
  const open: string[] = []
  let read = 0
  for (const [token, end, tag, attributes = '', text] of html.matchAll(TOKEN)) {
    read += token.length
    if (text !== undefined) {
      if (cell) cell.text += text
      if (link) link.text += text
      if (!cell && text.trim() !== '') page.others.add(`${TEXT}"${oneLine(text)}" in <${open.at(-1)}>`)
    } else if (tag === undefined) continue
    else if (end === '/') {
      if (open.pop() !== tag) return null
      if (tag === 'svg') isDrawing = false
      if (tag === 'a' && link) {
        addTo(page.links, link.text.trim(), link.href)
        link = null
      }
      if (!cell || tag !== cell.tag) continue
      const shown: string = oneLine(cell.text)
      if (cell.isGroup) group = shown
      else if (tag === 'th' && at === 0) row = shown
      if (columns.length <= at) columns.push(shown)
      const place = `"${[group, row, columns[at]].filter(Boolean).join(', ')}"`
      if (cell.value !== null) addTo(page.figures, place, `${cell.value} (${shown})${cell.look}`)
      else if (shown !== '') page.others.add(`${TEXT}"${shown}" at ${place}`)
      at += cell.width
      cell = null
    } else {
      if (tag === 'svg') isDrawing = true
      if (isDrawing) page.others.add(`the drawing ${token.replace(ZEROS, '$1')}`)
      const values = new Map<string, string>()
      for (const [, name = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
        // Of two attributes with one name browsers use the first, so that such a page is refused.
        if (values.has(name)) return null
        values.set(name, value)
        const isCompared = isDrawing || FIGURES.includes(name) || (tag === 'a' && name === 'href')
        page.others.add(`an element <${tag} ${name}${isCompared ? '' : `="${value}"`}>`)
      }
      page.others.add(`an element <${tag}> in <${open.at(-1)}>`)
      if (!VOID.includes(tag) && !token.endsWith('/>')) open.push(tag)
      if (tag === 'table') {
        columns = []
        group = ''
      }
      if (tag === 'tr') {
        at = 0
        rowClass = values.get('class') ?? ''
      }
      if (tag === 'a') link = { href: values.get('href') ?? '', text: '' }
      if (tag === 'td' || tag === 'th')
        cell = {
          tag,
          width: Number(values.get('colspan') ?? 1),
          isGroup: values.get('scope') === 'rowgroup',
          look: [values.get('class'), rowClass].map((name) => (name ? `, as ${name}` : '')).join(''),
          value: FIGURES.map((name) => values.get(name)).find((value) => value !== undefined) ?? null,
          text: '',
        }
    }
  }
  return read === html.length && open.length === 0 ? page : null
}
