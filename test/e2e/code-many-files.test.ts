import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const FOLDERS = 100
const FILES = 500
const MAX_MB = 1000

function manyFiles(folder: TempFolder): string {
  const project = folder.file('project')
  for (let d = 0; d < FOLDERS; d++) {
    mkdirSync(`${project}/pkg${d}`, { recursive: true })
    for (let f = 0; f < FILES; f++)
      writeFileSync(
        `${project}/pkg${d}/file${f}.ts`,
        `export function handler${d}x${f}(value: number) {\n  return value + ${f}\n}\n`,
      )
  }
  return project
}

/** The most memory a process had at any time, as the kernel counts it; of one that has just ended, nothing. */
function peakMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

it('indexes 50,000 files within bounds, all of them', { timeout: 900_000 }, async () => {
  const folder = tempFolder()
  const cwd = manyFiles(folder)
  const env = gatewayEnv(folder)
  const indexing = spawn(process.execPath, [MAIN, 'code', 'index'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [indexing.stdout, indexing.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  let peak = 0
  const ended = once(indexing, 'exit')
  while (indexing.exitCode === null) {
    await Promise.race([sleep(100), ended])
    if (indexing.exitCode === null) peak = Math.max(peak, peakMb(indexing.pid))
  }
  expect(said).toContain('50000 files (50000 added, 0 updated, 0 removed), 0 left out')
  expect(peak).toBeGreaterThan(0)
  expect(peak).toBeLessThan(MAX_MB)
  const search = ['code', 'search', 'handler77x321', '--limit', '1']
  const found = await runProgram(process.execPath, [MAIN, ...search], { cwd, env })
  expect(found.stdout).toContain('pkg77/file321.ts')
})
