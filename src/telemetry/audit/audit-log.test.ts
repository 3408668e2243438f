import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anEvent } from '../../../test/support/a-call.ts'
import { audit } from '../../gateway/layers/audit.ts'
import { type AuditLog, type AuditLogOptions, createAuditLog } from './audit-log.ts'
import { createLedger } from '../ledger.ts'

const run = promisify(execFile)
const allowed = { decision: 'ALLOW', outcome: 'ok', agent: 'ada' } as const

let folder: string
let path: string
const open: AuditLog[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portolan-audit-'))
  path = join(folder, 'deep', 'audit.jsonl')
})
afterEach(async () => {
  for (const log of open.splice(0)) await log.close()
  await rm(folder, { recursive: true })
})

function auditLog(options: Partial<AuditLogOptions> = {}): AuditLog {
  const log = createAuditLog({ path, ...options })
  open.push(log)
  return log
}

async function entries(file = path): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('the audit log', () => {
  it('really writes every call that went through the audit layer (A11.1)', async () => {
    const log = auditLog()
    const layer = audit(createLedger({ auditLog: log }))
    await layer(async () => ({ content: [] }))({ event: anEvent({ agent: 'ada' }) })
    const failing = layer(async () => {
      throw new Error('broken')
    })
    await expect(failing({ event: anEvent() })).rejects.toThrow('broken')
    await log.flush()
    expect(await entries()).toMatchObject([
      { agent_id: 'ada', decision: 'ALLOW' },
      { agent_id: null, decision: 'ERROR', metadata: { error: 'broken' } },
    ])
  })

  it('writes the fields of the contract', async () => {
    const log = auditLog()
    const event = anEvent({
      id: 'c1',
      startedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
      operation: 'execute_tool',
      parent: 'c0',
      agent: 'ada',
      ancestors: ['robin', 'grace'],
      decision: 'DENY',
      outcome: 'DENIED_BY_POLICY',
      durationMs: 1.25,
      server: 'pg',
      tool: 'query',
      reason: 'tool_not_allowed',
      rule: 'agents.ada.deny.tools.pg[0]',
      error: 'no "query" for you',
      isError: false,
      timeoutMs: 200,
      toolsRequested: 3,
      toolsReturned: 2,
      tokenCount: 17,
    })
    log.record(event)
    await log.flush()
    expect(await entries()).toEqual([
      {
        timestamp: '2026-01-02T03:04:05.007Z',
        agent_id: 'ada',
        operation: 'execute_tool',
        decision: 'DENY',
        latency_ms: 1.25,
        metadata: {
          call_id: 'c1',
          parent: 'c0',
          on_behalf_of: ['robin', 'grace'],
          server: 'pg',
          tool: 'query',
          outcome: 'DENIED_BY_POLICY',
          reason: 'tool_not_allowed',
          rule: 'agents.ada.deny.tools.pg[0]',
          error: 'no "query" for you',
          is_error: false,
          timeout_ms: 200,
          tools_requested: 3,
          tools_returned: 2,
          token_count: 17,
        },
      },
    ])
  })

  it('writes without being asked', async () => {
    const log = auditLog()
    log.record(anEvent(allowed))
    await expect.poll(() => log.status.written).toBe(1)
    expect(await entries()).toHaveLength(1)
  })

  it('hides secrets in every string', async () => {
    const log = auditLog()
    const secret = `sk-ant-${'x1'.repeat(20)}`
    const texts = { agent: secret, operation: secret, server: secret, tool: secret, rule: secret }
    log.record(anEvent({ ...texts, reason: secret, error: `${'y'.repeat(1_990)} ${secret}` }))
    await log.flush()
    expect(await readFile(path, 'utf8')).not.toContain('x1x1')
  })

  it('keeps the file to its owner, even one that was open to others', async () => {
    const log = auditLog()
    log.record(anEvent(allowed))
    await log.flush()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await log.close()
    await chmod(path, 0o644)
    const second = auditLog()
    second.record(anEvent(allowed))
    await second.flush()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('rotates by size and keeps as many files as asked', async () => {
    const log = auditLog({ maxBytes: 1_000, keep: 2 })
    for (let n = 0; n < 40; n++) {
      log.record(anEvent({ ...allowed, id: `call-${n}` }))
      await log.flush()
    }
    const names = (await readdir(join(folder, 'deep'))).toSorted()
    expect(names).toEqual(expect.arrayContaining(['audit.jsonl.1', 'audit.jsonl.2']))
    expect(names.filter((name) => !/^audit\.jsonl(\.[12])?$/.test(name))).toEqual([])
    for (const name of names)
      expect((await stat(join(folder, 'deep', name))).size).toBeLessThan(1_300)
    const older = await entries(`${path}.2`)
    const newer = await entries(`${path}.1`)
    expect(older.length * newer.length).toBeGreaterThan(0)
    expect(JSON.stringify(newer)).toContain('call-3')
  })

  it('goes on in a new file when somebody moved the old one away', async () => {
    const log = auditLog()
    log.record(anEvent(allowed))
    await log.flush()
    await rm(path)
    await expect
      .poll(async () => {
        log.record(anEvent(allowed))
        await log.flush()
        return existsSync(path)
      })
      .toBe(true)
    expect(await entries()).toHaveLength(1)
  })

  it('begins a new line after the part of one that a killed process left', async () => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, '{"whole":1}\n{"torn":')
    const log = auditLog()
    log.record(anEvent(allowed))
    await log.flush()
    const [whole, torn, entry, ...others] = (await readFile(path, 'utf8')).trimEnd().split('\n')
    expect([whole, torn, others]).toEqual(['{"whole":1}', '{"torn":', []])
    expect(JSON.parse(entry ?? '')).toHaveProperty('timestamp')
  })

  it('counts what a full disk does not take, and neither throws nor waits', async () => {
    const log = auditLog({ path: '/dev/full' })
    const begun = performance.now()
    for (let n = 0; n < 1_000; n++) log.record(anEvent(allowed))
    expect(performance.now() - begun).toBeLessThan(5000)
    await log.flush()
    expect(log.status).toMatchObject({ written: 0, dropped: 1_000 })
    expect(log.status.lastError).toContain('ENOSPC')
  })

  it('recovers once the disk takes entries again', async () => {
    await writeFile(join(folder, 'deep'), 'a file where the folder should be')
    const log = auditLog()
    log.record(anEvent(allowed))
    await log.flush()
    expect(log.status.dropped).toBe(1)
    await rm(join(folder, 'deep'))
    log.record(anEvent(allowed))
    await log.flush()
    expect(log.status).toMatchObject({ written: 1, dropped: 1, lastError: undefined })
  })

  it('says at once that entries are lost, then seldom, and when they are written again', async () => {
    await writeFile(join(folder, 'deep'), 'a file where the folder should be')
    const said: string[] = []
    const log = auditLog({
      log: {
        error: (text) => said.push(`error ${text}`),
        warn: (text) => said.push(`warn ${text}`),
      },
    })
    await expect(log.probe()).rejects.toThrow('ENOTDIR')
    for (let n = 0; n < 3; n++) {
      log.record(anEvent(allowed))
      await log.flush()
    }
    expect(said).toEqual([expect.stringMatching(/^error Audit entries are lost: .*audit\.jsonl/)])
    expect(log.status.losingSince).toBeGreaterThan(0)
    await rm(join(folder, 'deep'))
    // A probe alone does not end it: nobody knows yet whether entries are written.
    await expect(log.probe()).rejects.toThrow('audit entries are lost: 3 so far')
    log.record(anEvent(allowed))
    await log.flush()
    expect(said.slice(1)).toEqual(['warn Audit entries are written again'])
    expect(log.status).toMatchObject({ dropped: 3, losingSince: undefined })
    await expect(log.probe()).resolves.toBeUndefined()
  })

  it('writes what is recorded while it closes', async () => {
    const log = auditLog()
    log.record(anEvent(allowed))
    const closed = log.close()
    log.record(anEvent(allowed))
    await Promise.resolve()
    log.record(anEvent(allowed))
    await closed
    expect(await entries()).toHaveLength(3)
  })

  it('drops rather than grows when calls come faster than the disk', () => {
    const log = auditLog({ maxBufferedChars: 10_000 })
    for (let n = 0; n < 1_000; n++) log.record(anEvent(allowed))
    expect(log.status.dropped).toBeGreaterThan(900)
  })

  it('stays whole when several processes append and rotate together', async () => {
    const program = `
      import { createAuditLog } from ${JSON.stringify(join(import.meta.dirname, 'audit-log.ts'))}
      const log = createAuditLog({ path: process.argv[1], maxBytes: 20_000, keep: 50, flushMs: 5 })
      for (let n = 0; n < 400; n++) {
        log.record({ id: process.pid + '-' + n, startedAt: Date.now(), operation: 'x', decision: 'ALLOW' })
        if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 2))
      }
      await log.close()`
    const args = ['--import', 'tsx', '--input-type=module', '-e', program, path]
    await Promise.all([1, 2, 3].map(async () => run(process.execPath, args)))
    const names = await readdir(join(folder, 'deep'))
    const files = names.map(async (name) => entries(join(folder, 'deep', name)))
    expect((await Promise.all(files)).flat()).toHaveLength(1_200)
    // On a busy machine each process writes everything at once, so there are few files.
    expect(names.length).toBeGreaterThan(1)
  })

  it('loses nothing when the process ends without closing it', async () => {
    const program = `
      import { createAuditLog } from ${JSON.stringify(join(import.meta.dirname, 'audit-log.ts'))}
      createAuditLog({ path: process.argv[1] }).record({ id: 'last', startedAt: 0, operation: 'x' })
      process.exit(0)`
    await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, path])
    expect(await entries()).toMatchObject([{ metadata: { call_id: 'last' } }])
  })
})
