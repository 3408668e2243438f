/**
 * Attacks a gateway without end, as the agent `mallory`. A process of its own, because what its
 * clients receive would otherwise delay the client that is measured.
 *
 *   tsx bench/attack/attacker.ts <url> <attack>
 */
import { HOSTILE_SCRIPTS } from '../../test/support/hostile-scripts.ts'
import { Sender } from './sender.ts'

const [url = '', name = ''] = process.argv.slice(2)
const CLIENTS = 8
const gateway = new Sender(url)
const AGENT = { agent: 'mallory' }
let next = 0

const ATTACKS: Readonly<Record<string, () => Promise<string>>> = {
  'calls that never end': async () =>
    gateway.call('shared__hang', {}, { ...AGENT, timeoutMs: 2_000 }),
  'large results': async () => gateway.call('shared__large', { lines: 20_000 }, AGENT),
  'calls that are refused': async () => gateway.call('shared__nothing', {}, AGENT),
  'tiny timeouts': async () =>
    gateway.call(
      'execute_tool',
      { server: 'shared', tool: 'large', args: {}, timeout_ms: 1 },
      AGENT,
    ),
  'hostile scripts': async () => {
    const { source } = HOSTILE_SCRIPTS[next++ % HOSTILE_SCRIPTS.length] ?? { source: '' }
    return gateway.call('run_script', { code: source }, AGENT)
  },
}

const attack = ATTACKS[name]
if (!attack) throw new Error(`There is no attack '${name}'`)
console.log('attacking')
await Promise.all(
  Array.from({ length: CLIENTS }, async () => {
    for (;;) await attack().catch(() => undefined)
  }),
)
