import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import {
  type RunningKnowledge,
  listOf,
  startKnowledge,
} from '../../../../test/support/knowledge-service.ts'

let knowledge: RunningKnowledge
beforeEach(async () => {
  knowledge = await startKnowledge()
  await mkdir(join(knowledge.home, 'docs'))
})
afterEach(async () => knowledge.close())

const at = (path: string) => join(knowledge.home, path)
const write = async (path: string, text: string) => writeFile(at(path), text)
const sources = async () => listOf(await knowledge.ask('knowledge_sources'), 'sources')
const titles = async () => (await sources()).map(({ title }) => String(title)).toSorted()

it('reads a folder in which one folder cannot be read', async () => {
  await write('docs/a.md', '# Alpha\n\nThe alpha valve opens at 3 bar.')
  // Deeper than any path may be: not even the owner of the machine can open it by its path.
  const deep = `for n in $(seq 20); do mkdir ${'d'.repeat(250)} && cd ${'d'.repeat(250)}; done`
  execFileSync('bash', ['-c', deep], { cwd: at('docs') })
  const answer = await knowledge.ask('knowledge_ingest', { url: 'docs' })
  expect(answer).toMatchObject({
    status: 'complete',
    title: 'Alpha',
    skipped_reasons: { 'cannot be read: ENAMETOOLONG': 1 },
  })
  execFileSync('rm', ['-rf', at('docs')])
})

it('reads a folder of a hundred thousand other files', { timeout: 300_000 }, async () => {
  // In memory where there is such a folder: disks need a minute for that many files.
  const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const folder = mkdtempSync(join(memory, 'portolan-many-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  execFileSync('bash', ['-c', 'seq -f %.0f.bin 150000 | xargs touch'], { cwd: folder })
  await writeFile(join(folder, 'a.md'), '# Alpha\n\nThe alpha valve opens at 3 bar.')
  const answer = await knowledge.ask('knowledge_ingest', { url: folder })
  expect(answer).toMatchObject({ title: 'Alpha', skipped_count: 150_000 })
})

it('gives a title to one document, not to every document of a folder', async () => {
  await write('docs/a.md', '# Alpha\n\nThe alpha valve opens at 3 bar.')
  await write('docs/b.md', '# Beta\n\nThe beta valve opens at 9 bar.')
  await knowledge.ask('knowledge_ingest', { url: 'docs', title: 'Valves' })
  expect(await titles()).toEqual(['Alpha', 'Beta'])
  await knowledge.ask('knowledge_ingest', { url: 'docs/a.md', title: 'Valves' })
  expect(await titles()).toEqual(['Beta', 'Valves'])
})

it('reads files and folders with signs of an address in their names', async () => {
  await mkdir(at('docs/C# and F#'))
  await write('docs/C# and F#/why?.txt', 'The alpha valve opens at 3 bar.')
  await write('docs/100%23.md', 'The beta valve opens at 9 bar.')
  const answer = await knowledge.ask('knowledge_ingest', { url: 'docs' })
  expect(answer).toMatchObject({ status: 'complete' })
  expect(answer).not.toHaveProperty('skipped_count')
  expect(await titles()).toEqual(['100#', 'why?'])
})
