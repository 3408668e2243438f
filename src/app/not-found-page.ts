import { html, page, pageHeaders } from '../identity/incoming/pages/html.ts'

/** The answer for a browser at an address that does not exist. */
export function notFoundPage(path: string): Response {
  const content = html`<h1>Page not found</h1>
    <p>There is nothing at <code>${path}</code>.</p>
    <p class="row"><a class="button" href="/">Back to the overview</a></p>`
  return new Response(page('Page not found', content), { status: 404, headers: pageHeaders() })
}
