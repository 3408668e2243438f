import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type GuardOptions, allowOrigin, forbiddenReason } from './guard.ts'

function isServed(headers: Record<string, string>, options: Partial<GuardOptions> = {}): boolean {
  const request = new IncomingMessage(new Socket())
  Object.assign(request.headers, headers)
  const all = { host: '127.0.0.1', allowedHosts: [], allowedOrigins: [], ...options }
  return forbiddenReason(request, all) === undefined
}

function allowedHeaders(asked: string, origin = 'http://localhost:5173'): unknown {
  const request = new IncomingMessage(new Socket())
  Object.assign(request.headers, { origin, 'access-control-request-headers': asked })
  const response = new ServerResponse(request)
  allowOrigin(request, response, { host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] })
  return response.getHeader('access-control-allow-headers')
}

describe('who is served', () => {
  it.each([
    ['127.0.0.1:7411', true],
    ['localhost', true],
    ['LOCALHOST:80', true],
    ['[::1]:7411', true],
    ['evil.example', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example:80', false],
    ['', false],
  ])('a request for host %j: %s', (host, served) => {
    expect(isServed({ host })).toBe(served)
  })

  it('a request without a host is not', () => {
    expect(isServed({})).toBe(false)
  })

  it('hosts that were named are, with a port or without', () => {
    const options = { allowedHosts: ['mcp.example', 'other.example:8443'] }
    expect(isServed({ host: 'mcp.example:443' }, options)).toBe(true)
    expect(isServed({ host: 'other.example:8443' }, options)).toBe(true)
    expect(isServed({ host: 'other.example:1' }, options)).toBe(false)
    expect(isServed({ host: '10.0.0.5:7411' }, { host: '10.0.0.5' })).toBe(true)
    expect(isServed({ host: '[fd00::5]:7411' }, { host: 'FD00::5' })).toBe(true)
    expect(isServed({ host: '[fd00::6]:7411' }, { host: 'FD00::5' })).toBe(false)
  })

  it('hosts are, in any letter case, and IPv6 addresses with brackets', () => {
    expect(isServed({ host: 'mcp.example' }, { allowedHosts: ['MCP.Example'] })).toBe(true)
    expect(isServed({ host: 'MCP.example:1' }, { allowedHosts: ['mcp.example:1'] })).toBe(true)
    expect(isServed({ host: '[2001:db8::5]:7411' }, { host: '2001:db8::5' })).toBe(true)
    expect(isServed({ host: '[2001:db8::6]:7411' }, { host: '2001:db8::5' })).toBe(false)
    expect(isServed({ host: '[2001:db8::6]' }, { allowedHosts: ['2001:db8::6'] })).toBe(true)
  })

  it.each([
    ['http://localhost:3000', [], true],
    ['https://evil.example', [], false],
    ['https://localhost.evil.example', [], false],
    ['null', [], false],
    ['https://app.example', ['https://app.example'], true],
    ['https://app.example:444', ['https://app.example'], false],
    ['https://anything.example', ['*'], true],
  ])('a page of %s when %j are allowed: %s', (origin, allowedOrigins, served) => {
    expect(isServed({ host: 'localhost', origin }, { allowedOrigins })).toBe(served)
  })
})

describe('a page that asks before it sends', () => {
  it('may send the headers of the protocol, and those that repeat arguments', () => {
    expect(allowedHeaders('')).toContain('mcp-name')
    expect(allowedHeaders('content-type, Mcp-Param-Region,mcp-param-user-id')).toMatch(
      /, Mcp-Param-Region, mcp-param-user-id$/,
    )
  })

  it('may send no others, and nothing from an origin that is not allowed', () => {
    expect(allowedHeaders('x-evil, mcp-param-, mcp-param-a:b')).not.toMatch(/evil|mcp-param/)
    expect(allowedHeaders('mcp-param-a', 'https://evil.example')).toBeUndefined()
  })
})
