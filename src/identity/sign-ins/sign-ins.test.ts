import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { Server } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { CALLBACK, signInsTo } from '../../../test/support/sign-in/sign-ins-to.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openVault } from '../vault/open-vault.ts'
import { SignIns } from './sign-ins.ts'

/** Sockets of this process that wait for connections. */
function listening(): number {
  const sockets = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1]]
    } catch {
      return [] // Closed since it was listed.
    }
  })
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)
  const LISTEN = '0A'
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTEN && sockets.includes(inode)).length
}

it.runIf(process.platform === 'linux')(
  'a sign-in that cannot begin leaves no page behind that waits for it',
  async () => {
    const http = createServer((_, response) => response.writeHead(500).end())
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      http.closeAllConnections()
      http.close()
    })
    const address = http.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
    const oauth = { tokens: 'per-person', grant: 'authorization_code' } as const
    const signIns = new SignIns({
      vault: openVault(tempFolder().path, { PORTOLAN_KEYRING: 'off' }),
      learn: () => undefined,
      hide: String,
      onSignedIn: () => undefined,
    })
    const before = listening()
    const signIn = signIns.of({ name: 'one', url, oauth }, 'ada')
    const refusal = { status: 401, challenge: undefined, sent: undefined, again: false }
    const failure = { code: 'SERVER_UNAVAILABLE', message: expect.stringContaining('not possible') }
    await expect(signIn.refused(refusal)).rejects.toMatchObject(failure)
    await expect(signIns.addressFor(signIn)).rejects.toMatchObject(failure)
    await expect.poll(listening).toBe(before)
  },
)

it('a sign-in that cannot begin takes no page from another that waits', async () => {
  const { idp, signIns, of, server, signedIn } = await signInsTo()
  const address = new URL(await signIns.addressFor(of('ada')))
  const silent = { ...server, name: 'silent', url: 'http://127.0.0.1:1/mcp' }
  await expect(signIns.addressFor(signIns.of(silent, 'bob'))).rejects.toThrow("server 'silent'")
  const page = address.searchParams.get('redirect_uri')
  expect((await fetch(`${page}?${idp.approve(address).toString()}`)).status).toBe(200)
  expect(signedIn).toEqual(['mail ada'])
})

it('a person has one sign-in to a server, which is another after its entry was changed', async () => {
  const { signIns, of, server } = await signInsTo()
  const ada = of('ada')
  expect(of('ada')).toBe(ada)
  expect(of('bob')).not.toBe(ada)
  const other = { ...server, name: 'other' }
  const servers = new Map([server, other].map((one) => [one.name, one]))
  signIns.adopt(servers)
  expect(signIns.servers).toBe(servers)
  expect(of('ada'), 'the same entry').toBe(ada)
  const changed = { ...server }
  signIns.adopt(new Map([[changed.name, changed]]))
  const now = signIns.of(changed, 'ada')
  expect(now).not.toBe(ada)
  expect(now.server).toBe(changed)
})

it('the secret of a sign-in is hidden from its beginning on', async () => {
  const { arrive, learnt, forms } = await signInsTo()
  await arrive('ada')
  const verifier = forms('authorization_code')[0]?.get('code_verifier')
  expect(learnt).toEqual([verifier, 'access-1', 'refresh-1'])
})

it('sign-ins that nobody ended are removed after ten minutes, and those that wait are not', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { idp, aProcess, aVault, of } = await signInsTo()
  const vault = aVault()
  let looked = 0
  const signIns = aProcess({
    record: (name) => vault.record(name),
    async names(prefix) {
      looked += 1
      return vault.names(prefix)
    },
  })
  const begin = async (person: string) =>
    signIns.begin(of(person, signIns), { callbackUrl: CALLBACK })
  const waiting = async () => (await vault.names('pending.')).length
  await begin('ada')
  vi.setSystemTime(Date.now() + 10 * 60_000 - 1)
  const address = await begin('bob')
  expect([await waiting(), looked]).toEqual([2, 1])
  vi.setSystemTime(Date.now() + 1)
  await begin('eve')
  await expect.poll(waiting, { timeout: 20_000 }).toBe(2)
  expect(looked).toBe(2)
  expect((await signIns.finish(idp.approve(address), undefined)).ok).toBe(true)
})

it('the page for browsers is tried again after it could not be opened', async () => {
  const { idp, signIns, of } = await signInsTo()
  const listen = vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function fail(
    this: Server,
  ) {
    process.nextTick(() => this.emit('error', new Error('too many open files')))
    return this
  })
  onTestFinished(() => listen.mockRestore())
  await expect(signIns.addressFor(of('ada'))).rejects.toThrow('too many open files')
  expect(new URL(await signIns.addressFor(of('ada'))).origin).toBe(idp.origin)
})
