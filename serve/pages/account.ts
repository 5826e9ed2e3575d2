/** The account page: which applications have access, to what, since when, and how to end it. */
import { type Html, html } from '../../builder/pages/html.ts'
import { page } from './layout.ts'

export interface AccountPage {
  readonly style: string
  readonly endAction: string
  readonly signOutAction: string
  readonly csrf: string
  readonly name: string
  readonly email: string
  readonly grants: readonly AccountGrant[]
  /** Name of the application whose access was ended just now. */
  readonly ended: string | null
}

export interface AccountGrant {
  readonly id: string
  readonly clientName: string
  /** Names; null where figures of companies were not asked for. */
  readonly companies: readonly string[] | null
  /** In words, beside the companies. */
  readonly permissions: readonly string[]
  readonly since: Date
  readonly usedAt: Date
  /** At the latest, and when it is not used until then. */
  readonly endsAt: Date
  readonly idleEndsAt: Date
}

export function accountPage(view: AccountPage): string {
  const { grants, ended } = view
  return page(
    { title: 'Your account', style: view.style },
    html`<h1>${view.name}</h1>
<form method="post" action="${view.signOutAction}" class="account">
<input type="hidden" name="csrf" value="${view.csrf}">
<span>Signed in as <strong>${view.email}</strong></span>
<button type="submit" class="link">Sign out</button>
</form>
${ended === null ? null : html`<p class="done" role="status">The access of <strong>${ended}</strong> has ended.</p>`}
<section aria-labelledby="applications">
<h2 id="applications">Applications with access</h2>
${
  grants.length === 0
    ? html`<p class="none">No application has access in your name.</p>`
    : html`<ul class="grants">\n${grants.map((grant, i) => item(view, grant, i))}</ul>`
}
</section>`,
  )
}

/** Ending takes two steps, since the application cannot undo it: opened by the browser, without a script. */
const item = ({ endAction, csrf }: AccountPage, grant: AccountGrant, i: number): Html =>
  html`<li aria-labelledby="grant-${i}">
<h3 id="grant-${i}">${grant.clientName}</h3>
<dl>
<dt>Companies</dt><dd>${companiesText(grant.companies)}</dd>
${grant.permissions.length === 0 ? null : html`<dt>It may also</dt><dd>${grant.permissions.map((words, n) => html`${n === 0 ? null : html`<br>`}${words}`)}</dd>`}
<dt>Since</dt><dd>${day(grant.since)}</dd>
<dt>Last used</dt><dd>${day(grant.usedAt)}</dd>
<dt>Ends</dt><dd>${day(grant.endsAt)}${grant.idleEndsAt >= grant.endsAt ? null : html`, or ${day(grant.idleEndsAt)} if it is not used until then`}</dd>
</dl>
<details>
<summary>End access<span class="hidden"> of ${grant.clientName}</span></summary>
<form method="post" action="${endAction}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="grant" value="${grant.id}">
<p>${grant.clientName} can read nothing from this moment. To read again it has to ask you.</p>
<button type="submit" class="danger">End access now<span class="hidden"> of ${grant.clientName}</span></button>
</form>
</details>
</li>
`

function companiesText(companies: AccountGrant['companies']): string {
  if (companies === null) return 'None asked for'
  return companies.length === 0 ? 'None any more' : companies.join(', ')
}

/** Days are days of UTC, as everywhere in the product. */
const day = (date: Date): Html =>
  html`<time datetime="${date.toISOString().slice(0, 10)}">${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })}</time>`
