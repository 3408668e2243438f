import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { MANNERS, hostile } from './servers.ts'

/** Servers that hang, flood and lie: their callers get an answer, and others are not affected. */
export const upstreams: Attack = {
  name: 'hanging, flooding and lying servers',
  async run(field) {
    const servers = Object.fromEntries(MANNERS.map((manner) => [manner, hostile(manner)]))
    const rig = await Rig.open({
      servers: { ...servers, good: hostile() },
      settings: {
        deadlines: { callMs: 4_000, connectMs: 4_000 },
        upstreams: { maxFrameBytes: 50_000_000 },
      },
    })
    await rig.call('good__echo', { text: 'warm' })
    for (const manner of MANNERS) {
      const attacked = rig
        .call('execute_tool', {
          server: manner,
          tool: 'echo',
          args: { text: 'x' },
          timeout_ms: 3_000,
        })
        .catch((error: unknown) => `no answer: ${String(error)}`)
      await field.try(`${manner}: a good server answers meanwhile`, async () =>
        (await rig.call('good__echo', { text: `beside ${manner}` })).includes(`beside ${manner}`),
      )
      await field.try(
        `${manner}: its own caller gets an answer`,
        async () => !(await attacked).startsWith('no answer'),
      )
      await field.try(`${manner}: the gateway goes on`, async () => rig.isAlive())
    }
    await field.try(
      'a second answer is given to nobody',
      async () =>
        (await rig.call('twice__echo', { text: 'mine' })).includes('mine') &&
        !(await rig.call('good__echo', { text: 'other' })).includes('second'),
    )
    await field.try(
      'nothing was polluted',
      async () => !(await rig.call('good__echo', {})).includes('polluted'),
    )
    await rig.discard()
  },
}
