import { expect, it, vi } from 'vitest'
import { guardTerminal } from './guard-terminal.ts'

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
