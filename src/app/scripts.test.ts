import { afterEach, expect, it, vi } from 'vitest'
import { openToy } from '../../test/settings/open-toy.ts'
import { SandboxPool } from '../sandbox/pool.ts'
import { findToolsTool } from '../surfaces/discover/find-tools.ts'

const RULES = {
  agents: {
    ada: { allow: { servers: ['*'], scripts: true } },
    bob: { allow: { servers: ['*'] } },
  },
}

afterEach(() => void vi.restoreAllMocks())

it('answers what many requests of a script ask of the gateway itself one by one, with others in between', async () => {
  const { call } = await openToy({}, { rules: RULES })
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  turn()
  const answeredIn: number[] = []
  vi.spyOn(findToolsTool, 'answer').mockImplementation(async () => {
    answeredIn.push(turns)
    return { content: [], structuredContent: { tools: [] } }
  })
  const code = `(await Promise.all(Array.from({ length: 30 }, () => find('echo')))).length`
  expect(await call('run_script', { code }, { agent: 'ada', surface: 'discover' })).toBe(
    '{"result":30}',
  )
  isOver = true
  expect(new Set(answeredIn).size).toBe(30)
})

it('has the engine ready once an agent that may run scripts has seen its tools, and for no other', async () => {
  const prepare = vi.spyOn(SandboxPool.prototype, 'prepare')
  const { app, list, call } = await openToy({}, { rules: RULES })
  const wanted = vi.spyOn(app.world.scripts, 'prepare')

  expect(await list({ agent: 'bob', surface: 'discover' })).not.toContain('run_script')
  expect(await list({ agent: 'ada', surface: 'direct' })).not.toContain('run_script')
  expect(wanted).not.toHaveBeenCalled()

  expect(await list({ agent: 'ada', surface: 'discover' })).toContain('run_script')
  await list({ agent: 'ada', surface: 'discover' })
  expect(wanted).toHaveBeenCalledTimes(2)
  await vi.waitFor(() => expect(prepare).toHaveBeenCalledTimes(1), 10_000)
  await prepare.mock.results[0]?.value
  const answer = await call('run_script', { code: '6 * 7' }, { agent: 'ada', surface: 'discover' })
  expect(answer).toBe('{"result":42}')
})
