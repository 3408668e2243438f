import { expect, it, vi } from 'vitest'
import { createTerminal } from './terminal.ts'

it('lines up a table whose rows have different numbers of cells', () => {
  const lines: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text))
    return true
  })
  createTerminal().table([['name', 'a long value', 'last'], ['x', 'y'], ['z']])
  write.mockRestore()
  expect(lines).toEqual(['  name  a long value  last\n', '  x     y\n', '  z\n'])
})
