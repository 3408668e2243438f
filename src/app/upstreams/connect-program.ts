import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { untilAborted } from '../../base/flow/time.ts'
import { dataFolder } from '../../config/paths.ts'
import { pinnablePackage } from '../../config/servers/npm-package.ts'
import type { StdioServer } from '../../config/servers/servers.ts'
import type { Settings } from '../../config/settings/settings.ts'
import type { Connect } from '../../upstreams/link.ts'
import { NoSandbox } from '../../upstreams/stdio/bubblewrap/sandbox.ts'
import { PackageError } from '../../upstreams/stdio/packages/package-error.ts'
import { type StdioOptions, connectStdio } from '../../upstreams/stdio/connect-stdio.ts'
import { secretReferencesIn } from '../../config/secrets/secret-references.ts'
import { filled, type People } from './people.ts'
import type { SecretReader } from './secret-reader.ts'
import type { PoolUser } from './upstream-pool.ts'

export interface ProgramOptions {
  readonly config: StdioServer
  readonly settings: Settings
  readonly user: PoolUser
  readonly read: SecretReader
  readonly person: string | undefined
  readonly people: People
}

/** Connects to the program of an entry: with the keys of a person, and in its sandbox. */
export function connectProgram(options: ProgramOptions): Connect {
  const { config, settings, user, read, person, people } = options
  const { maxFrameBytes } = settings.upstreams
  const program = { ...config, cwd: config.cwd, inherits: user.place.env, maxFrameBytes }
  const connect = (filledIn: StdioOptions): Connect =>
    pinnablePackage(config.command, config.args)
      ? fromPackage(filledIn, options)
      : start(filledIn, options)
  if (config.userKeys.length + secretReferencesIn(config).length === 0) return connect(program)
  return async (...how) => {
    // Before the keys of people, in which nothing is a reference.
    const { args, env: variables } = await read({ args: config.args, env: config.env })
    const env = await filled(variables, config, person, people.keys)
    return connect({ ...program, args, env })(...how)
  }
}

function start(program: StdioOptions, options: ProgramOptions, packageFolder?: string): Connect {
  return options.config.sandbox ? inSandbox(program, options, packageFolder) : connectStdio(program)
}

/** Starts a package from where it is installed, without npx. */
function fromPackage(program: StdioOptions, options: ProgramOptions): Connect {
  const { config, settings } = options
  return async (events, how) => {
    // Only entries with npx need it.
    const { openPackage } = await import('../../upstreams/stdio/packages/open-package.ts')
    const wanted = pinnablePackage(config.command, config.args)
    if (!wanted) return start(program, options)(events, how)
    const log = events.log.bind(events)
    const { name: server, locked } = config
    const opening = openPackage({ server, wanted, locked, program, home: settings.home, log })
    const opened = await untilAborted(opening, how.signal).catch((error: unknown) => {
      if (error instanceof PackageError) log(error.message, error.nextStep)
      throw error
    })
    if (!opened) return start(program, options)(events, how)
    const { packageFolder } = opened
    return start({ ...program, ...opened.program }, options, packageFolder)(events, how)
  }
}

function inSandbox(
  program: StdioOptions,
  { config, settings, user, person }: ProgramOptions,
  packageFolder: string | undefined,
): Connect {
  const key = createHash('sha256').update(JSON.stringify([config.name, config.cwd, person]))
  return async (events, how) => {
    // Most gateways have no server in a sandbox.
    const { openSandbox } = await import('../../upstreams/stdio/bubblewrap/open-sandbox.ts')
    const { sandbox } = config
    if (!sandbox) return connectStdio(program)(events, how)
    const request = {
      program,
      sandbox,
      ownFolders: [settings.home, dataFolder(user.place)],
      cacheFolder: join(settings.home, 'sandboxes', key.copy().digest('hex').slice(0, 16)),
      packageFolder,
    }
    const opened = await openSandbox(request).catch((error: unknown) => {
      if (error instanceof NoSandbox) events.log(error.message, error.nextStep)
      throw error
    })
    const log = (line: string) => events.log(line, opened.adviceFor(line))
    try {
      const link = await connectStdio({ ...program, ...opened.program })({ ...events, log }, how)
      void link.gone.then(() => opened.close())
      return link
    } catch (error) {
      opened.close()
      throw error
    }
  }
}
