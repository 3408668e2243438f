import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../../test/support/postgres.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openStorage } from '../open-storage.ts'
import { type ApprovalRow, createApprovalRows } from './approvals.ts'

let made = 0

function aRow(parts: Partial<ApprovalRow> = {}): ApprovalRow {
  const id = `id${++made}`
  return {
    id,
    state: 'pending',
    call_bond: 'call',
    session_bond: 'session',
    waiting_bond: parts.call_bond ?? 'call',
    agent: 'ada',
    question: 'sealed',
    scope: null,
    reason: null,
    answered_by: null,
    via: null,
    created_at: Date.now(),
    answered_at: null,
    expires_at: Date.now() + 60_000,
    used_by: null,
    ...parts,
  }
}

describe.each(['sqlite', 'postgres'] as const)('approvals on %s', (engine) => {
  /** Two processes that share a database. */
  async function twoProcesses() {
    const home = tempFolder().path
    const databaseUrl =
      engine === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined
    const open = async () => {
      const storage = await openStorage({ home, databaseUrl })
      onTestFinished(async () => storage.close())
      return createApprovalRows(storage)
    }
    return [await open(), await open()] as const
  }
  const yes = { state: 'approved', scope: 'once' } as const
  const bonds = { call: 'call', session: 'session' }

  it('have one question for one call, whichever process asks', async () => {
    const [one, other] = await twoProcesses()
    const added = await Promise.all([one.add(aRow()), other.add(aRow()), one.add(aRow())])
    expect(added.filter(Boolean)).toHaveLength(1)
    expect(await other.add(aRow({ call_bond: 'another' }))).toBe(true)
    expect(await one.waitingOf('ada')).toBe(2)
  })

  it('are answered once and used once, whichever of a hundred is first', async () => {
    const [one, other] = await twoProcesses()
    const row = aRow()
    await one.add(row)
    const answers = await Promise.all([
      one.answer(row.id, yes),
      other.answer(row.id, { state: 'denied' }),
    ])
    expect(answers.filter(Boolean)).toHaveLength(1)
    const next = aRow({ call_bond: 'b' })
    await one.add(next)
    await one.answer(next.id, yes)
    const uses = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => (n % 2 ? one : other).use(next.id, `call ${n}`)),
    )
    expect(uses.filter(Boolean)).toHaveLength(1)
    expect(await one.answersTo({ call: 'b', session: 'x' })).toEqual([])
  })

  it('of a list are answered with it, or not at all', async () => {
    const [one, other] = await twoProcesses()
    const list = aRow({ call_bond: 'list' })
    await one.add(list)
    const covered = ['a', 'a', 'b'].map((bond) => aRow({ call_bond: bond }))
    const answers = await Promise.all([
      one.answer(list.id, yes, covered),
      other.answer(list.id, { state: 'denied' }, []),
      other.answer(list.id, { state: 'denied' }),
    ])
    expect(answers.filter(Boolean)).toHaveLength(1)
    const isApproved = answers[0] !== undefined
    for (const [bond, count] of Object.entries({ a: 2, b: 1 }))
      expect(await other.answersTo({ call: bond, session: 'x' })).toHaveLength(
        isApproved ? count : 0,
      )
    expect(await other.waitingOf('ada')).toBe(0)
  })

  it('end: an answer that is late is none, and an approval that has expired is not found', async () => {
    const [one, other] = await twoProcesses()
    const late = aRow({ expires_at: Date.now() - 1 })
    await one.add(late)
    expect(await other.answer(late.id, yes)).toBeUndefined()
    expect((await other.expire()).map(({ id }) => id)).toEqual([late.id])
    expect(await one.expire()).toEqual([])
    const old = aRow({
      call_bond: 'old',
      state: 'approved',
      scope: 'once',
      waiting_bond: null,
      expires_at: Date.now() - 1,
    })
    await one.add(old)
    expect(await one.answersTo({ call: 'old', session: 'x' })).toEqual([])
    expect(await one.use(old.id, 'call')).toBeUndefined()
  })

  it('for a session are found for every call of it', async () => {
    const [one, other] = await twoProcesses()
    const row = aRow({ call_bond: 'first' })
    await one.add(row)
    await one.answer(row.id, { state: 'approved', scope: 'session' })
    expect(await other.answersTo({ ...bonds, call: 'second' })).toHaveLength(1)
    expect(await other.answersTo({ call: 'second', session: 'another' })).toEqual([])
  })
})
