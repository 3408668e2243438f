import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
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
