import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { moduleFile } from '../files/package-files.ts'

const MODULE = JSON.stringify(pathToFileURL(moduleFile('base/flow/start-process')).href)
const TSX = import.meta.resolve('tsx')

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('a busy process ends soon after its parent', async () => {
  const folder = tempFolder()
  const child = folder.write(
    'child.mjs',
    `import { endWithParent } from ${MODULE}
    endWithParent()
    setTimeout(() => {
      console.log(process.pid)
      for (;;);
    }, 500)`,
  )
  const script = `require('node:child_process')
    .spawn(process.execPath, ['--import', ${JSON.stringify(TSX)}, ${JSON.stringify(child)}], { stdio: 'inherit' })`
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await once(parent.stdout, 'data')
  const pid = Number(output)
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false)
}, 60_000)
