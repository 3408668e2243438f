import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'

/** The longest that another project waits for an answer, and that the process takes to end. */
const MAX_WAIT_MS = 8_000
const MAX_MEMORY_MB = 1_500

/** Repositories that are small, and made to take all of code search for themselves. */
export const hostileRepositories: Attack = {
  name: 'a repository that stops code search',
  async run(field) {
    for (const [name, fill] of Object.entries(REPOSITORIES)) {
      const rig = await Rig.open({
        settings: { builtins: { code: true } },
        files: { 'good/a.ts': 'export function harvest(): number {\n  return 1\n}\n' },
      })
      await rig.call('code__index_codebase', { path: join(rig.folder, 'good'), index_name: 'good' })
      const folder = join(rig.folder, 'hostile')
      mkdirSync(folder)
      execFileSync('git', ['init', '-q', folder])
      writeFileSync(join(folder, 'a.ts'), 'export const one = 1\n')
      fill(folder)
      const indexing = rig
        .call('code__index_codebase', { path: folder, index_name: 'hostile' })
        .catch(() => '')
      await field.try(`another project is searched beside ${name}`, async () => {
        await sleep(500)
        const query = { query: 'harvest', index_name: 'good' }
        const search = rig.call('code__search_code', query, { timeoutMs: MAX_WAIT_MS })
        return (await search).includes('harvest')
      })
      await field.try(`it is indexed, or refused: ${name}`, async () =>
        /succes/.test(await indexing),
      )
      await field.try(`memory beside ${name}`, () => {
        const memory = megabytes(rig.pid)
        if (memory > MAX_MEMORY_MB) throw new Error(`${memory} MB`)
        return true
      })
      await field.try(`the process ends beside ${name}`, async () => {
        // The index is begun again, so that the thread is at work.
        void rig.call('code__index_codebase', { path: folder, index_name: 'again' }).catch(() => '')
        await sleep(300)
        const since = performance.now()
        await rig.stop()
        return performance.now() - since < MAX_WAIT_MS
      })
      await rig.discard()
    }
  },
}

type Fill = (folder: string) => void

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => `${line(n)}\n`).join('')

const sources: Fill = (folder) => {
  for (let n = 0; n < 2_000; n++) writeFileSync(join(folder, `alpha${n}.ts`), `export let a${n}\n`)
}

const REPOSITORIES: Readonly<Record<string, Fill>> = {
  '45,000 definitions in comments'(folder) {
    writeFileSync(
      join(folder, 'a.h'),
      lines(45_000, (n) => `#define AB${n} 1`),
    )
  },
  'an ignore file of 60,000 names'(folder) {
    sources(folder)
    writeFileSync(
      join(folder, '.gitignore'),
      lines(60_000, (n) => `name${n}`),
    )
  },
  'an ignore file of 60,000 wildcards'(folder) {
    sources(folder)
    writeFileSync(
      join(folder, '.gitignore'),
      lines(60_000, (n) => `*a*${n}?*`),
    )
  },
  'an ignore file of very long wildcards'(folder) {
    sources(folder)
    writeFileSync(
      join(folder, '.gitignore'),
      lines(240, () => '*a'.repeat(2_000)),
    )
  },
  "a pipe for git's index"(folder) {
    writeFileSync(join(folder, '.gitignore'), '*.ts\n')
    execFileSync('mkfifo', [join(folder, '.git/index')])
  },
  "a device for git's index"(folder) {
    writeFileSync(join(folder, '.gitignore'), '*.ts\n')
    symlinkSync('/dev/zero', join(folder, '.git/index'))
  },
  "abbreviated paths in git's index"(folder) {
    writeFileSync(join(folder, '.gitignore'), '*.ts\n')
    writeFileSync(join(folder, '.git/index'), abbreviatedIndex('a/'.repeat(25_000), 55_000))
  },
  'chunks that overlap'(folder) {
    writeFileSync(
      join(folder, 'cocosearch.yaml'),
      'indexing:\n  chunkSize: 100000\n  chunkOverlap: 1000000000\n',
    )
    writeFileSync(
      join(folder, 'b.ts'),
      lines(45_000, (n) => `let a${n}`),
    )
  },
}

/** An index of git, of version 4: each path drops the end of the path before it. */
function abbreviatedIndex(start: string, count: number): Buffer {
  const header = Buffer.from('DIRC\0\0\0\u0004\0\0\0\0', 'latin1')
  header.writeUInt32BE(count, 8)
  const entries = Array.from({ length: count }, (_, n) => {
    const number = String(n).padStart(8, '0')
    const path = n === 0 ? `\0${start}${number}` : `\b${number}`
    return Buffer.concat([Buffer.alloc(62), Buffer.from(`${path}\0`, 'latin1')])
  })
  return Buffer.concat([header, ...entries])
}

function megabytes(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}
