import { expect, it } from 'vitest'
import { OAuthClient } from '../../../../test/support/sign-in/oauth-client.ts'
import { openSignIn } from '../../../../test/support/sign-in/open-sign-in.ts'
import { isRedirectTarget } from './check-client.ts'

it.each([
  'https://claude.ai/api/mcp/auth_callback',
  'http://127.0.0.1:9/callback',
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'vscode://vscode.github-authentication/did-authenticate',
  'com.example.app:/oauth2redirect',
])('a client may have its person sent to %s', (uri) => {
  expect(isRedirectTarget(uri)).toBe(true)
})

const REFUSED = [
  'ms-msdt:/id PCWDiagnostic',
  'ms-settings://x',
  'search-ms://query=x',
  'view-source:https://portolan.example/',
  'mailto:eve@evil.example',
  'tel:123',
  'ws://evil.example/x',
  'wss://evil.example/x',
  'file:///etc/passwd',
  'file://evil.example/share',
  'smb://evil.example/share',
  'javascript:alert(1)',
  'data:text/html,x',
  'not an address',
]

it.each(REFUSED)('a client may not have its person sent to %s', (uri) => {
  expect(isRedirectTarget(uri)).toBe(false)
})

it('registers no client that would start programs', async () => {
  const { url } = await openSignIn()
  for (const uri of ['ms-msdt:/id', 'view-source:https://a.example/', 'mailto:a@b.c', 'ws://a/b']) {
    const client = await new OAuthClient(url).register({ redirect_uris: [uri] })
    expect(client.clientId).toBeUndefined()
  }
})

it('shows the name of a client without signs that are not seen', async () => {
  const { url } = await openSignIn()
  const name = 'Claude\u202E edoC\u200B\u2066 \u{E0041}\u00AD\n  Code'
  const client = await new OAuthClient(url).register({ client_name: name })
  expect((await client.open()).text).toContain('<strong>Claude edoC Code</strong>')
  const nameless = await new OAuthClient(url).register({ client_name: '\u202E\u200B' })
  expect((await nameless.open()).text).toContain(`<strong>${nameless.clientId}</strong>`)
})
