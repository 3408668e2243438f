import { expect, it, onTestFinished, vi } from 'vitest'
import { reportFailure } from './report-failure.ts'

const full = (code: string, message: string) => Object.assign(new Error(message), { code })

it('says that the disk is full, and what to do, in one line', () => {
  const said: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text))
    return true
  })
  onTestFinished(() => {
    write.mockRestore()
    process.exitCode = 0
  })
  const written = full('ENOSPC', 'ENOSPC: no space left on device, write')
  reportFailure(written)
  reportFailure(new Error('the index cannot be stored', { cause: written }))
  reportFailure(full('SQLITE_FULL', 'database or disk is full'))
  expect(said.map((line) => line.split('. ')[0])).toEqual([
    'ERROR: ENOSPC: no space left on device, write',
    'ERROR: the index cannot be stored',
    'ERROR: database or disk is full',
  ])
  for (const line of said) expect(line).toMatch(/\. The disk is full: free some space, .*\.\n$/)
})
