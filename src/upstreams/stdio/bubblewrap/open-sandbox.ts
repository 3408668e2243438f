import { inheritedFrom, variablesFrom } from '../../../base/inherited.ts'
import type { ChildOptions } from '../child.ts'
import { adviceFor } from './advice.ts'
import { findBubblewrap } from './find-bubblewrap.ts'
import { mountsFor } from './mounts.ts'
import { openNetwork } from './open-network.ts'
import { presetsOf } from './presets.ts'
import { homeOf } from './program-places.ts'
import { NoSandbox, type SandboxRequest } from './sandbox.ts'
import { toArguments } from './to-arguments.ts'

/** A program in its sandbox, not yet started. */
export interface OpenSandbox {
  readonly program: ChildOptions
  /** What in the entry would allow what a line of the program's output says was refused. */
  adviceFor(line: string): string | undefined
  close(): void
}

/** Variables that lead to the desktop, to other folders or, with a list of hosts, past the list. */
const WITHHELD = /^(?:XDG_|DISPLAY$|WAYLAND_|XAUTHORITY$|DBUS_|TMPDIR$|TEMP$)/
const PROXIES = /_proxy$/i

/** Prepares a sandbox; throws if this machine cannot have one: nothing starts without it. */
export async function openSandbox(request: SandboxRequest): Promise<OpenSandbox> {
  const { program, sandbox, cacheFolder, ownFolders } = request
  const bubblewrap = await findBubblewrap()
  if ('why' in bubblewrap)
    throw new NoSandbox(`its entry asks for a sandbox, and ${bubblewrap.why}`, bubblewrap.nextStep)
  const env = program.inherits ?? process.env
  const home = homeOf(env)
  const mounts = mountsFor(request)
  const network =
    typeof sandbox.network === 'string' ? undefined : await openNetwork(sandbox.network, env)
  const inside = [
    ...bubblewrap.flags,
    ...(network?.flags ?? []),
    ...toArguments({
      mounts,
      home,
      cwd: program.cwd ?? process.cwd(),
      cacheFolder,
      network: sandbox.network === 'none' ? 'none' : 'shared',
      files: network?.files,
    }),
    '--',
    program.command,
    ...program.args,
  ]
  const [command = '', ...args] = [...(network?.command ?? []), 'bwrap', ...inside]
  const isWithheld = (name: string) =>
    WITHHELD.test(name) || (sandbox.network !== 'any' && PROXIES.test(name))
  const wanted = presetsOf(program.command, program.args).flatMap((preset) => preset.env ?? [])
  const basics = Object.entries(inheritedFrom(env)).filter(([name]) => !isWithheld(name))
  return {
    program: {
      command,
      args,
      cwd: '/',
      inherits: {},
      env: {
        ...Object.fromEntries(basics),
        HOME: home,
        // Programs keep state here; the rest of the home folder is read-only.
        XDG_CONFIG_HOME: `${home}/.cache/config`,
        XDG_DATA_HOME: `${home}/.cache/data`,
        XDG_STATE_HOME: `${home}/.cache/state`,
        ...variablesFrom(env, [...wanted, ...sandbox.env]),
        ...program.env,
      },
    },
    adviceFor: (line) => adviceFor(line, { sandbox, mounts, ownFolders }),
    close: () => network?.close(),
  }
}
