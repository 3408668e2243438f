import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { describe, expect, it } from 'vitest'
import { sharedDashboard } from '../support/dashboard/open-dashboard.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const HTML = 'text/html; charset=utf-8'

describe('addresses that are not the dashboard', () => {
  const open = sharedDashboard()
  const closed = sharedDashboard({ settings: { auth: { required: true } } })

  it.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/register',
    '/authorize',
    '/token',
    '/favicon-nonsense.json',
    '/assets/gone-12345678.js',
    '/api/unknown',
  ])('%s is a JSON 404, also for a browser, a POST and a HEAD', async (path) => {
    const address = `${open().url}${path}`
    for (const init of [
      {},
      { headers: BROWSER },
      { headers: { accept: 'application/json' } },
      { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
    ]) {
      const response = await fetch(address, init)
      expect({ init, status: response.status }).toEqual({ init, status: 404 })
      expect(response.headers.get('content-type')).toContain('application/json')
      expect(await response.json()).toHaveProperty('error')
    }
    const head = await fetch(address, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([404, ''])
    expect(head.headers.get('content-type')).toContain('application/json')
  })

  it.each(['/servers/files', '/nothing', '/servers/<b>files'])(
    '%s is a page for browsers and JSON for programs',
    async (path) => {
      const address = `${open().url}${path}`
      const browser = await fetch(address, { headers: BROWSER })
      expect([browser.status, browser.headers.get('content-type')]).toEqual([404, HTML])
      expect(await browser.text()).not.toContain('<b>')
      for (const init of [{}, { method: 'POST', headers: BROWSER }]) {
        const program = await fetch(address, init)
        expect([program.status, await program.json()]).toEqual([404, expect.anything()])
      }
    },
  )

  it('do not include the endpoint with a slash at its end', async () => {
    const response = await fetch(`${open().url}/mcp/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })
    expect(response.status).not.toBe(404)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 1 })
  })

  it('say what to do next', async () => {
    const response = await fetch(`${closed().url}/register`, { method: 'POST', body: '{}' })
    expect(await response.json()).toEqual({
      error: {
        code: 'NOT_FOUND',
        message: 'There is nothing at /register',
        hint: expect.stringMatching(/\/mcp.*Authorization: Bearer/s),
      },
    })
  })

  it('tell the SDK that there is no OAuth here', async () => {
    for (const { url } of [open(), closed()]) {
      await expect(discoverOAuthProtectedResourceMetadata(`${url}/mcp`)).rejects.toThrow(
        'does not implement OAuth 2.0 Protected Resource Metadata',
      )
      expect(await discoverAuthorizationServerMetadata(url)).toBeUndefined()
    }
  })

  it.each(['/', '/calls', '/servers', '/servers/', '/code?agent=ada'])(
    'leave %s to the dashboard, for whoever reads HTML',
    async (path) => {
      const address = `${closed().url}${path}`
      const page = await fetch(address, { headers: BROWSER })
      expect([page.status, page.headers.get('content-type')]).toEqual([200, HTML])
      expect(await page.text()).toContain('<!doctype html>')
      const head = await fetch(address, { method: 'HEAD', headers: BROWSER })
      expect([head.status, head.headers.get('content-type')]).toEqual([200, HTML])
      const json = await fetch(address, { headers: { accept: 'application/json' } })
      expect([json.status, await json.json()]).toMatchObject([404, { error: {} }])
      expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(404)
    },
  )
})
