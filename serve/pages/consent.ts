/** The consent page: who asks, for what, for which companies, for how long, and where the answer is sent. */
import { type Html, html } from '../../builder/contract/html.ts'
import { page } from './layout.ts'
import { day } from './time.ts'

interface ConsentPage {
  readonly style: string
  readonly action: string
  readonly accountHref: string
  readonly logoutAction: string
  readonly request: string
  readonly csrf: string
  readonly clientName: string
  readonly redirectHost: string
  readonly email: string
  /** What is asked for, in words. */
  readonly permissions: readonly string[]
  /** What the user may grant in addition, in words; null where it is not asked for. */
  readonly ledger: string | null
  /** Null where figures of companies are not asked for. */
  readonly companies:
    | readonly { readonly id: string; readonly name: string; readonly checked: boolean }[]
    | null
  /** Addresses of this page with every company, or none, chosen. */
  readonly allHref: string
  readonly noneHref: string
  readonly endsAt: Date
  readonly idleDays: number
  readonly problem: string | null
}

/** Allow stands before Deny, since Enter presses the first button of a form, also from a checkbox. */
export function consentPage(view: ConsentPage): string {
  const nothingToGive = view.companies?.length === 0
  const problem =
    view.problem === null ? null : html`<p class="problem" role="alert" id="problem">${view.problem}</p>`
  return page(
    { title: `Allow access for ${view.clientName}?`, style: view.style },
    html`<h1>Allow <strong>${view.clientName}</strong> to read your data?</h1>
<form method="post" action="${view.logoutAction}" class="account">
${hidden(view)}
<span>Signed in as <strong>${view.email}</strong></span>
<button type="submit" class="link">Use another account</button>
</form>
<form method="post" action="${view.action}">
${hidden(view)}
<section aria-labelledby="permissions">
<h2 id="permissions">It will be able to</h2>
${
  view.permissions.length === 0
    ? html`<p class="none">Nothing: what it asks for is not kept here.</p>`
    : html`<ul class="permissions">\n${view.permissions.map((permission) => html`<li>${permission}</li>\n`)}</ul>`
}
</section>
${problem}
${view.companies === null ? null : companyChoice(view, view.companies)}
${view.ledger === null || nothingToGive ? null : ledgerChoice(view.ledger)}
<dl>
<dt>You return to</dt><dd>${view.redirectHost}</dd>
<dt>Ends</dt><dd>${day(view.endsAt)} at the latest; after ${view.idleDays} days without use, or when you end it in <a href="${view.accountHref}">your account</a></dd>
</dl>
<div class="actions">
${nothingToGive ? null : html`<button type="submit" name="decision" value="allow" class="primary">Allow</button>`}
<button type="submit" name="decision" value="deny">${nothingToGive ? 'Go back' : 'Deny'}</button>
</div>
</form>`,
  )
}

const hidden = ({ request, csrf }: ConsentPage): Html =>
  html`<input type="hidden" name="request" value="${request}">
<input type="hidden" name="csrf" value="${csrf}">`

/** Never ticked beforehand, since it grants more than the figures that most applications need. */
const ledgerChoice = (words: string): Html => html`<fieldset>
<legend>Only if you want it</legend>
<ul class="companies">
<li><label><input type="checkbox" name="ledger" value="yes"><span>${words}</span></label></li>
</ul>
</fieldset>`

function companyChoice(view: ConsentPage, companies: NonNullable<ConsentPage['companies']>): Html {
  if (companies.length === 0)
    return html`<p class="problem" role="alert">You have no company to share yet. Ask your administrator to give you access to one.</p>`
  const described = view.problem === null ? null : html` aria-describedby="problem"`
  return html`<fieldset${described}>
<legend>Companies${companies.length < 3 ? null : ` (${companies.length})`}</legend>
${companies.length < 3 ? null : html`<p class="choose"><a href="${view.allHref}">Select all</a> <a href="${view.noneHref}">Select none</a></p>`}
<ul class="companies">
${companies.map(
  ({ id, name, checked }) =>
    html`<li><label><input type="checkbox" name="company" value="${id}"${checked ? html` checked` : null}><span>${name}</span></label></li>\n`,
)}</ul>
</fieldset>`
}
