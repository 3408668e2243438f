import { execFile } from 'node:child_process'
import type { Environment } from '../../base/environment.ts'

/** The keyring of the operating system, used through its command-line tool. */
export interface Keyring {
  read(account: string): Promise<string | undefined>
  /** Returns whether it was stored. */
  write(account: string, secret: string): Promise<boolean>
}

const SERVICE = 'portolan'
/** A locked keyring asks the user, which the start of a gateway must not wait for. */
const ANSWER_MS = 3_000

/** Returns undefined if there is none, as on a server without a desktop session. */
export function findKeyring(env: Environment, platform = process.platform): Keyring | undefined {
  if (env['PORTOLAN_KEYRING'] === 'off') return undefined
  if (platform === 'darwin') return macKeychain
  return platform === 'linux' && env['DBUS_SESSION_BUS_ADDRESS'] ? secretService : undefined
}

const secretService: Keyring = {
  read: async (account) => ask('secret-tool', ['lookup', 'service', SERVICE, 'account', account]),
  async write(account, secret) {
    const label = `--label=Portolan vault (${account})`
    const args = ['store', label, 'service', SERVICE, 'account', account]
    return (await ask('secret-tool', args, secret)) !== undefined
  },
}

const macKeychain: Keyring = {
  read: async (account) =>
    ask('security', ['find-generic-password', '-s', SERVICE, '-a', account, '-w']),
  async write(account, secret) {
    // The command goes to stdin, because other users can see the arguments of a process.
    const line = `add-generic-password -U -s ${SERVICE} -a "${account}" -w "${secret}"\n`
    return (await ask('security', ['-i'], line)) !== undefined
  },
}

/** Returns what a command prints, or undefined if it is missing, fails or takes too long. */
async function ask(program: string, args: string[], input = ''): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: ANSWER_MS }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim()),
    )
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
