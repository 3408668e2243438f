import { describe, expect, it } from 'vitest'
import { redact } from './redact.ts'

const body = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'

describe('redact', () => {
  it.each([
    ['a bearer token', `Authorization: Bearer abc.def-${body}`],
    ['a JSON Web Token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ${body}.${body}`],
    ['an OpenAI key', `sk-proj-${body}`],
    ['an Anthropic key', `sk-ant-api03-${body}`],
    ['a Stripe key', `sk_live_${body}`],
    ['a GitHub token', `ghp_${body}`],
    ['a fine-grained GitHub token', `github_pat_11${body}`],
    ['a GitLab token', `glpat-${body}`],
    ['a Slack token', `xoxb-12345-${body}`],
    ['a key of our own', `ptk_${body}`],
    ['a handle of our own', `pth_${body}.${body}`],
    ['a Google key', `AIza${body}`],
    ['a Hugging Face token', `hf_${body}`],
    ['an npm token', `npm_${body}`],
    ['a password in a setting', `password=${body}`],
    ['a password in JSON', `{"password":"${body}"}`],
    ['a password in JSON within JSON', `{\\"password\\":\\"${body}\\"}`],
    ['a key in a query', `GET /x?api_key=${body}&y=1`],
    ['a header', `X-API-Key: ${body}`],
    ['a header of an unknown scheme', `Authorization: Token ${body}\n`],
    ['an argument', `npx server --api-key ${body}`],
    ['a variable', `OPENAI_API_KEY=${body}`],
    ['a URL with credentials', `postgres://ada:${body}@db.example/x`],
    ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`],
  ])('hides %s', (_, secret) => {
    const clean = redact(`failed with ${secret} at the end`)
    expect(clean).not.toContain(body)
    expect(clean).toContain('[redacted]')
    expect(clean).toMatch(/^failed with .*/s)
  })

  it('hides an AWS key id', () => {
    expect(redact('using AKIAIOSFODNN7EXAMPLE here')).toBe('using [redacted] here')
  })

  it('keeps what stands around a secret', () => {
    expect(redact('connect postgres://ada:pw1@db/x?password=hunter2&ssl=1')).toBe(
      'connect postgres://[redacted]@db/x?password=[redacted]&ssl=1',
    )
  })

  it.each([
    'Tool execution timed out after 200ms',
    "Agent 'ada' cannot access server 'pg'",
    'agents.ada.deny.tools.pg[0]',
    'max_tokens: 2000, token_count: 17',
    'the-skeleton-of-a-very-long-name-with-dashes',
    'https://example.com/path?q=1',
    'Bearer authentication is required; Basic authentication is not enough',
    'Unexpected token in JSON at position 3',
  ])('leaves %j alone', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('changes nothing the second time', () => {
    const once = redact(`password=${body} Bearer ${body} https://a:${body}@b/ token: ${body}`)
    expect(redact(once)).toBe(once)
  })

  it('takes linear time on hostile text', () => {
    // CPU time, so that a busy machine does not fail it; quadratic would be minutes.
    const before = process.cpuUsage()
    for (const piece of [
      'eyJ',
      'eyJ-',
      'SG.',
      'secret: ',
      'password=',
      'sk-',
      '://',
      'Bearer ',
      'a.',
      '-----BEGIN ',
      'token',
      ' ',
    ])
      redact(piece.repeat(40_000))
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000)
  }, 30_000)
})
