import { expect, it } from 'vitest'
import { findSecrets } from './find-secrets.ts'

it.each([
  ['AWS access key', 'id AKIAIOSFODNN7EXAMPLQ'],
  ['GitHub token', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'],
  ['GitLab token', 'glpat-abcdefghij0123456789'],
  ['Slack token', 'xoxb-1234567890-abcdefghij'],
  ['Stripe key', 'sk_live_abcdefghij0123456789'],
  ['OpenAI key', 'sk-proj-abcdefghij0123456789abcd'],
  ['Anthropic key', 'sk-ant-api03-abcdefghij0123456789'],
  ['private key', '-----BEGIN RSA PRIVATE KEY-----'],
  ['private key', '-----BEGIN OPENSSH PRIVATE KEY-----'],
  ['JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r'],
  ['password in a URL', 'postgres://app:s3cr3tPass9@db.internal/app'],
  ['bearer token', 'Authorization: Bearer q8Zx1vN7kLm2pRt5wYb9'],
  ['secret in an assignment', 'DB_PASSWORD=tR0ub4dor3x9'],
  ['secret in an assignment', "api_key: 'Zx9q81mNbV7c6X5z'"],
  ['CommonTrace key', 'ct_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456'],
])('finds a %s', (type, text) => {
  expect(findSecrets(text)).toContain(type)
})

it.each([
  'password: str = Field(min_length=8)',
  'password=${DB_PASSWORD}',
  'api_key = os.environ["OPENAI_API_KEY"]',
  "token: process.env['TOKEN']",
  'const secret = config.get("secret.name.v2")',
  'postgres://user:password@localhost:5432/db',
  'postgres://postgres:<password>@host/db',
  'Authorization: Bearer <token>',
  'Authorization: Bearer $TOKEN',
  'set api_key=YOUR_API_KEY_123 first',
  'The token expired after 3600 seconds',
  'git commit 3f2a9c8b7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a',
  'secret_key_base is read from credentials.yml.enc',
])('is not alarmed by %s', (text) => {
  expect(findSecrets(text)).toEqual([])
})

it.each(['a', 'a.', 'eyJ-', 'password ', '://', 'ab@', 'ignore all ', '\u200b', '4 '])(
  'takes no longer for 50,000 characters of "%s"',
  async (unit) => {
    const { scanContent } = await import('./scan-content.ts')
    const { findInjections } = await import('./find-injections.ts')
    const text = unit.repeat(50_000 / unit.length)
    // Processor time: the clock on the wall also counts what else the machine does.
    const started = process.cpuUsage()
    scanContent({ text })
    findInjections(text)
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500)
  },
)
