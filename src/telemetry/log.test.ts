import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { type LogOptions, createLog } from './log.ts'

function logged(options: LogOptions, isTTY = false) {
  const stream = Object.assign(new PassThrough(), { isTTY })
  return { log: createLog({ ...options, stream }), text: () => String(stream.read() ?? '') }
}

it('writes a plain line for people, without colours where there is no terminal', () => {
  const { log, text } = logged({})
  log.info('listening', { port: 7411, name: 'two words' })
  log.warn('slow')
  log.debug('not shown')
  expect(text()).toBe('listening port=7411 name="two words"\nwarn slow\n')
})

it('writes colours on a terminal', () => {
  const { log, text } = logged({}, true)
  log.error('broken')
  expect(text()).toBe('\u001B[31merror\u001B[0m broken\n')
})

it('shows the control characters in what others wrote', () => {
  const { log, text } = logged({}, true)
  log.info('it said \u001B[2J', { line: '\u001B]0;title\u0007' })
  expect(text()).toBe('it said \\x1b[2J line=\\x1b]0;title\\x07\n')
})

it('writes one JSON object a line when asked', () => {
  const { log, text } = logged({ format: 'json', level: 'debug' })
  log.debug('reloaded', { error: new Error('outer', { cause: new Error('inner') }) })
  expect(JSON.parse(text())).toMatchObject({
    level: 'debug',
    message: 'reloaded',
    error: 'outer: inner',
  })
})

it('hides secrets in text and JSON, and the JSON stays JSON', () => {
  for (const format of ['text', 'json'] as const) {
    const { log, text } = logged({ format })
    log.info('started with Bearer abcdefghijkl', { url: 'http://u:pw@host/', password: 'hunter22' })
    const line = text()
    expect(line).not.toMatch(/abcdefghijkl|u:pw|hunter22/)
    expect(line).toContain('host/')
    if (format === 'json') JSON.parse(line)
  }
})

it('uses stderr unless told otherwise', async () => {
  const { execFileSync } = await import('node:child_process')
  const file = JSON.stringify(`${import.meta.dirname}/log.ts`)
  const program = `import { createLog } from ${file}; createLog().info('hello')`
  const args = ['--import', 'tsx', '--input-type=module', '-e', program]
  expect(execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] }).length).toBe(
    0,
  )
})
