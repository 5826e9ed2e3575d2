/** Dates and times as pages show them, in UTC as everywhere in the product. */
import { type Html, html } from '../../builder/contract/html.ts'

const dayText = (date: Date): string =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** `3 March 2025` */
export const day = (date: Date): Html =>
  html`<time datetime="${date.toISOString().slice(0, 10)}">${dayText(date)}</time>`

/** `3 March 2025, 14:05 UTC` */
export const moment = (date: Date): Html =>
  html`<time class="moment" datetime="${date.toISOString()}">${dayText(date)}, ${date.toISOString().slice(11, 16)} UTC</time>`
