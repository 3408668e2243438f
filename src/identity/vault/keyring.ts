import { execFile } from 'node:child_process'
import type { Environment } from '../../base/environment.ts'

/** The keyring of the operating system, through the command that comes with it. */
export interface Keyring {
  read(account: string): Promise<string | undefined>
  /** Whether it was stored. */
  write(account: string, secret: string): Promise<boolean>
}

const SERVICE = 'portolan'
/** A keyring that is locked asks the user; a gateway that starts must not wait for that. */
const ANSWER_MS = 3_000

/** Undefined where there is none, such as on a server without a desktop session. */
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
    // Commands on its stdin, because other users can see the arguments of a process.
    const line = `add-generic-password -U -s ${SERVICE} -a "${account}" -w "${secret}"\n`
    return (await ask('security', ['-i'], line)) !== undefined
  },
}

/** What a command prints, or undefined where it is missing, fails or takes too long. */
async function ask(program: string, args: string[], input = ''): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: ANSWER_MS }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim()),
    )
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
