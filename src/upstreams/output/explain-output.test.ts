import { describe, expect, it } from 'vitest'
import { nextStep, worthReading } from './explain-output.ts'

it('leaves out stack frames and shows the last of many lines', () => {
  const crash = [
    'file:///app/index.js:3',
    "    throw new Error('no key')",
    '          ^',
    '',
    'Error: no key',
    '    at main (file:///app/index.js:3:11)',
    '    at async node:internal/modules/run_main:170:5',
    'Node.js v20.20.2',
  ]
  expect(worthReading(crash)).toEqual([
    'file:///app/index.js:3',
    "    throw new Error('no key')",
    'Error: no key',
  ])
  expect(worthReading(Array.from({ length: 50 }, (_, n) => `line ${n}`))).toHaveLength(8)
})

it('shows the line that says what went wrong, however long its details are', () => {
  // What mcp-server-sqlite-npx writes where sqlite3 was installed without its scripts.
  const tried = Array.from({ length: 13 }, (_, n) => `/node_modules/sqlite3/build/${n}.node`)
  const bindings = [
    '/node_modules/bindings/bindings.js:126',
    '  err = new Error(',
    '        ^',
    'Error: Could not locate the bindings file. Tried:',
    ...tried.map((path) => ` → ${path}`),
    '    at bindings (/node_modules/bindings/bindings.js:126:9) {',
    '  tries: [',
    ...tried.map((path) => `    '${path}',`),
    '  ]',
    '}',
  ]
  const shown = worthReading(bindings)
  expect(shown).toHaveLength(8)
  expect(shown[0]).toBe('Error: Could not locate the bindings file. Tried:')
  expect(shown.at(-1)).toBe('  ]')
  const zod = ['starting', 'ZodError: [', ...Array.from({ length: 20 }, (_, n) => `  "${n}",`), ']']
  expect(worthReading(zod)[0]).toBe('ZodError: [')
})

describe('the next step', () => {
  it('is no key where a variable has no name of one', () => {
    // What Azure's server writes where it has no home folder.
    const line =
      "DOTNET_BUNDLE_EXTRACT_BASE_DIR is not set, and a read-write cache directory couldn't be created."
    expect(nextStep('azure', [line])).toMatch(/^Set DOTNET_BUNDLE_EXTRACT_BASE_DIR in the "env" of/)
  })

  // What these servers of npm write without their key.
  it.each([
    [
      'sentry',
      'Error: No access token was provided. Run `sentry-mcp auth login` or pass SENTRY_ACCESS_TOKEN',
      'SENTRY_ACCESS_TOKEN',
    ],
    ['brave', 'Error: --brave-api-key is required. Set BRAVE_API_KEY', 'BRAVE_API_KEY'],
    ['github', 'GITHUB_PERSONAL_ACCESS_TOKEN environment variable is required', undefined],
    ['slack', 'Please set SLACK_BOT_TOKEN and SLACK_TEAM_ID environment variables', undefined],
    ['tavily', 'Error: TAVILY_API_KEY environment variable is not set', undefined],
  ])('of %s is to set its variable', (server, line, name = /[A-Z_]{8,}/.exec(line)?.[0]) => {
    expect(nextStep(server, ['starting', line])).toBe(
      `Give it its key with \`portolan secrets set ${name} --for ${server}\`.`,
    )
  })

  it.each([
    ['Error: Browser is already in use for /x/mcp-chrome, use --isolated', /"session": "shared"/],
    ["Error: Executable doesn't exist at /root/.cache/ms-playwright/chrome", /needs a browser/],
    ["Error: Cannot find module '/x/index.js'", /install the server again/],
    ['Error: Could not locate the bindings file. Tried:', /with its install scripts/],
    [
      'was compiled against a different Node.js version using NODE_MODULE_VERSION 108.',
      /with its install scripts/,
    ],
    // What the servers of the MCP Apps repository write without --stdio.
    [
      'MCP server listening on http://localhost:3001/mcp',
      /--stdio.*"url": "http:\/\/localhost:3001\/mcp"/,
    ],
    ['npm error code E404', /check its name/],
    ['Error: listen EADDRINUSE: address already in use 127.0.0.1:3000', /Port 3000 is taken/],
    ['TypeError: fetch failed: getaddrinfo EAI_AGAIN api.example.com', /reach the network/],
    ['HTTP 401: Unauthorized', /was refused/],
    ['sh: 1: uvx: not found', /not installed/],
  ])('of "%s" is known', (line, step) => {
    expect(nextStep('one', [line])).toMatch(step)
  })

  it.each([
    'Server running on stdio',
    'code: ERR_MODULE_NOT_FOUND is required reading',
    'using LOG_LEVEL info',
  ])('of "%s" is not known', (line) => {
    expect(nextStep('one', [line])).toBeUndefined()
  })
})
