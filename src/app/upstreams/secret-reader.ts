import { type ChildProcess, execFile } from 'node:child_process'
import { isFolder } from '../../base/files/paths.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { getOrMake } from '../../base/maps.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { type Workspace, homeFolder, userFile } from '../../config/paths.ts'
import {
  type SecretHelpers,
  type SecretReference,
  fillSecrets,
  knownHelpers,
  secretReferencesIn,
} from '../../config/secrets/secret-references.ts'
import type { SecretValues } from '../../base/secrets/secret-values.ts'
import type { Settings } from '../../config/settings/settings.ts'
import { GatewayError } from '../../gateway/errors.ts'

/** Fills `${op:…}` and the like into a part of a server's entry, when the server starts. */
export type SecretReader = <Value>(value: Value) => Promise<Value>

export interface SecretReaderOptions {
  readonly server: string
  /** Those of the settings. */
  readonly helpers: SecretHelpers
  /** Whose variables the helpers get. */
  readonly place: Workspace
  /** How long one helper may take. */
  readonly deadlineMs: number
  /** Called with each value, so that nothing shows it. */
  readonly learn: (values: readonly string[]) => void
}

/** Connections that a server opens together use one answer; a later start asks again. */
const REUSE_MS = 30_000
const MAX_BYTES = 64 * 1024
const MAX_SHOWN = 300

/** The part of the time to connect that a helper may take, so that the reason is reported. */
const HELPER_SHARE = 0.8

/** Returns the reader of one server in a folder. */
export function secretReaderFor(
  server: string,
  { settings, place, secrets }: { settings: Settings; place: Workspace; secrets: SecretValues },
): SecretReader {
  return createSecretReader({
    server,
    place,
    helpers: settings.secrets.helpers,
    deadlineMs: settings.deadlines.connectMs * HELPER_SHARE,
    learn: (values) => secrets.learn(values),
  })
}

/** Creates the reader of one server, which runs each helper once per start. */
export function createSecretReader(options: SecretReaderOptions): SecretReader {
  const { helpers, learn } = options
  const known: SecretHelpers = { ...knownHelpers(), ...helpers }
  const answers = new Map<string, { readonly at: number; readonly value: Promise<string> }>()

  async function read(reference: SecretReference): Promise<string> {
    const { whole } = reference
    const last = answers.get(whole)
    if (last && performance.now() - last.at > REUSE_MS) answers.delete(whole)
    const answer = getOrMake(answers, whole, () => ({
      at: performance.now(),
      value: ask(reference, known, options),
    }))
    return answer.value.catch((error: unknown) => {
      if (answers.get(whole) === answer) answers.delete(whole)
      throw error
    })
  }

  return async (value) => {
    const references = secretReferencesIn(value)
    if (references.length === 0) return value
    const secrets = new Map<string, string>()
    // One after the other: the first may ask the user to unlock a vault.
    // oxlint-disable-next-line no-await-in-loop
    for (const reference of references) secrets.set(reference.whole, await read(reference))
    learn([...secrets.values()])
    return fillSecrets(value, secrets)
  }
}

async function ask(
  { whole, helper, ref }: SecretReference,
  helpers: SecretHelpers,
  { server, place, deadlineMs }: SecretReaderOptions,
): Promise<string> {
  const failed = (why: string, hint: string) =>
    new GatewayError('SERVER_UNAVAILABLE', `Server unavailable: '${server}': ${whole}: ${why}`, {
      hint,
      reason: 'server_unavailable',
    })
  const settings = userFile('settings', place)
  if (!Object.hasOwn(helpers, helper))
    throw failed(
      `there is no helper "${helper}"`,
      `Set secrets.helpers.${helper} in ${settings} to the command that prints the secret, with {ref} for what follows "${helper}:". Known are: ${Object.keys(helpers).join(', ')}.`,
    )
  const [program = '', ...words] = helpers[helper] ?? []
  const args = words.map((word) => word.replaceAll('{ref}', ref))
  const command = [program, ...args].map(shellWord).join(' ')
  const { error, code, stdout, stderr, isLate } = await run(program, args, { place, deadlineMs })
  if (isLate)
    throw failed(
      `${program} did not answer within ${Math.round(deadlineMs / 1000)} s`,
      `It may be waiting for you to unlock it: run \`${command}\` yourself, then \`portolan server restart ${shellWord(server)}\`.`,
    )
  if (code === 'ENOENT' || code === 'EACCES')
    throw failed(
      `the program ${program} cannot be started`,
      `Install it, or give its full path in secrets.helpers.${helper} of ${settings}.`,
    )
  const tryIt = `Run it yourself to see why: ${command}`
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    throw failed(`${program} printed more than ${MAX_BYTES / 1024} KiB`, tryIt)
  if (error) throw failed(`${program} failed${said(stderr) || `: ${error}`}`, tryIt)
  const value = stdout.replace(/\r?\n$/, '')
  if (value === '') throw failed(`${program} printed nothing`, tryIt)
  return value
}

/** Returns the last line that a helper has written to stderr, without secrets. */
function said(stderr: string): string {
  const line = stderr.trim().split('\n').at(-1)?.trim() ?? ''
  return line === '' ? '' : `: ${hide(line).slice(0, MAX_SHOWN)}`
}

interface HelperResult {
  readonly stdout: string
  readonly stderr: string
  readonly error?: string | undefined
  readonly code?: string | number | null | undefined
  readonly isLate?: boolean
}

/** Runs a program without a shell and without input. */
async function run(
  program: string,
  args: readonly string[],
  { place: { env }, deadlineMs }: { place: Workspace; deadlineMs: number },
): Promise<HelperResult> {
  // The home folder: no file of a project takes the place of one of the person's.
  const home = homeFolder(env)
  const cwd = isFolder(home) ? home : undefined
  let child: ChildProcess | undefined
  const ended = new Promise<HelperResult>((resolve) => {
    const options = { env, cwd, maxBuffer: MAX_BYTES, encoding: 'utf8' } as const
    child = execFile(program, args, options, (failure, stdout, stderr) => {
      const error = failure ? `exit code ${failure.code ?? failure.signal}` : undefined
      resolve({ stdout, stderr, error, code: failure?.code })
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end()
  })
  return withTimeout(ended, deadlineMs, () => {
    child?.kill('SIGKILL')
    return { stdout: '', stderr: '', isLate: true }
  })
}
