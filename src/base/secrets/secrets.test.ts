import { describe, expect, it } from 'vitest'
import { redact as redactForHooks } from '../../cli/traces/hooks/redact.ts'
import { hideSecrets } from '../../config/secrets/hide-secrets.ts'
import { toAuditEntry } from '../../telemetry/audit/audit-entry.ts'
import { createLog } from '../../telemetry/log.ts'
import { scanContent } from '../../builtins/traces/service/rules/scan-content.ts'
import { find, hasSecretShape, hide, isSecretName } from './secrets.ts'

const body = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'
const hex = '0123456789abcdef0123456789abcdef'

/** Every shape there is, by the name under which it is reported. `value` must never be seen again. */
const SHAPES: readonly (readonly [name: string, text: string, value?: string])[] = [
  ['JSON web token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ${body}.${body}`],
  ['OpenAI key', `sk-proj-${body}`],
  ['Anthropic key', `sk-ant-api03-${body}`],
  ['Stripe key', `sk_live_${body}`],
  ['Stripe key', `rk_test_${body}`],
  ['Stripe key', `pk_live_${body}`],
  ['Stripe key', `whsec_${body}`],
  ['GitHub token', `ghp_${body}`],
  ['GitHub token', `github_pat_11${body}`],
  ['GitLab token', `glpat-${body}`],
  ['GitLab token', `glrt-${body}`],
  ['Slack token', `xoxb-12345-${body}`],
  ['Slack token', `xapp-1-${body}`],
  ['Slack webhook', `hooks.slack.com/services/T0123/B0123/${body}`],
  ['AWS access key', 'AKIAIOSFODNN7EXAMPLQ', 'IOSFODNN7'],
  ['Google API key', `AIza${body}`],
  ['Google API key', `ya29.${body}`],
  ['Google API key', `GOCSPX-${body}`],
  ['Hugging Face token', `hf_${body}`],
  ['npm token', `npm_${body}`],
  ['PyPI token', `pypi-${body}`],
  ['SendGrid key', `SG.${body}.${body}`],
  ['DigitalOcean token', `dop_v1_${hex}`, hex],
  ['Shopify token', `shpat_${hex}`, hex],
  ['Docker token', `dckr_pat_${body}`],
  ['Grafana token', `glsa_${body}`],
  ['Linear key', `lin_api_${body}`],
  ['Notion token', `ntn_${body}`],
  ['Notion token', `secret_${body}`],
  ['Groq key', `gsk_${body}`],
  ['xAI key', `xai-${body}`],
  ['Perplexity key', `pplx-${body}`],
  ['Replicate token', `r8_${body}`],
  ['Atlassian token', `ATATT3${body}`],
  ['Databricks token', `dapi${hex}`, hex],
  ['Twilio key', `SK${hex}`, hex],
  ['Telegram bot token', `123456789:AA${body.slice(0, 33)}`, body.slice(0, 33)],
  ['Azure storage key', `AccountKey=${body}${body}==`],
  ['CommonTrace key', `ct_${body}1234567`],
  ['Portolan key', `ptk_0123456789ab_${body}`],
  ['Portolan key', `pth_${body}.${body}`],
  ['private key', `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`],
  [
    'private key',
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${body}\n-----END RSA PRIVATE KEY-----`,
  ],
  [
    'private key',
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${body}\n-----END PGP PRIVATE KEY BLOCK-----`,
  ],
  ['password in a URL', `postgres://ada:${body}@db.example/x`],
  ['password in a URL', `postgres://ada:pa/${body}@db.example/x`],
  ['password in a URL', `postgres://ada:pa@${body}@db.example/x`],
  ['bearer token', `Bearer abc.def-${body}`],
  ['password of basic authentication', `Basic ${body}==`],
  ['secret in a header', `Authorization: Token ${body}`],
  ['secret in a header', `X-Proxy-Authorization: ${body}`],
  ['secret in an argument', `npx server --api-key ${body}`],
  ['password in a command', `curl -u ada:${body} https://db.example/`],
  ['password in a command', `curl --proxy-user "ada:${body}" https://db.example/`],
  ['secret in an assignment', `password=${body}`],
  ['secret in an assignment', `{"password":"${body}"}`],
  ['secret in an assignment', `{\\"password\\":\\"${body}\\"}`],
  ['secret in an assignment', `GET /x?api_key=${body}&y=1`],
  ['secret in an assignment', `X-API-Key: ${body}`],
  ['secret in an assignment', `OPENAI_API_KEY=${body}`],
  ['secret in an assignment', `DB_PASS='${body}'`],
  ['secret in an assignment', `client_secret => "${body}"`],
]

function logged(text: string): string {
  const lines: string[] = []
  const stream = Object.assign(Object.create(process.stderr), {
    isTTY: false,
    write: (line: string) => lines.push(line) > 0,
  })
  createLog({ stream }).info(text)
  return lines.join('')
}

function audited(text: string): string {
  return toAuditEntry({ id: '1', startedAt: 0, operation: 'tools/call', error: text })
}

function imported(text: string): string {
  return JSON.stringify(hideSecrets('one', { command: 'x', env: { NOTE: text } }, new Map()))
}

describe.each(SHAPES)('a %s, as in %s', (name, text, value = body) => {
  it.each([
    ['hidden', hide],
    ['hidden in the log', logged],
    ['hidden in the audit', audited],
    ['hidden by hooks', redactForHooks],
    ['taken out by an import', imported],
  ])('is %s', (_, through) => {
    const shown = through(`failed with ${text} at the end`)
    expect(shown).not.toContain(value)
    expect(shown).toMatch(/\[redacted\]|\[long token\]|\$\{/)
  })

  it('is refused in a trace, by its name', () => {
    expect(find(`failed with ${text} at the end`)).toContain(name)
    expect(scanContent({ solution: `failed with ${text}` }).secrets).toContain(name)
  })

  it('keeps the words before it, and is hidden once', () => {
    const once = hide(`failed with ${text}`)
    expect(once).toMatch(/^failed with /)
    expect(once).toContain('[redacted]')
    expect(hide(once)).toBe(once)
  })
})

describe('hide', () => {
  it('keeps what stands around a secret', () => {
    expect(hide('connect postgres://ada:pw1@db/x?password=hunter2&ssl=1')).toBe(
      'connect postgres://[redacted]@db/x?password=[redacted]&ssl=1',
    )
    expect(hide('password: "correct horse battery", user: "ada"')).toBe(
      'password: "[redacted]", user: "ada"',
    )
    expect(hide('using AKIAIOSFODNN7EXAMPLE here')).toBe('using [redacted] here')
  })

  it('takes a lone word for a password only where one is assigned', () => {
    expect(hide('DB_PASSWORD=swordfish')).toBe('DB_PASSWORD=[redacted]')
    expect(hide('--password swordfish')).toBe('--password [redacted]')
    expect(hide('with Bearer abcdefghijkl')).toBe('with Bearer [redacted]')
    expect(hide('Basic functionality')).toBe('Basic functionality')
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
    'commit 3f2a9c8b7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'call 8c7f0f0e-0000-4000-8000-1234567890ab',
    `data:image/png;base64,${Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i) % 251)).toString('base64')}`,
    'a basic understanding of bearer certificates, the basic read/write cycle',
    'pk_orders_customer_id references sk-learn-contrib-metrics, npm_config_user_agent',
    'secret_key_base is read from credentials.yml.enc',
    'http://localhost:8080/users/@me, git clone ssh://git@github.com/a/b',
    '- token: expected string, got number',
    'Send a key as Authorization: Bearer or X-API-Key; `portolan keys create <agent>` makes one.',
    'Give it an Authorization header in .mcp.json, if it does not offer OAuth.',
    'headers: {"Authorization": "Bearer ${TOKEN}"}',
    'client_id=123, account_id: 456',
    'compass: north, bypass: enabled',
    'docker run -u 1000:1000 x, docker run --user node:node x, -u $(id -u):$(id -g)',
    'git push -u origin main:main, psql -U ada -h db:5432',
  ])('leaves %j alone', (text) => {
    expect(hide(text)).toBe(text)
  })
})

describe('find', () => {
  it.each([
    ['secret in an assignment', 'DB_PASSWORD=tR0ub4dor3x9'],
    ['secret in an assignment', "api_key: 'Zx9q81mNbV7c6X5z'"],
    ['password in a URL', 'postgres://app:s3cr3tPass9@db.internal/app'],
    ['bearer token', 'Authorization: Bearer q8Zx1vN7kLm2pRt5wYb9'],
    ['private key', '-----BEGIN OPENSSH PRIVATE KEY-----'],
  ])('finds a %s in %s', (name, text) => {
    expect(find(text)).toContain(name)
  })

  it.each([
    'password: str = Field(min_length=8)',
    'password=${DB_PASSWORD}',
    'api_key = os.environ["OPENAI_API_KEY"]',
    "token: process.env['TOKEN']",
    'const secret = config.get("secret.name.v2")',
    'postgres://user:password@localhost:5432/db',
    'postgres://postgres:<password>@host/db',
    'http://localhost:8080/users/@me',
    'Authorization: Bearer <token>',
    'Authorization: Bearer $TOKEN',
    'set api_key=YOUR_API_KEY_123 first',
    'The token expired after 3600 seconds',
    'password: "Use at least 8 characters, 1 digit"',
    'git commit 3f2a9c8b7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a',
    'call 8c7f0f0e-0000-4000-8000-1234567890ab',
    'secret_key_base is read from credentials.yml.enc',
    'set npm_config_user_agent and sk-xxxxxxxxxxxxxxxxxxxxxxxx',
  ])('is not alarmed by %s', (text) => {
    expect(find(text)).toEqual([])
  })
})

it('leaves a help text, and hides a password that is given', () => {
  const help =
    '--password: the password of the user\n  -token: token to use\n  --api-key  Key of the service'
  expect(hide(help)).toBe(help)
  for (const [text, clean] of [
    ['--password: hunter', '--password: [redacted]'],
    ['run --password hunter now', 'run --password [redacted] now'],
    ['--password: hunter22 is set', '--password: [redacted] is set'],
    ['password: hunter is set', 'password: [redacted] is set'],
  ] as const)
    expect(hide(text)).toBe(clean)
})

it.each([
  ['DB_PASSWORD', true],
  ['db_pass', true],
  ['X-Api-Key', true],
  ['Authorization', true],
  ['DATABASE_URL', true],
  ['client_secret', true],
  ['DESKTOP_SESSION', false],
  ['XDG_SESSION_TYPE', false],
  ['maxTokens', false],
  ['TOKENIZER', false],
  ['AUTHOR', false],
  ['COMPASS', false],
  ['KEYBOARD_LAYOUT', false],
])('the name %s says that it holds a secret: %s', (name, expected) => {
  expect(isSecretName(name)).toBe(expected)
})

it('knows the shapes of credentials from names', () => {
  expect(hasSecretShape(`ptk_0123456789ab_${body}`)).toBe(true)
  expect(hasSecretShape('research-agent.2')).toBe(false)
})

const HOSTILE = [
  'eyJ',
  'eyJ-',
  'eyJaaaaaa.',
  'SG.',
  `SG.${'a'.repeat(16)}.`,
  'secret: ',
  'password=',
  'password="',
  'sk-',
  'sk-a',
  'pk-',
  '://',
  '://a:',
  '://a',
  'a@',
  'Bearer ',
  'authorization: ',
  '--token ',
  '--',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '-a',
  '-',
  'token',
  'a.',
  'a',
  ' ',
  'A1b2',
  '<',
]

it.each(HOSTILE)(
  'takes linear time for a megabyte of %j',
  (piece) => {
    // Processor time, so that a busy machine does not fail it; quadratic would be minutes.
    const text = piece.repeat(Math.ceil(2 ** 20 / piece.length))
    for (const hostile of [text, `http://-----BEGIN PRIVATE KEY-----${text}`]) {
      const before = process.cpuUsage()
      hide(hostile)
      find(hostile)
      expect(process.cpuUsage(before).user).toBeLessThan(5_000_000)
    }
  },
  60_000,
)

it('hides a secret that is glued to a name', () => {
  const secret = `sk-ant-${'x1'.repeat(20)}`
  expect(hide(`notes__${secret}`)).toBe('notes__[redacted]')
  expect(hide(`task_sk_learn and risk-free`)).toBe('task_sk_learn and risk-free')
})
