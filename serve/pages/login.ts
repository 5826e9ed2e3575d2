/** The sign-in page. */
import { html } from '../../builder/contract/html.ts'
import { type PageFrame, page } from './layout.ts'

interface LoginPage {
  readonly style: string
  readonly action: string
  readonly request: string
  readonly csrf: string
  /** The application that the user continues to; null for a page of this server. */
  readonly clientName: string | null
  /** What that page is for, in words that follow "Sign in to". */
  readonly purpose: string
  /** The address that was entered before a refusal. */
  readonly email: string
  readonly problem: string | null
}

export function loginPage(view: LoginPage): string {
  const frame: PageFrame = {
    title: view.problem === null ? 'Sign in' : 'Could not sign in',
    style: view.style,
  }
  const problem =
    view.problem === null ? null : html`<p class="problem" role="alert" id="problem">${view.problem}</p>`
  const described = view.problem === null ? null : html` aria-describedby="problem"`
  // The cursor is set to the first field that is empty.
  const focus = html` autofocus`
  return page(
    frame,
    html`<h1>Sign in</h1>
<p class="lead">to ${view.clientName === null ? view.purpose : html`continue to <strong>${view.clientName}</strong>`}</p>
${problem}
<form method="post" action="${view.action}">
<input type="hidden" name="request" value="${view.request}">
<input type="hidden" name="csrf" value="${view.csrf}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="254" value="${view.email}"${view.email === '' ? focus : null}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024"${described}${view.email === '' ? null : focus}>
<button type="submit" class="primary">Sign in</button>
</form>
<p class="note">Forgot your password? Your administrator can set a new one.</p>`,
  )
}
