import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { untilStatus, withTasks } from '../support/clients/extensions.ts'
import { call, structured, textOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { stdioUpstream } from '../support/start.ts'
import { fill, folderWithDisk } from '../support/small-disk.ts'
import type { TempFolder } from '../support/temp-folder.ts'

const SERVERS = { notes: stdioUpstream(), docs: { builtin: 'knowledge' } }
const RULES = { agents: { ada: { allow: { servers: ['*'], scripts: true } } } }
const script = (text: string) => ({
  code: `await tools.notes.echo({ text: input.text })`,
  input: { text },
})

const isWhole = (line: string) => line.startsWith('{') && line.endsWith('}')

/** The audit record; the line that the full disk cut short is no entry. */
function entriesOf(folder: TempFolder): unknown[] {
  const lines = folder.read('data/audit.jsonl').split('\n').filter(Boolean)
  expect(lines.filter((line) => !isWhole(line)).length).toBeLessThanOrEqual(1)
  return lines.filter(isWhole).map((line): unknown => JSON.parse(line))
}

const ready = async ({ url }: Opened) =>
  JSON.parse(await (await fetch(`${url}/ready`)).text()).checks.audit.ok

const connect = async (gateway: Opened, query = 'surface=direct') =>
  gateway.connect({ headers: { 'x-agent-id': 'ada' }, query })

const connectForTasks = async (gateway: Opened) =>
  withTasks(await gateway.connect({ era: 'modern', headers: { 'x-agent-id': 'ada' } }))

it('a day on a full disk: calls go on, what cannot be kept is said, and nothing is broken after', async (test) => {
  const folder = folderWithDisk('48m')
  if (!folder) return test.skip('this user may not mount a disk')
  const wanted = {
    servers: SERVERS,
    rules: RULES,
    folder,
    settings: { tasks: { offerAfterMs: 200 } },
  }
  const gateway = await openGateway(wanted)
  const ada = await connect(gateway)
  const echo = async (text: string) => textOf(await call(ada, 'notes__echo', { text }))
  const ingest = async (name: string, words: string) => {
    const url = folder.write(name, `# ${name}\n\n${words.repeat(40)}\n`)
    return structured(await call(ada, 'knowledge_ingest', { url }))
  }
  expect(await ingest('before.md', 'The harbour opens at dawn. ')).toMatchObject({
    status: 'complete',
  })
  expect(await echo('before')).toContain('before')
  await expect.poll(() => JSON.stringify(entriesOf(folder))).toContain('knowledge_ingest')
  const program = async (words: string, stdin = '') => runCli(folder, words.split(' '), {}, stdin)
  expect(await program('secrets set FIRST', 'one\n')).toMatchObject({ code: 0 })
  expect(await program('keys create grace')).toMatchObject({ code: 0 })
  const save = { save: { name: 'greet', description: 'Greets' } }
  const scripts = await connect(gateway, 'surface=scripts')
  const run = async (text: string, more = {}) =>
    call(scripts, 'run_script', { ...script(text), ...more })
  expect(structured(await run('first', save))).toMatchObject({
    saved: expect.stringContaining('waits for'),
  })

  const free = fill(folder)
  expect(await echo('full')).toContain('full')
  const long = Array.from({ length: 400 }, (_, id) => ({ id, name: `row number ${id}` }))
  const shortened = await call(ada, 'notes__echo', { text: JSON.stringify({ rows: long }) })
  expect(shortened['isError']).not.toBe(true)
  const second = await connect(gateway)
  const answered = await call(second, 'notes__echo', { text: 'a second client' })
  expect(textOf(answered)).toContain('a second client')
  const found = await call(ada, 'knowledge_search', { query: 'when does the harbour open' })
  expect(JSON.stringify(found)).toContain('dawn')
  const refused = await ingest('during.md', 'The lighthouse is red. ')
  expect(refused).toMatchObject({ isError: true })
  expect(JSON.stringify(refused)).toMatch(/disk is full|no space/i)
  const tasks = await connectForTasks(gateway)
  const { taskId } = await call(tasks, 'notes__slow', { ms: 1_000 })
  const ended = await untilStatus(tasks, taskId, 'completed')
  expect(JSON.stringify(ended)).toContain('slept 1000 ms')
  expect(structured(await run('on a full disk'))).toMatchObject({ result: 'on a full disk' })
  const other = { save: { ...save.save, name: 'other' } }
  expect(structured(await run('not kept', other))).toMatchObject({
    result: 'not kept',
    saved: expect.stringContaining('not saved: ENOSPC'),
  })
  for (const words of ['secrets set SECOND', 'keys create heidi'])
    expect(await program(words, 'two\n')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The disk is full: free some space'),
    })
  // The last block of the file has room for some entries more.
  await expect.poll(async () => (await echo('more'), ready(gateway))).toBe(false)
  expect(gateway.log()).toContain('Audit entries are lost')

  free()
  expect(await echo('after')).toContain('after')
  await expect.poll(async () => (await echo('again'), ready(gateway))).toBe(true)
  expect(await ingest('after.md', 'The ferry leaves at noon. ')).toMatchObject({
    status: 'complete',
  })
  await gateway.close()

  const next = await openGateway(wanted)
  const again = await connect(next)
  // How it ended could not be stored, and is not made up.
  const unknown = await (await connectForTasks(next)).request('tasks/get', { taskId })
  expect(unknown).toMatchObject({
    status: 'failed',
    statusMessage: expect.stringContaining('is not known'),
  })
  for (const [query, word] of [
    ['when does the harbour open', 'dawn'],
    ['when does the ferry leave', 'noon'],
  ])
    expect(JSON.stringify(await call(again, 'knowledge_search', { query }))).toContain(word)
  expect((await program('secrets list')).stdout).toMatch(/^FIRST/m)
  expect((await program('keys list')).stdout).toContain('grace')
  expect((await program('scripts list')).stdout).toContain('greet')
  const entries = entriesOf(folder)
  const ingests = entries.filter((entry) => JSON.stringify(entry).includes('knowledge_ingest'))
  // The refused one is there if the last block of the file still had room for it.
  expect(ingests.length).toBeGreaterThanOrEqual(2)
  expect(readdirSync(folder.file('data')).filter((name) => name.includes('tmp'))).toEqual([])
})
