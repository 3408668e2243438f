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

/** The colours of the dashboard's pages (`web/src/style/tokens.css`). */
const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#16222b, #dfe7ea); --soft: light-dark(#45535e, #a9b8c0); --line: light-dark(#bccacd, #364955); --page: light-dark(#efe9d9, #0b1319); --card: light-dark(#ffffff, #101b23); --field: light-dark(#ffffff, #17242d); --act: light-dark(#0b5872, #7cc4da); --on-act: light-dark(#ffffff, #08222c); --bad: light-dark(#a52c17, #f29883); --north: light-dark(#c4482d, #e0694c) }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 'Plex Sans', 'IBM Plex Sans', system-ui, sans-serif }
main { max-width: 27rem; margin: 8vh auto; padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: 5px }
.wordmark { display: flex; align-items: center; gap: .6rem; margin: 0 0 1.25rem; font-size: 1.1rem; font-weight: 600 }
.mark circle { fill: none; stroke: var(--line) } .mark .north { fill: var(--north) } .mark .points { fill: var(--soft) }
h1 { font-size: 1.25rem; margin: 0 0 .75rem } h2 { font-size: .95rem; margin: 1.5rem 0 .25rem }
p, ul { margin: .5rem 0 } ul { padding-left: 1.25rem } .soft { color: var(--soft) } .bad { color: var(--bad); font-weight: 600 }
a { color: var(--act) } code { overflow-wrap: anywhere; font-size: .93em } form { margin-top: 1rem } fieldset { margin: 1.5rem 0 0; padding: .25rem .9rem .6rem; border: 1px solid var(--line); border-radius: 5px } legend { padding: 0 .35rem; font-weight: 600 }
label { display: block; margin: .75rem 0 .25rem; color: var(--soft); font-size: .85rem } label.choice { display: flex; gap: .5rem; color: inherit; font-size: inherit; margin: .4rem 0 }
input[type=text], input[type=password] { width: 100%; padding: .4rem .7rem; font: inherit; color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: 5px }
.row { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem }
button, a.button { display: inline-block; padding: .35rem .9rem; font: inherit; border-radius: 5px; border: 1px solid var(--act); background: var(--act); color: var(--on-act); cursor: pointer; text-decoration: none }
button.second { background: none; color: var(--ink); border-color: var(--line) }
:focus-visible { outline: 2px solid var(--act); outline-offset: 2px }
@media (max-width: 480px) { main { margin: 0; min-height: 100vh; border: 0; border-radius: 0 } }
`
/** As in `web/src/shell/mark.tsx`. */
const WORDMARK = html`<p class="wordmark">
  <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
    <circle cx="12" cy="12" r="10.5" />
    <path class="north" d="M12 2.5 14 10 12 12 10 10Z" />
    <path
      class="points"
      d="M21.5 12 14 14 12 12 14 10ZM12 21.5 10 14 12 12 14 14ZM2.5 12 10 10 12 12 10 14Z"
    />
  </svg>
  Portolan
</p>`
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
        <main>${WORDMARK}${content}</main>
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
