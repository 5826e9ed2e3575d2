/** The page for an error that can neither be answered nor sent to a client. */
import { html } from '../../builder/contract/html.ts'
import { page } from './layout.ts'

interface ProblemPage {
  readonly style: string
  readonly title: string
  readonly detail: string
  /** A stable code, to quote when asking for help. */
  readonly code: string
  readonly requestId: string | null
}

export const problemPage = ({ style, title, detail, code, requestId }: ProblemPage): string =>
  page(
    { title, style },
    html`<h1>${title}</h1>
<p class="lead">${detail}</p>
<p class="note">Code: <code>${code}</code>${requestId === null ? null : html`<br>Request: <code>${requestId}</code>`}</p>`,
  )
