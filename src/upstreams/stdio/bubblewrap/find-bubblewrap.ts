import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { hasCode, messageOf } from '../../../base/errors.ts'
import { ISOLATION } from './to-arguments.ts'

const run = promisify(execFile)

/** Whether this machine can run a program in a sandbox, or why not. */
export type Bubblewrap =
  | { readonly flags: readonly string[] }
  | { readonly why: string; readonly nextStep: string }

const TRIAL = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--', 'true']
/** Inside, the kernel offers less to attack without it. Debian's bubblewrap has it since 0.8. */
const NO_NAMESPACES = '--disable-userns'
const TRIAL_MS = 10_000

let found: Bubblewrap | undefined

/** Tries a sandbox once. A failure is tried again, as a person may install what is missing. */
export async function findBubblewrap(): Promise<Bubblewrap> {
  if (found && 'flags' in found) return found
  found = await tryBubblewrap()
  return found
}

async function tryBubblewrap(): Promise<Bubblewrap> {
  if (process.platform !== 'linux')
    return {
      why: 'a sandbox needs Linux',
      nextStep: 'Remove "sandbox" from its entry if you trust the server, or run it on Linux.',
    }
  try {
    return { flags: await firstThatRuns([[...ISOLATION, NO_NAMESPACES], ISOLATION]) }
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      return {
        why: 'bubblewrap is not installed',
        nextStep:
          'Install it (apt install bubblewrap, dnf install bubblewrap), or remove "sandbox" from its entry if you trust the server.',
      }
    const [line = messageOf(error)] = /^bwrap: .*/m.exec(messageOf(error)) ?? []
    return {
      why: `this machine allows no sandbox: ${line}`,
      nextStep:
        'Allow unprivileged user namespaces (Ubuntu: an AppArmor profile for bwrap; a container: --security-opt seccomp=unconfined --security-opt systempaths=unconfined), or remove "sandbox" from its entry if you trust the server.',
    }
  }
}

async function firstThatRuns(choices: readonly (readonly string[])[]): Promise<readonly string[]> {
  let failure: unknown
  for (const flags of choices)
    try {
      await run('bwrap', [...flags, ...TRIAL], { timeout: TRIAL_MS })
      return flags
    } catch (error) {
      failure ??= error
    }
  throw failure
}
