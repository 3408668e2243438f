import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openStorage } from '../../storage/open-storage.ts'
import { createFileKeyStore } from '../file-key-store.ts'
import { sealFromEnvironment } from '../vault/seal.ts'
import { loadServerSecrets } from './server/server-secrets.ts'
import { createSignIn } from './sign-in.ts'

it('a sign-in that cannot open closes the storage that it has opened', async () => {
  const folder = tempFolder()
  const home = folder.file('data')
  const first = await openStorage({ home })
  await loadServerSecrets(first, sealFromEnvironment({ PORTOLAN_SECRET_KEY: 'one' }))
  await first.close()
  let open = 0
  const signIn = createSignIn({
    settings: {
      listen: { path: '/mcp', publicUrl: 'https://mcp.example.com' },
      auth: {
        server: {
          enabled: true,
          registration: true,
          privateHosts: [],
          accessTokenMs: 3_600_000,
          refreshTokenMs: 3_600_000,
        },
      },
    },
    mode: 'embedded',
    keys: createFileKeyStore(folder.file('keys.json')),
    async openStorage() {
      const storage = await openStorage({ home })
      open += 1
      return {
        ...storage,
        async close() {
          open -= 1
          await storage.close()
        },
      }
    },
    seal: sealFromEnvironment({ PORTOLAN_SECRET_KEY: 'another' }),
    roles: () => ({ adminGroups: [], viewerGroups: [] }),
    sessionCookie: () => '',
    changes: undefined,
    serversOf: () => [],
    onAttempt: () => undefined,
  })
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(signIn.people?.accounts()).rejects.toThrow('cannot be read')
  expect(open).toBe(0)
  await signIn.close()
})
