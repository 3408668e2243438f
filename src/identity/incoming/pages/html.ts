import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** Text that is already HTML. */
export interface Html {
  readonly html: string
}

type Part = string | number | Html | readonly Html[] | false | undefined

/** Escapes every value except results of `html`, as names of clients and people are untrusted. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const text = strings.reduce((all, piece, index) => all + piece + toText(parts[index]), '')
  return { html: text }
}

function toText(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'object') return 'html' in part ? part.html : part.map(toText).join('')
  return String(part).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --page: #f6f8fa; --card: #fff; --act: #0b5cad; --on-act: #fff; --bad: #a40e26 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #a4adb8; --line: #3d444d; --page: #0d1117; --card: #161b22; --act: #58a6ff; --on-act: #0d1117; --bad: #ff8f98 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 30rem; margin: 8vh auto; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px }
h1 { font-size: 1.35rem; margin: 0 0 .75rem } h2 { font-size: 1rem; margin: 1.5rem 0 .25rem }
p, ul { margin: .5rem 0 } ul { padding-left: 1.25rem } .soft { color: var(--soft) } .bad { color: var(--bad); font-weight: 600 }
code { overflow-wrap: anywhere } form { margin-top: 1rem }
label { display: block; margin: .75rem 0 .25rem; font-weight: 600 } label.choice { display: flex; gap: .5rem; font-weight: 400; margin: .4rem 0 }
input[type=text], input[type=password] { width: 100%; padding: .6rem; font: inherit; color: inherit; background: var(--page); border: 1px solid var(--soft); border-radius: 8px }
.row { display: flex; gap: .75rem; margin-top: 1.25rem }
button, a.button { display: inline-block; padding: .6rem 1.2rem; font: inherit; font-weight: 600; border-radius: 8px; border: 1px solid var(--act); background: var(--act); color: var(--on-act); cursor: pointer; text-decoration: none }
button.second { background: none; color: var(--ink); border-color: var(--soft) }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
/** Byte for byte what was hashed, whatever the layout of the page around it. */
const STYLE_TAG: Html = { html: `<style>${STYLE}</style>` }

export function page(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Portolan</title>
        ${STYLE_TAG}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html> `.html
}

/** Returns the status of a page that may say why somebody was refused, and how long to wait. */
export function markRefused(
  response: ServerResponse,
  refusal: { readonly waitMs?: number } | undefined,
): number {
  if (refusal?.waitMs === undefined) return refusal ? 400 : 200
  response.setHeader('retry-after', Math.ceil(refusal.waitMs / 1_000))
  return 429
}

/** Forbids scripts, frames and foreign content; `formTargets` is where a form may redirect to. */
export function pageHeaders(
  formTargets: readonly string[] | 'anywhere' = [],
): Record<string, string> {
  const targets = formTargets === 'anywhere' ? '*' : ["'self'", ...formTargets].join(' ')
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // With "no-referrer", browsers would send our own forms with `Origin: null`.
    'referrer-policy': 'same-origin',
  }
}
