import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from '../shared/commander.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { registerIngest } from '../ingest/index.ts'
import { registerKnowledge } from './index.ts'

const EXAMPLES = join(import.meta.dirname, '../../../test/fixtures/knowledge')

let home: string
let out: string
let output: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'portolan-cli-'))
  vi.stubEnv('PORTOLAN_HOME', home)
  vi.stubEnv('PORTOLAN_DATABASE_URL', undefined)
  out = ''
  output = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text)
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    output += String(text)
    return true
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
  await rm(home, { recursive: true, force: true })
})

async function run(...args: string[]): Promise<string> {
  out = ''
  output = ''
  const program = new Command('portolan')
  registerIngest(program)
  registerKnowledge(program)
  await program.parseAsync(['node', 'portolan', ...args])
  return out
}

it(
  'ingests, searches, lists, verifies and scores from the command line',
  { timeout: 30_000 },
  async () => {
    await run(
      'ingest',
      join(EXAMPLES, 'hss-4210-2024.docx'),
      EXAMPLES,
      '--type',
      'standard',
      '--include',
      '*.docx',
    )
    expect(output).toContain('2 documents, 0 failed')
    expect(await run('knowledge', 'search', 'proof', 'test', 'interval', '-l', '1')).toMatch(
      /^HSS 4210:2024 .*Clause \d.*, p\.\d+ {2}\[\d+%\]\n/,
    )
    expect(await run('knowledge', 'sources')).toContain('complete')
    expect(JSON.parse(await run('knowledge', 'stats'))).toMatchObject({ documents: 1 })
    await run('knowledge', 'verify')
    expect(output).toContain('0 problems')
    expect(process.exitCode ?? 0).toBe(0)

    const golden = join(home, 'golden.yml')
    await writeFile(
      golden,
      'queries:\n  - query: daily check before the first lift\n    document: HSS 4210\n    clauses: ["8.1"]\n',
    )
    expect(JSON.parse(await run('knowledge', 'eval', golden))).toMatchObject({
      queries: 1,
      recall: 1,
      mrr: 1,
    })
    await writeFile(golden, '- query: daily check\n  clauses: ["99"]\n')
    await run('knowledge', 'eval', golden)
    expect(process.exitCode).toBe(1)
  },
)

it('tells which document failed and exits with 1', async () => {
  const file = join(home, 'bad.pdf')
  await writeFile(file, 'not a PDF')
  await run('ingest', file)
  expect(output).toContain('The PDF is damaged')
  expect(process.exitCode).toBe(1)
})

it('ingests under either name of the command', async () => {
  const note = join(home, 'note.md')
  await writeFile(note, '# Brakes\n\nBrakes are checked every year.\n')
  await run('knowledge', 'ingest', note)
  expect(output).toContain('1 document, 0 failed')
  expect(await run('knowledge', 'search', 'brakes')).toContain('checked every year')
})
