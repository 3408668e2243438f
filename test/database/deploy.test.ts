import { expect, it } from 'vitest'
import { join } from 'node:path'
import { runProgram } from '../support/run-program.ts'

const ROOT = join(import.meta.dirname, '../..')

it('what compose.yaml describes starts by hand, and a team can use, replace and back it up', async () => {
  const args = ['--import', 'tsx', 'deploy/by-hand/by-hand.ts']
  const { code, stdout, stderr } = await runProgram(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env },
  })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.match(/^✓/gm)).toHaveLength(8)
}, 300_000)
