import { startMailServer } from '../../test/support/mail-server.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { signInTo } from './sign-ins.ts'
import { bearing } from './users.ts'

const PEOPLE = ['ada', 'eve'] as const
const ENTRIES = ['home', 'work'] as const

/** Two entries for one URL, and two people with an account for each: four sign-ins, no crossing. */
export const accountsAtOneUrl: Attack = {
  name: 'accounts at one URL',
  async run(field) {
    const ends: (() => unknown)[] = []
    // A short life, so that the tokens are renewed while calls run.
    const options = { tokenSeconds: 4, slowMs: 20 }
    const mail = await startMailServer((end) => void ends.push(end), options)
    const entry = { url: mail.url }
    const rig = await Rig.open({
      servers: { home: entry, work: entry },
      settings: { auth: { required: true } },
      env: { PORTOLAN_KEYRING: 'off' },
    })
    const keys = { ada: rig.keyOf('ada'), eve: rig.keyOf('eve') }
    const whoami = async (person: (typeof PEOPLE)[number], at: (typeof ENTRIES)[number]) => {
      const text = await rig.call(`${at}__whoami`, {}, bearing(keys[person]))
      return /you are ([\w.]+)/.exec(text)?.[1]
    }
    try {
      await signInTo('home', 'ada.home', rig, keys.ada)
      await field.try(
        'a sign-in to one entry is none to the other',
        async () =>
          (await whoami('ada', 'home')) === 'ada.home' &&
          (await whoami('ada', 'work')) === undefined,
      )
      await signInTo('work', 'ada.work', rig, keys.ada)
      for (const at of ENTRIES) await signInTo(at, `eve.${at}`, rig, keys.eve)
      const pairs = PEOPLE.flatMap((person) => ENTRIES.map((at) => [person, at] as const))
      for (const [person, at] of pairs)
        await field.try(
          `${person} at ${at} is that account`,
          async () => (await whoami(person, at)) === `${person}.${at}`,
        )
      const wrong: string[] = []
      const until = Date.now() + 12_000
      for (let round = 0; Date.now() < until; round += 1)
        await Promise.all(
          Array.from({ length: 16 }, async (_, n) => {
            const [person = 'ada', at = 'home'] = pairs[(n + round) % pairs.length] ?? []
            const found = await whoami(person, at)
            if (found !== undefined && found !== `${person}.${at}`)
              wrong.push(`${person} at ${at} was ${found}`)
          }),
        )
      await field.try(
        `no call is another account’s while tokens are renewed ${wrong[0] ?? ''}`,
        () => wrong.length === 0,
      )
      await field.try('tokens were renewed meanwhile', () => mail.counts.refreshes > 4)
    } finally {
      await rig.discard()
      for (const end of ends) await end()
    }
  },
}
