import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

/** Stored and cached results belong to the agent that made the call. */
export const belongings: Attack = {
  name: 'cache keys and handles across agents',
  async run(field) {
    const rig = await Rig.open({
      servers: { one: hostile(), 'one.two': hostile(), two: hostile() },
      rules: { agents: { ada: ALL, bob: ALL, 'ada.bob': ALL } },
      settings: {
        budgets: { maxTokens: 200 },
        cache: { enabled: true, readOnly: true },
      },
    })
    const mine = JSON.stringify(await rig.value('one__large', { lines: 5_000 }, { agent: 'ada' }))
    const handle =
      /"handle":"([^"]+)"/.exec(mine)?.[1] ?? /handle\W+([\w-]{6,})/.exec(mine)?.[1] ?? ''
    await field.try('its owner reads a stored result', async () =>
      (await rig.call('read_result', { handle, limit: 5 }, { agent: 'ada' })).includes('line 1'),
    )
    const spellings = [
      handle,
      handle.toUpperCase(),
      `${handle} `,
      ` ${handle}`,
      `${handle}\u0000`,
      `ada:${handle}`,
      `../${handle}`,
      `ada/${handle}`,
    ]
    for (const agent of ['bob', 'ada.bob', 'Ada', 'nobody', ''])
      for (const spelling of spellings)
        await field.try(
          `${agent} reads ${spelling}`,
          async () =>
            !(await rig.call('read_result', { handle: spelling, limit: 5 }, { agent })).includes(
              'line 1',
            ),
        )
    const counted = async (server: string, agent: string) =>
      /call \d+/.exec(await rig.call(`${server}__counted`, {}, { agent }))?.[0]
    await field.try(
      'a result is kept for the agent',
      async () => (await counted('two', 'ada')) === (await counted('two', 'ada')),
    )
    await field.try(
      'and for no other',
      async () => (await counted('two', 'ada')) !== (await counted('two', 'bob')),
    )
    const echo = async (server: string, args: Record<string, unknown>, agent = 'ada') =>
      rig.call(`${server}__echo`, args, { agent })
    await echo('one', { text: 'first', other: 1 })
    await field.try('another value, another result', async () =>
      (await echo('one', { text: 'second', other: 1 })).includes('second'),
    )
    await field.try('another server, another result', async () => {
      await rig.call(
        'execute_tool',
        { server: 'one', tool: 'two.echo', args: {} },
        { agent: 'ada' },
      )
      const answer = await rig.call(
        'execute_tool',
        { server: 'one.two', tool: 'counted', args: {} },
        { agent: 'ada' },
      )
      return answer.includes('call 1')
    })
    await field.try('a secret is not kept for those who may not', async () => {
      await rig.call('one__secret', {}, { agent: 'ada' })
      return !(await rig.call('one__secret', {}, { agent: 'nobody' })).includes('TOPSECRET')
    })
    await rig.discard()
  },
}

const ALL = { allow: { servers: ['*'] } }
