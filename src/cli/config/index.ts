import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import { FILE_KINDS, FILE_NAMES, type FileKind, projectFile } from '../../config/paths.ts'
import type { StoredVersion } from '../../config/stored.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type ConfigOptions, withConfigOptions } from '../shared/config-options.ts'
import { recordTrust } from '../../config/trust/record-trust.ts'
import { thisPerson } from '../shared/files/change-files.ts'
import { toVersion } from '../shared/terminal/option-values.ts'
import { withStorage } from '../shared/with-database.ts'
import { reportPushed } from '../history/report-pushed.ts'
import { printJson } from '../shared/terminal/print-json.ts'

type Texts = StoredVersion['texts']

/** `portolan config …`: the configuration that a team's replicas read from their database. */
export function registerConfig(program: Command): void {
  const config = program
    .command('config')
    .description('manage the configuration that replicas share through PORTOLAN_DATABASE_URL')
  registerPush(config)
  registerPull(config)
  registerLook(config)
}

function registerPush(config: Command): void {
  withConfigOptions(withAuthor(config.command('push')))
    .description('check the files, and store them as the next version')
    .option('--expect <version>', 'refuse if this is not the newest version', toVersion)
    .option('--remove <kinds>', 'remove the stored mcp, rules or settings', toKinds)
    .option('--force', 'push values that look like secrets')
    .action(async (flags) => {
      const { pushConfig } = await import('../../replicas/database/push-config.ts')
      const texts = filesOf(flags)
      if (Object.keys(texts).length === 0 && !flags.remove)
        throw invalid('There is no file to push', 'Run it where the files are, or name them.')
      const pushed = await withStorage(async (storage) =>
        pushConfig(storage, { ...flags, ...byWhom(flags), texts }, process.env),
      )
      reportPushed(pushed)
    })
  withAuthor(config.command('rollback'))
    .description(
      'store an earlier version again, as the next version; portolan rollback does it too',
    )
    .argument('<version>', 'number of the version', toVersion)
    .action(async (version, flags) => {
      const { rollBack } = await import('../history/run-history.ts')
      await rollBack(version, { ...flags, shared: true })
    })
}

function registerPull(config: Command): void {
  config
    .command('pull')
    .description('write the files of a version into a folder')
    .argument('[version]', 'by default the newest', toVersion)
    .option('--to <folder>', 'folder to write to', '.')
    .option('--force', 'overwrite files with other content')
    .action(async (version, { to, force }) => {
      const { texts, version: found } = await versionOf(version)
      const files = FILE_KINDS.flatMap((kind) => {
        const text = texts[kind]
        return text === undefined ? [] : [{ path: join(to, FILE_NAMES[kind]), text }]
      })
      const other = files.filter(
        ({ path, text }) => existsSync(path) && readFileSync(path, 'utf8') !== text,
      )
      if (other.length > 0 && !force)
        throw invalid(
          `${other.map(({ path }) => path).join(', ')} would be overwritten`,
          'Look at `portolan config diff`, then pull with --force or --to another folder.',
        )
      const { changeFiles } = await import('../shared/files/change-files.ts')
      const place = { cwd: process.cwd(), env: process.env }
      const how = { reason: `config pull ${found}`, files: files.map(({ path }) => path) }
      await changeFiles(place, how, () => {
        for (const { path, text } of files) writeFileSync(path, text)
        recordTrust(place, files, 'trusted')
      })
      process.stderr.write(`Version ${found}: ${files.map(({ path }) => path).join(', ')}\n`)
    })
}

function registerLook(config: Command): void {
  config
    .command('show')
    .description('print the files of a version')
    .argument('[version]', 'by default the newest', toVersion)
    .option('--json', 'print them as JSON')
    .action(async (version, { json }) => {
      const found = await versionOf(version)
      if (json) printJson(found)
      else
        for (const kind of FILE_KINDS)
          if (found.texts[kind] !== undefined)
            process.stdout.write(`=== ${FILE_NAMES[kind]}\n${found.texts[kind].trimEnd()}\n`)
    })
  withConfigOptions(config.command('diff'))
    .description(
      'show the differences between two versions, or between a version and the files here',
    )
    .argument('[from]', 'a version; by default the newest', toVersion)
    .argument('[to]', 'a version; by default the files here', toVersion)
    .action(async (from, to, flags) => {
      const { lineDiff } = await import('../../base/text/line-diff.ts')
      const before = await versionOf(from)
      const after = to === undefined ? filesOf(flags) : (await versionOf(to)).texts
      for (const kind of FILE_KINDS) {
        const [old, fresh] = [before.texts[kind], after[kind]]
        // A missing file would not be pushed, so it is no difference.
        if (old === fresh || (to === undefined && fresh === undefined)) continue
        process.stdout.write(`=== ${FILE_NAMES[kind]}\n`)
        for (const line of lineDiff(old ?? '', fresh ?? '')) process.stdout.write(`${line}\n`)
        process.exitCode = 1
      }
    })
  config
    .command('history')
    .description('list the versions, newest first; portolan history does it too')
    .option('-l, --limit <count>', 'how many', toVersion, 20)
    .option('--json', 'print them as JSON')
    .action(async (flags) => {
      const { showHistory } = await import('../history/run-history.ts')
      await showHistory({ ...flags, shared: true })
    })
}

function withAuthor<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('-m, --message <text>', 'what was changed, and why')
    .option('--author <name>', 'who changed it; by default you, on this machine')
}

function byWhom({ message = '', author }: { message?: string; author?: string | undefined }): {
  message: string
  author: string
} {
  return { message, author: author ?? thisPerson() }
}

/** Reads the named files, or else those of this folder; the user's own are not for a team. */
function filesOf({ mcp, rules, config }: ConfigOptions): Texts {
  const named = { mcp, rules, settings: config }
  const place = { cwd: process.cwd(), env: process.env }
  const isNamed = FILE_KINDS.some((kind) => named[kind] !== undefined)
  return Object.fromEntries(
    FILE_KINDS.flatMap((kind) => {
      const path =
        isNamed && named[kind] === undefined ? undefined : projectFile(kind, place, named[kind])
      return path === undefined ? [] : [[kind, read(path)]]
    }),
  )
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new GatewayError('INVALID_PARAMS', `${path} cannot be read`, {
      hint: cause instanceof Error ? cause.message : undefined,
      cause,
    })
  }
}

async function versionOf(version: number | undefined): Promise<StoredVersion> {
  const [{ mustFindConfig }, { toStoredVersion }] = await Promise.all([
    import('../../replicas/database/push-config.ts'),
    import('../../replicas/database/stored-config.ts'),
  ])
  return withStorage(async (storage) => toStoredVersion(await mustFindConfig(storage, version)))
}

function toKinds(text: string): FileKind[] {
  return text.split(',').map((part) => {
    const kind = FILE_KINDS.find((each) => each === part.trim())
    if (kind) return kind
    throw new InvalidArgumentError('It must be of mcp, rules and settings, separated by commas.')
  })
}

function invalid(message: string, hint: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', message, { hint })
}
