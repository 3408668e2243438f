import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { loginCookie } from '../../../src/dashboard/access/cookie.ts'
import { createFileKeyStore } from '../../../src/identity/file-key-store.ts'
import {
  type SignIn,
  type SignInAttempt,
  type SignInOptions,
  createSignIn,
} from '../../../src/identity/incoming/sign-in.ts'
import type { SignInSettings } from '../../../src/identity/incoming/sign-in-mode.ts'
import { createUsers } from '../../../src/identity/incoming/accounts/users.ts'
import { sealFromEnvironment } from '../../../src/identity/vault/seal.ts'
import { openStorage } from '../../../src/storage/open-storage.ts'
import { tempFolder } from '../temp-folder.ts'

export interface OpenedSignIn {
  readonly url: string
  readonly signIn: SignIn
  readonly keys: ReturnType<typeof createFileKeyStore>
  /** The key of agent `ada`. */
  readonly key: string
  readonly users: ReturnType<typeof createUsers>
  /** The sign-in attempts so far. */
  readonly attempts: readonly SignInAttempt[]
  readonly storage: Awaited<ReturnType<typeof openStorage>>
}

export interface SignInWanted {
  /** The provider of the team, which must know the gateway's address. */
  readonly provider?: (url: string) => Promise<SignInSettings['auth']['provider']>
  readonly registration?: boolean
  readonly mode?: SignInOptions['mode']
  readonly serversOf?: SignInOptions['serversOf']
  readonly roles?: ReturnType<SignInOptions['roles']>
}

/** Opens only the pages and endpoints of sign-in, in this process, on loopback. */
export async function openSignIn(wanted: SignInWanted = {}): Promise<OpenedSignIn> {
  const folder = tempFolder()
  const storage = await openStorage({ home: folder.file('data') })
  const keys = createFileKeyStore(folder.file('keys.json'))
  const { secret } = await keys.create('ada')
  const attempts: SignInAttempt[] = []
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = http.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const signIn = createSignIn({
    settings: {
      listen: { path: '/mcp' },
      auth: {
        server: {
          enabled: true,
          registration: wanted.registration ?? true,
          privateHosts: [],
          accessTokenMs: 3_600_000,
          refreshTokenMs: 30 * 86_400_000,
        },
        provider: await wanted.provider?.(url),
      },
    },
    mode: wanted.mode ?? 'embedded',
    keys,
    openStorage: async () => storage,
    seal: sealFromEnvironment({ PORTOLAN_SECRET_KEY: 'a key for tests' }),
    roles: () => wanted.roles ?? { adminGroups: ['ops'], viewerGroups: ['staff'] },
    sessionCookie: loginCookie,
    changes: undefined,
    serversOf: wanted.serversOf ?? (() => []),
    onAttempt: (attempt) => void attempts.push(attempt),
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!(await signIn.handle(request, response))) response.writeHead(404).end('not for sign-in')
  }
  http.on('request', (request, response) => void answer(request, response))
  onTestFinished(async () => {
    http.close()
    http.closeAllConnections()
    await signIn.close()
  })
  signIn.listenAt(url)
  return { url, signIn, keys, key: secret, users: createUsers(storage), storage, attempts }
}
