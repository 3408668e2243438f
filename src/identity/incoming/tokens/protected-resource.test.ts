import { describe, expect, it } from 'vitest'
import { createProtectedResource } from './protected-resource.ts'
import { SCOPES, toEffects, withOurScopes } from './scopes.ts'

const ORIGIN = 'https://gateway.example'
const resource = createProtectedResource({
  origin: ORIGIN,
  paths: ['/mcp', '/sse'],
  authorizationServers: ['https://issuer.example'],
})

const isGood = (audience: string, path: string) => resource.accepts(audience, path)

describe('a token', () => {
  it('is good at the path it was issued for, below it, and nowhere else', () => {
    expect(isGood(`${ORIGIN}/mcp`, '/mcp')).toBe(true)
    expect(isGood(`${ORIGIN}/mcp/`, '/mcp/code')).toBe(true)
    expect(isGood(`${ORIGIN}/mcp/code`, '/mcp')).toBe(false)
    expect(isGood(`${ORIGIN}/mcp`, '/mcp2')).toBe(false)
    expect(isGood(`${ORIGIN}/mcp`, '')).toBe(false)
    for (const path of ['/mcp', '/mcp/code', '']) expect(isGood(ORIGIN, path)).toBe(true)
  })

  it.each([
    'https://other.example/mcp',
    'http://gateway.example/mcp',
    'https://gateway.example:8443/mcp',
    'https://gateway.example.evil.example/mcp',
    `${ORIGIN}/mcp?x=1`,
    `${ORIGIN}/mcp#x`,
    'https://user@gateway.example/mcp',
    '/mcp',
    '',
  ])('for %j is good nowhere', (audience) => {
    expect(resource.accepts(audience, '/mcp')).toBe(false)
    expect(resource.owns(audience)).toBe(false)
  })
})

describe('the resource', () => {
  it('owns its origin and what is served there', () => {
    const owned = ['', '/', '/mcp', '/mcp/', '/mcp/code', '/sse'].map((path) => `${ORIGIN}${path}`)
    expect(owned.map((one) => resource.owns(one))).toEqual(owned.map(() => true))
    for (const path of ['/mcpx', '/api', '/mc'])
      expect(resource.owns(`${ORIGIN}${path}`)).toBe(false)
  })

  it('describes what is served, and nothing else', () => {
    expect(resource.metadata('/mcp/')).toEqual({
      resource: `${ORIGIN}/mcp`,
      authorization_servers: ['https://issuer.example'],
      scopes_supported: ['tools:read', 'tools:write', 'tools:delete'],
      bearer_methods_supported: ['header'],
      resource_name: 'Portolan',
    })
    expect(resource.metadata('')).toMatchObject({ resource: ORIGIN })
    expect(resource.metadata('/api')).toBeUndefined()
  })

  it('shows the way to whoever comes without a good token', () => {
    const place = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource`
    expect(resource.challenge('/mcp')).toBe(
      `Bearer realm="portolan", ${place}/mcp", scope="tools:read tools:write tools:delete"`,
    )
    expect(resource.challenge('/api', { error: 'invalid_token' })).toBe(
      `Bearer realm="portolan", error="invalid_token", ${place}", scope="tools:read tools:write tools:delete"`,
    )
    expect(
      resource.challenge('/sse', { error: 'insufficient_scope', effects: ['delete'] }),
    ).toContain('error="insufficient_scope", ')
    expect(
      resource.challenge('/sse', { error: 'insufficient_scope', effects: ['delete'] }),
    ).toMatch(/scope="tools:delete"$/)
  })

  it('names the scopes of a provider where that issues the tokens', () => {
    const theirs = createProtectedResource({
      origin: ORIGIN,
      paths: [],
      authorizationServers: [],
      scopes: ['openid'],
    })
    expect(theirs.challenge('')).toMatch(/scope="openid"$/)
    expect(theirs.metadata('')).toMatchObject({ scopes_supported: ['openid'] })
    expect(theirs.owns(`${ORIGIN}/mcp`)).toBe(false)
  })
})

describe('scopes', () => {
  it('let tools do what they name', () => {
    expect(toEffects('tools:delete openid tools:read')).toEqual(['read', 'delete'])
    for (const none of ['', 'tools', 'tools:', 'read', 'tools:readwrite', undefined])
      expect(toEffects(none)).toEqual([])
  })

  it('are asked for as the client does, or all where it names none of ours', () => {
    expect(withOurScopes('tools:read openid')).toBe('tools:read openid')
    expect(withOurScopes('openid  email')).toBe(`openid email ${SCOPES.join(' ')}`)
    for (const none of [null, '', ' ']) expect(withOurScopes(none)).toBe(SCOPES.join(' '))
  })
})
