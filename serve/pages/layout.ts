/** The frame of every page: head, logo, card. It has no scripts, one style sheet, and loads nothing from elsewhere. */
import { type Html, html } from '../../builder/contract/html.ts'

export interface PageFrame {
  readonly title: string
  readonly style: string
}

/** The logo: two columns of figures that agree, above an accountant's double rule. */
const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
<rect width="32" height="32" rx="7"/><path d="M8 9.5h6M8 14h6M18 9.5h6M18 14h6M8 20.5h16M8 24h16"/></svg>`

export const page = ({ title, style }: PageFrame, main: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Tieout</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<header><span class="brand">${mark}Tieout</span></header>
<main>
${main}
</main>
</body>
</html>
`.text
