import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OPENED, TRACE_ID, hookSession } from '../../../../../test/support/hook-session.ts'
import { saveHookSetting } from '../hook-config.ts'
import { SessionLog } from '../memory/session-log.ts'
import type { SessionEvent } from '../memory/session-log.ts'
import { cooldownMs, mayFire } from '../memory/triggers.ts'
import { errorSignature } from './after-command.ts'

const on = hookSession()

describe('a failing command', () => {
  it('is answered with traces, at most every half minute', async () => {
    await on().knowing({
      title: 'frobnicator socket hang up',
      solution_text: 'Restart the frobnicator and wait for it.',
    })
    expect(JSON.stringify(await on().fails())).toMatch(/Traces about this error.*Restart the frob/)
    expect(await on().fails({ error: 'Error: another' })).toBeUndefined()
  })

  it('sends nothing of the output but what redaction left', async () => {
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
    await on().fails({
      tool_input: { command: `curl -H token=${secret}` },
      error: `fatal: ${secret} zzz unheard of`,
    })
    const { body } = await on().ask('GET', '/wanted')
    expect(JSON.stringify(body)).toMatch(/unheard of/)
    const kept = [await on().memory.lines(), await new SessionLog(on().home, 's').events()]
    expect(JSON.stringify([body, kept])).not.toContain(secret)
  })

  it('is remembered with what solved it: the command, the files, the trace that was opened', async () => {
    await on().fails()
    await on().hook('PostToolUse', OPENED)
    await on().edits('src/pool.ts')
    await on().edits('.env')
    const credit = await on().works({ tool_input: { command: 'cd app && npm test' } })
    expect(await on().memory.of('resolved')).toMatchObject([
      { fix_command: 'cd app && npm test', fix_files: ['pool.ts'], trace_id: TRACE_ID },
    ])
    expect(JSON.stringify(credit)).toContain(`Resolved-with: CommonTrace urn:uuid:${TRACE_ID}`)
    expect(JSON.stringify(credit)).toContain('amend_trace')
    const again = await on().fails({ session_id: 'another' })
    expect(JSON.stringify(again)).toMatch(
      /solved in this project before: `cd app && npm test` worked, after a change in pool.ts/,
    )
    const elsewhere = on().folder.file('elsewhere')
    await mkdir(join(elsewhere, '.git'), { recursive: true })
    expect(await on().fails({ session_id: 'third', cwd: elsewhere })).toBeUndefined()
  })

  it('credits the best trace that was shown when none was opened, and leaves the trailer out when told', async () => {
    const id = await on().knowing({ title: 'frobnicator socket hang up' })
    await saveHookSetting(on().env, 'resolved_with_trailer', 'false')
    await on().fails()
    const credit = await on().works()
    expect(await on().memory.of('resolved')).toMatchObject([{ trace_id: id }])
    expect(JSON.stringify(credit)).not.toContain('Resolved-with')
  })

  it('is not solved by another program that works', async () => {
    await on().fails()
    await on().works({ tool_input: { command: 'npm install' } })
    expect(await on().memory.of('resolved')).toEqual([])
  })
})

describe('the triggers', () => {
  it('come more often where they help, and less often where they are ignored', () => {
    expect(cooldownMs('bash_error', { fired: 10, consumed: 2 })).toBe(30_000)
    expect(cooldownMs('bash_error', { fired: 10, consumed: 4 })).toBe(15_000)
    expect(cooldownMs('bash_error', { fired: 20, consumed: 0 })).toBe(90_000)
    expect(cooldownMs('bash_error', { fired: 19, consumed: 0 })).toBe(30_000)
    expect(cooldownMs('error_recurrence', { fired: 0, consumed: 0 })).toBe(60_000)
    expect(cooldownMs('pre_code', { fired: 0, consumed: 0 })).toBe(180_000)
    expect(cooldownMs('domain_entry', { fired: 0, consumed: 0 })).toBe(120_000)
  })

  it('fire once after nine refusals, and then wait again', () => {
    const trigger = 'bash_error'
    const events: SessionEvent[] = [{ kind: 'held', at: 1, trigger: 'pre_code' }]
    for (let at = 1_000_000; at < 1_000_030; at++) {
      const fires = mayFire(trigger, events, { now: at, record: { fired: 1, consumed: 0 } })
      events.push({ kind: fires ? 'fired' : 'held', at, trigger })
    }
    const fired = events.slice(1).flatMap(({ kind }, index) => (kind === 'fired' ? [index] : []))
    expect(fired).toEqual([0, 10, 20])
  })

  it('know that an offer was taken up when a trace is opened, or a known fix works', async () => {
    await on().fails()
    await on().hook('PostToolUse', OPENED)
    await on().hook('PostToolUse', OPENED)
    await on().works()
    await on().fails({ session_id: 'next' })
    await on().works({ session_id: 'next' })
    const consumed = await on().memory.of('consumed')
    expect(consumed.map(({ trigger }) => trigger)).toEqual(['bash_error', 'error_recurrence'])
  })

  it('fire before a new file of code is there, and not for one that is', async () => {
    await on().knowing({ title: 'Stripe webhook handler charges twice', tags: ['stripe'] })
    const write = async (file: string) =>
      on().hook('PreToolUse', {
        tool_name: 'Write',
        tool_input: { file_path: on().folder.file(file), content: '' },
      })
    await writeFile(on().folder.file('stripe-webhook-handler.ts'), '')
    expect(await write('stripe-webhook-handler.ts')).toBeUndefined()
    expect(await write('stripe-webhook-notes.md')).toBeUndefined()
    expect(JSON.stringify(await write('src/stripeWebhookHandler.ts'))).toContain('charges twice')
  })

  it('fire once on entering a part of the work that others know', async () => {
    await on().knowing({ title: 'docker build cache is never used', tags: ['docker'] })
    expect(JSON.stringify(await on().edits('deploy/Dockerfile'))).toContain('never used')
    expect(await on().edits('other/Dockerfile')).toBeUndefined()
    expect(await on().edits('k8s/secrets.yaml')).toBeUndefined()
  })
})

it('reads a long row of dots, as test programs print them, in linear time', () => {
  const began = performance.now()
  expect(errorSignature(`${'.'.repeat(200_000)} failed`)).toMatch(/\. failed$/)
  expect(performance.now() - began).toBeLessThan(30_000)
})
