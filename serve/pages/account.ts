/** The account page: applications with access and how to end it, the password, and sessions in other browsers. */
import { type Html, html } from '../../builder/contract/html.ts'
import { page } from './layout.ts'
import { day, moment } from './time.ts'

interface AccountPage {
  readonly style: string
  readonly actions: {
    readonly endAccess: string
    readonly password: string
    readonly endSessions: string
    readonly signOut: string
  }
  readonly csrf: string
  readonly name: string
  readonly email: string
  readonly applications: readonly AccountApplication[]
  /** Null where everything fits one page. */
  readonly pages: AccountPages | null
  /** The number of other browsers in which the user is signed in. */
  readonly otherSessions: number
  readonly passwordLengthMin: number
  /** Why the new password was refused. */
  readonly passwordProblem: string | null
  /** A sentence about what was just done. */
  readonly done: string | null
}

/** An application with its grants, newest first. */
export interface AccountApplication {
  readonly id: string
  readonly name: string
  readonly grants: readonly AccountGrant[]
  /** The number of grants on all pages. */
  readonly total: number
}

/** The number of this page, and the addresses of the pages before and after it; null at either end. */
export interface AccountPages {
  readonly number: number
  readonly count: number
  readonly before: string | null
  readonly after: string | null
}

export interface AccountGrant {
  readonly id: string
  /** Names of companies; null where figures of companies were not asked for. */
  readonly companies: readonly string[] | null
  /** In words, without the companies. */
  readonly permissions: readonly string[]
  readonly since: Date
  readonly usedAt: Date
  /** The grant ends at `endsAt` at the latest, and at `idleEndsAt` unless it is used before. */
  readonly endsAt: Date
  readonly idleEndsAt: Date
}

export function accountPage(view: AccountPage): string {
  const { applications, done } = view
  return page(
    {
      title: view.passwordProblem === null ? 'Your account' : 'The password was not changed',
      style: view.style,
    },
    html`<h1>${view.name}</h1>
<form method="post" action="${view.actions.signOut}" class="account">
${hidden(view)}
<span>Signed in as <strong>${view.email}</strong></span>
<button type="submit" class="link">Sign out</button>
</form>
${done === null ? null : html`<p class="done" role="status">${done}</p>`}
<section aria-labelledby="applications">
<h2 id="applications">Applications with access</h2>
${
  applications.length === 0
    ? html`<p class="none">No application has access in your name.</p>`
    : html`<ul class="applications">\n${applications.map((application, i) => applicationItem(view, application, i))}</ul>`
}
${pagesNav(view)}
</section>
<section aria-labelledby="security">
<h2 id="security">Your sign-in</h2>
${otherSessions(view)}
${passwordForm(view)}
</section>`,
  )
}

const hidden = ({ csrf }: AccountPage): Html => html`<input type="hidden" name="csrf" value="${csrf}">`

const applicationItem = (view: AccountPage, application: AccountApplication, i: number): Html =>
  html`<li aria-labelledby="application-${i}">
<h3 id="application-${i}">${application.name}</h3>
<ul class="grants">
${application.grants.map((grant) => grantItem(view, application, grant))}</ul>
${application.total < 2 ? null : endAll(view, application)}
</li>
`

/**
 * Ending takes two steps, since the application cannot undo it. The second step is a `details` element that opens
 * without a script.
 */
const grantItem = (view: AccountPage, { name }: AccountApplication, grant: AccountGrant): Html =>
  html`<li>
<dl>
<dt>Given</dt><dd>${moment(grant.since)}</dd>
<dt>Companies</dt><dd>${companiesText(grant.companies)}</dd>
${grant.permissions.length === 0 ? null : html`<dt>It may also</dt><dd>${grant.permissions.map((words, n) => html`${n === 0 ? null : html`<br>`}${words}`)}</dd>`}
<dt>Last used</dt><dd>${moment(grant.usedAt)}</dd>
<dt>Ends</dt><dd>${day(grant.endsAt)}${grant.idleEndsAt >= grant.endsAt ? null : html`, or ${day(grant.idleEndsAt)} if it is not used until then`}</dd>
</dl>
<details>
<summary>End access<span class="hidden"> of ${name}</span></summary>
<form method="post" action="${view.actions.endAccess}">
${hidden(view)}
<input type="hidden" name="grant" value="${grant.id}">
<p>${name} can read nothing by this access from this moment. To read again it has to ask you.</p>
<button type="submit" class="danger">End access now<span class="hidden"> of ${name}</span></button>
</form>
</details>
</li>
`

const endAll = (view: AccountPage, { id, name, total }: AccountApplication): Html =>
  html`<details>
<summary>End all ${total}<span class="hidden"> accesses of ${name}</span></summary>
<form method="post" action="${view.actions.endAccess}">
${hidden(view)}
<input type="hidden" name="client" value="${id}">
<p>${name} can read nothing from this moment. To read again it has to ask you.</p>
<button type="submit" class="danger">End all access of ${name}</button>
</form>
</details>`

function pagesNav({ pages }: AccountPage): Html | null {
  if (pages === null) return null
  const { number, count, before, after } = pages
  return html`<nav aria-label="Pages" class="pages">
<p>Page ${number} of ${count}${before === null ? null : html` · <a href="${before}" rel="prev">Newer</a>`}${after === null ? null : html` · <a href="${after}" rel="next">Older</a>`}</p>
</nav>`
}

function otherSessions(view: AccountPage): Html {
  const { otherSessions: others } = view
  if (others === 0) return html`<p class="none">You are signed in on this browser only.</p>`
  return html`<form method="post" action="${view.actions.endSessions}" class="account">
${hidden(view)}
<span>You are also signed in on ${others === 1 ? 'another browser' : `${others} other browsers`}.</span>
<button type="submit" class="link">Sign out there</button>
</form>`
}

function passwordForm(view: AccountPage): Html {
  const { passwordProblem, passwordLengthMin } = view
  const isOpen = passwordProblem === null ? null : html` open`
  const described = passwordProblem === null ? null : html` aria-describedby="problem"`
  return html`<details${isOpen}>
<summary>Change your password</summary>
<form method="post" action="${view.actions.password}">
${hidden(view)}
<input type="hidden" name="username" value="${view.email}" autocomplete="username">
${passwordProblem === null ? null : html`<p class="problem" role="alert" id="problem">${passwordProblem}</p>`}
<label for="current">Present password</label>
<input id="current" name="current" type="password" autocomplete="current-password" required maxlength="1024"${described}>
<label for="new">New password, ${passwordLengthMin} characters or more</label>
<input id="new" name="new" type="password" autocomplete="new-password" required minlength="${passwordLengthMin}" maxlength="1024">
<label for="again">New password again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required minlength="${passwordLengthMin}" maxlength="1024">
<p class="note">You are signed out everywhere else. Applications keep their access.</p>
<button type="submit">Change the password</button>
</form>
</details>`
}

function companiesText(companies: AccountGrant['companies']): string {
  if (companies === null) return 'None asked for'
  return companies.length === 0 ? 'None any more' : companies.join(', ')
}
