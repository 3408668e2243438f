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

describe('the next step', () => {
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
