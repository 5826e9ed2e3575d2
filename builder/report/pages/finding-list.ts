/** Findings as a list: what was found, where, and what to fix. */
import { type Html, html } from '../../contract/html.ts'
import type { Finding } from '../../workspace/findings/finding.ts'

export const findingList = (findings: readonly Finding[], withSeverity = false): Html =>
  html`<ul class="findings">${findings.map(
    ({ severity, message, file, row, remedy }) =>
      html`<li>${withSeverity ? html`<strong>${severity}</strong> ` : null}${message}${file ? html` <span class="number">${row === null ? file : `${file}:${row}`}</span>` : null}${remedy ? html`<br><span class="number">To fix: ${remedy}</span>` : null}</li>
`,
  )}</ul>
`
