import { execFile } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { MAIN } from '../support/gateway.ts'

const run = promisify(execFile)
const WEB = join(import.meta.dirname, '../../web/src')

const sources = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.tsx'),
)
/** What the pages tell their readers to type: a command and its options, without its arguments. */
const commands = sources.flatMap((file) =>
  [...readFileSync(join(WEB, file), 'utf8').matchAll(/["'`](portolan [^"'`$]+)["'`]/g)].map(
    ([, command = '']) => command,
  ),
)

it.each([...new Set(commands)])(
  'the dashboard says `%s`, and there is such a command',
  async (command) => {
    const words = command.split(' ').slice(1)
    const { stdout } = await run(process.execPath, [MAIN, ...words, '--help'])
    const named = words.filter((word) => /^[a-z]+$/.test(word)).slice(0, 2)
    expect(stdout).toContain(`Usage: portolan ${named[0] ?? ''}`)
    for (const option of words.filter((word) => word.startsWith('--')))
      expect(stdout).toContain(option)
  },
)

it('finds what the pages say', () => {
  expect(commands.length).toBeGreaterThan(5)
})
