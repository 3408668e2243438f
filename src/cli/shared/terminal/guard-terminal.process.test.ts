import { expect, it, vi } from 'vitest'
import { runCli } from '../../../../test/support/run-cli.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { drawingOn, guardTerminal } from './guard-terminal.ts'

const done = () => undefined
const HOSTILE = 'a \u001B]0;title\u0007 b'

function printed(isTTY: boolean): unknown[] {
  const write = vi.fn<typeof process.stdout.write>(() => true)
  const output = Object.assign(Object.create(process.stdout), { isTTY, write })
  guardTerminal(output)
  output.write(HOSTILE, 'utf8', done)
  output.write(Buffer.from(HOSTILE))
  expect(write.mock.calls[0]?.slice(1)).toEqual(['utf8', done])
  return write.mock.calls.map(([chunk]) => chunk)
}

it('shows control characters on a terminal', () => {
  expect(printed(true)).toEqual(['a \\x1b]0;title\\x07 b', Buffer.from(HOSTILE)])
})

it('leaves what goes to a pipe or a file as it is', () => {
  expect(printed(false)).toEqual([HOSTILE, Buffer.from(HOSTILE)])
})

it('lets prompts and progress bars draw on a terminal that is guarded', () => {
  const write = vi.fn<typeof process.stderr.write>(() => true)
  const output = Object.assign(Object.create(process.stderr), { isTTY: true, write })
  expect(drawingOn(output)).toBe(output)
  guardTerminal(output)
  drawingOn(output).write('\r\u001B[K1/2')
  output.write(HOSTILE)
  expect(write.mock.calls.map(([chunk]) => chunk)).toEqual([
    '\r\u001B[K1/2',
    'a \\x1b]0;title\\x07 b',
  ])
})

/** Makes the pipes of a child look like terminals to it. */
const AS_TERMINAL = {
  NODE_OPTIONS:
    '--import=data:text/javascript,process.stdin.isTTY=process.stdout.isTTY=process.stderr.isTTY=true',
}

it('shows control characters of a strange folder on stderr too', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', JSON.stringify({ mcpServers: { 'a\u001B[2K\rb': { command: 1 } } }))
  const { stderr } = await runCli(folder, ['check'], AS_TERMINAL)
  expect(stderr).toContain('a\\x1b[2K\\x0db')
  expect(stderr).not.toContain('\u001B[2K')
})
