import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const COMMAND = ['--import', './bench/strip-types/register.mjs', 'scripts/walk.ts']

it('ARCHITECTURE lists the files that run for a call (scripts/walk.ts --write)', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, COMMAND, { cwd: ROOT })
  const [list = ''] = stdout.split('\n')
  expect(list).toContain('Beside the layers')
  expect(await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8')).toContain(list)
})
