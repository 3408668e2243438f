import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { isOwnForm, markOf, readForm } from './form.ts'
import { html, page, pageHeaders } from './html.ts'

const HERE = { origin: 'https://gateway.example', visit: 'v1', key: 'secret' }

/** A form that a browser sends from our own page, but for what the test changes. */
function isOwn({
  token = markOf(HERE.visit, HERE.key),
  headers = {},
}: { token?: string; headers?: Record<string, string | undefined> } = {}) {
  const request = new IncomingMessage(new Socket())
  Object.assign(request.headers, { origin: HERE.origin, 'sec-fetch-site': 'same-origin' }, headers)
  return isOwnForm(request, new URLSearchParams({ token }), HERE)
}

const sent = async (body: string) => {
  const request = new IncomingMessage(new Socket())
  request.push(body)
  request.push(null)
  return readForm(request)
}

describe('a form', () => {
  it('is ours with the mark of its visit, from our own page', () => {
    expect(isOwn()).toBe(true)
    expect(isOwn({ headers: { 'sec-fetch-site': undefined } })).toBe(true)
  })

  it.each([
    ['without a mark', { token: '' }],
    ['with the mark of another visit', { token: markOf('v2', HERE.key) }],
    ['with the mark of another key', { token: markOf(HERE.visit, 'other') }],
    ['with a mark that is too long', { token: `${markOf(HERE.visit, HERE.key)}x` }],
    ['from another site', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['from a neighbouring site', { headers: { 'sec-fetch-site': 'same-site' } }],
    ['from another origin', { headers: { origin: 'https://evil.example' } }],
    ['from no origin', { headers: { origin: undefined } }],
    ['from an origin that is hidden', { headers: { origin: 'null' } }],
  ])('%s is not ours', (_, changed) => {
    expect(isOwn(changed)).toBe(false)
  })

  it('may have sixteen kilobytes', async () => {
    expect((await sent('user=ada&password=a%26b')).get('password')).toBe('a&b')
    const most = `a=${'x'.repeat(16 * 1024 - 2)}`
    expect((await sent(most)).get('a')).toHaveLength(16 * 1024 - 2)
    await expect(sent(`${most}x`)).rejects.toThrow('too large')
  })
})

describe('a page', () => {
  it('shows strangers’ text as text', () => {
    const name = `<script>"'&`
    expect(html`<b title="${name}">${name}</b>`.html).toBe(
      '<b title="&lt;script&gt;&quot;&#39;&amp;">&lt;script&gt;&quot;&#39;&amp;</b>',
    )
    const items = ['<i>', '2'].map((one) => html`<li>${one}</li>`)
    const list = html`${items}${false}${undefined}${7}`
    expect(list.html).toBe('<li>&lt;i&gt;</li><li>2</li>7')
    expect(page('<T>', html`<p>x</p>`)).toMatch(
      /<title>&lt;T&gt; · Portolan<\/title>[\s\S]*<p>x<\/p>/,
    )
  })

  it('allows no script and no frame, and leads a form only where it is said to lead', () => {
    const headers = pageHeaders(['https://client.example'])
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    })
    const policy = headers['content-security-policy']
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' https://client.example;")
    expect(pageHeaders()['content-security-policy']).toContain("form-action 'self';")
  })
})
