import { randomBytes } from 'node:crypto'

export interface PageContent {
  readonly status: number
  readonly title: string
  /** Plain text, one paragraph each. */
  readonly paragraphs: readonly string[]
  /** Where a key is asked for: the address that the form is sent to. */
  readonly keyForm?: string
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color:#1b1b1b;background:#fff}input,button{font:inherit;padding:.5rem;width:100%;box-sizing:border-box;margin:.25rem 0 1rem}'

/** A page without scripts that shows nothing but our own words. */
export function toPage({ status, title, paragraphs, keyForm }: PageContent): Response {
  const nonce = randomBytes(16).toString('base64url')
  const form =
    keyForm === undefined
      ? ''
      : `<form method="post" action="${escape(keyForm)}"><label for="key">Your Portolan key</label><input id="key" name="key" type="password" autocomplete="current-password" required><button>Continue</button></form>`
  const body = paragraphs.map((text) => `<p>${escape(text)}</p>`).join('')
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)} – Portolan</title><style nonce="${nonce}">${STYLE}</style></head><body><main><h1>${escape(title)}</h1>${body}${form}</main></body></html>\n`
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // Sending the form ends at the authorization server, which is another site.
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  })
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
