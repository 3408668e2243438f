import { expect, it } from 'vitest'
import { aClient, anUpstream } from '../../../test/support/a-call.ts'
import { TOOLS, aServer as aSupervised } from '../../../test/support/a-supervised.ts'
import { aLink } from '../../../test/support/a-link.ts'
import { deferred } from '../../../test/support/deferred.ts'
import { SignInNeeded } from '../../gateway/questions/sign-in-needed.ts'
import { Personal } from './personal.ts'

const wantsSignIn = () => new SignInNeeded('a', 'wants you to sign in')

/**
 * A server whose first connection hangs and whose later ones without a person are refused. Only
 * `signedIn` have a sign-in; everybody else is refused as well.
 */
function aServer(signedIn: readonly string[]) {
  const hanging = deferred<never>()
  const used: (string | undefined)[] = []
  let count = 0
  const connect = (person: string | undefined) => {
    if (person !== undefined && signedIn.includes(person)) {
      const answers = { ...TOOLS, 'tools/call': () => (used.push(person), { by: person }) }
      return aLink({}, answers)
    }
    if (person !== undefined || ++count > 1) throw wantsSignIn()
    return hanging.promise
  }
  const server = new Personal({
    name: 'a',
    kind: 'http',
    description: undefined,
    open: (person) => aSupervised(async () => connect(person), { session: 'per-session' }).server,
    store: () => ({ load: () => undefined, save: () => undefined }),
    signIn: (person) => ({
      generation: () => (signedIn.includes(person) ? '1' : undefined),
      address: async () => `https://gateway.example/for/${person}`,
      completed: async () => false,
    }),
    nameFor: (person) => person,
    isPersonal: false,
  })
  return { server, used }
}

const context = (session: string) => ({
  client: aClient({ session }),
  signal: new AbortController().signal,
  agent: undefined,
})

it('sends a waiting call again as its own person when another learns that a sign-in is wanted', async () => {
  const { server, used } = aServer(['local'])
  const ada = server.as('user:ada').request('tools/call', {}, context('ada'))
  const bob = server.as('user:bob').request('tools/call', {}, context('bob'))
  const [ofAda, ofBob] = await Promise.allSettled([ada, bob])
  expect([ofAda, ofBob]).toMatchObject(
    ['ada', 'bob'].map((name) => ({
      status: 'rejected',
      reason: {
        code: 'SIGN_IN_REQUIRED',
        details: { hint: expect.stringContaining(`https://gateway.example/for/user:${name}`) },
      },
    })),
  )
  expect(used).toEqual([])
})

it('uses nobody’s sign-in for a request without a person', async () => {
  const { server, used } = aServer(['local'])
  server.sawSignIn()
  for (const ask of [
    async () => server.request('tools/call', {}, context('eve')),
    async () => server.list({ client: aClient() }),
    async () => server.watch('x:y', aClient()),
  ])
    await expect(ask()).rejects.toMatchObject({ code: 'SIGN_IN_REQUIRED' })
  expect(used).toEqual([])
})

it('watches nothing in the name of this machine for a client that watched without a person', async () => {
  const watched: string[] = []
  const server = new Personal({
    name: 'a',
    kind: 'http',
    description: undefined,
    open: (person) =>
      person === undefined
        ? aSupervised(() => aLink({}, TOOLS)).server
        : anUpstream({ watch: async (uri) => (watched.push(`${person} ${uri}`), () => {}) }),
    store: () => ({ load: () => undefined, save: () => undefined }),
    signIn: () => ({
      generation: () => undefined,
      address: async () => undefined,
      completed: async () => false,
    }),
    nameFor: (person) => person,
    isPersonal: false,
  })
  await server.as('user:ada').watch('x:diary', aClient())
  server.sawSignIn()
  await new Promise((resolve) => setImmediate(resolve))
  expect(watched).toEqual([])
})
