import { once } from 'node:events'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { beginTask, taskResult, withTasks } from '../support/clients/extensions.ts'
import { call, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { MAIN } from '../support/gateway.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { runBuilt } from '../support/run-built.ts'
import { fill, folderWithDisk } from '../support/small-disk.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { GONE, SERVERS, record, replay, tapeOf } from '../support/tapes.ts'

it('a tape goes on over a reload, and ends readable when its gateway is killed', async () => {
  const recorded = await record()
  const client = await recorded.connect()
  await call(client, 'notes__echo', { text: 'one' })
  const { notes } = SERVERS
  recorded.folder.write('.mcp.json', { mcpServers: { notes: { ...notes, env: { A: 'b' } } } })
  await expect.poll(async () => toolNames(client)).not.toContain('files__echo')
  await call(client, 'notes__echo', { text: 'two' })
  recorded.child.kill('SIGKILL')
  await once(recorded.child, 'exit')
  appendFileSync(recorded.folder.file('tape.jsonl'), '{"at":99,"server":"no')
  const replayed = await replay(recorded)
  const again = await replayed.connect()
  for (const text of ['one', 'two'])
    expect(textOf(await call(again, 'notes__echo', { text }))).toBe(text)
  const twice = tapeOf(replayed).match(/"text":"two"\}\}/g)
  expect(twice).toHaveLength(1)
})

it('a full disk ends the tape but no call, and is said', async (test) => {
  const folder = folderWithDisk('48m')
  if (!folder) return test.skip('this user may not mount a disk')
  const gateway = await openGateway({
    servers: SERVERS,
    folder,
    args: ['record', 'data/tape.jsonl'],
  })
  const client = await gateway.connect()
  await call(client, 'notes__echo', { text: 'one' })
  const free = fill(folder)
  expect(textOf(await call(client, 'notes__big', { bytes: 300_000 }))).not.toBe('')
  await expect.poll(() => gateway.log()).toContain('data/tape.jsonl ends here')
  free()
  await gateway.close()
  expect(gateway.child.exitCode).toBe(1)
  const replayed = await openGateway({ servers: {}, folder, args: ['replay', 'data/tape.jsonl'] })
  expect(textOf(await call(await replayed.connect(), 'notes__echo', { text: 'one' }))).toBe('one')
})

it('a tape is never overwritten, and one with a mistake says in which line', async () => {
  const folder = tempFolder()
  folder.write('tape.jsonl', '{"tape":1}\n{"server":"notes","call":"tools/call"}\n')
  const [again, bad] = [
    await runBuilt(folder, ['record', 'tape.jsonl', '--', 'true']),
    await runBuilt(folder, ['replay', 'tape.jsonl', '--', 'true']),
  ]
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('it is there already') })
  expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('tape.jsonl:2:') })
})

it.each(['legacy', 'modern'] as const)(
  'tasks of a server end on the tape as they ended, for %s clients',
  async (era) => {
    const program = join(import.meta.dirname, '../support/tasks/task-server.mjs')
    const servers = { notes: { command: process.execPath, args: [program] } }
    const recorded = await record({ servers })
    const before = await runTasks(recorded, era)
    expect(JSON.stringify(before)).toContain('computed one')
    expect(await runTasks(await replay(recorded), era)).toEqual(before)
  },
)

async function runTasks(gateway: Opened, era: 'legacy' | 'modern'): Promise<unknown[]> {
  const client = withTasks(await gateway.connect({ era }))
  await expect.poll(async () => toolNames(client)).toContain('slow_compute')
  const results: unknown[] = []
  for (const label of ['one', 'two']) {
    const params = { name: 'slow_compute', arguments: { seconds: 0.1, label } }
    if (era === 'legacy') results.push(await client.request('tools/call', params))
    else results.push(await taskResult(client, await beginTask(client, params)))
  }
  return results
}

const runScript = async (gateway: Opened) => {
  const client = await gateway.connect({ query: 'surface=discover' })
  const code = `await tools.notes.say({ text: 'hi' })`
  const names = await toolNames(await gateway.connect())
  return [structured(await call(client, 'run_script', { code })), names]
}

it('scripts and overrides apply to a tape, also of an entry whose variable is not set', async () => {
  const tools = { echo: { name: 'say' }, 'ask_*': { hidden: true } }
  const entry = { ...stdioUpstream(), env: { KEY: '${KEY_OF_NOTES}' }, tools }
  const folder = tempFolder()
  const recorded = await openGateway({
    folder,
    servers: { notes: entry },
    args: ['record', 'tape.jsonl'],
    settings: { scripts: { enabled: true } },
    env: { KEY_OF_NOTES: 'violet-canyon-4471' },
  })
  const [before] = await runScript(recorded)
  const replayed = await replay(recorded, { servers: { notes: entry } })
  const [after, names] = await runScript(replayed)
  expect([before, after]).toMatchObject([{ result: 'hi' }, { result: 'hi' }])
  expect(names).toContain('say')
  expect(names).not.toContain('ask_roots')
})

it('a tape and a servers file that nobody has trusted start nothing', async () => {
  const recorded = await record()
  await call(await recorded.connect(), 'notes__echo', { text: 'one' })
  await recorded.close()
  const { folder } = recorded
  folder.write('.mcp.json', { mcpServers: { notes: GONE, more: GONE } })
  const args = ['replay', 'tape.jsonl', '--record-missing', '--']
  const asking = [process.execPath, MAIN, 'call', 'echo', 'text=two']
  const env = { PATH: process.env['PATH'], HOME: folder.path, PORTOLAN_HOME: folder.file('data') }
  const place = { cwd: folder.path, env }
  const { code } = await runProgram(process.execPath, [MAIN, ...args, ...asking], place)
  expect(code).toBe(1)
  expect(existsSync(folder.file('started'))).toBe(false)
})
