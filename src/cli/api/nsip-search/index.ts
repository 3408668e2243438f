import type { Command } from 'commander'
import { GatewayError } from '../../../gateway/errors.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { VERSION } from '../../../base/version.ts'
import { numberBetween } from '../../shared/terminal/option-values.ts'
import type { NsipSource } from './ask-nsip.ts'
import type { Render } from './render.ts'

interface Flags extends NsipSource {
  readonly json?: true
}

/** The exit code shells expect for wrong usage. */
const WRONG_USAGE = 2

/** Defines the commands that search the NSIP database: `breeds`, `search <lpn>`, `find`. */
export function defineNsipSearch(command: Command): Command {
  command
    .description('search the sheep of the National Sheep Improvement Program')
    .version(VERSION)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE))
  withSource(command.command('breeds'))
    .description('list the breeds and their ids')
    .action(async (flags: Flags) => answer('nsip_list_breeds', {}, flags, 'breeds'))
  withSource(command.command('search'))
    .description('show an animal with its breeding values, parents and owner')
    .argument('<lpn>', 'LPN id or registration number')
    .option('--full', 'include its pedigree and offspring')
    .action(async (lpn: string, flags: Flags & { full?: true }) =>
      flags.full
        ? answer('nsip_search_by_lpn', { lpn_id: lpn }, flags, 'profile')
        : answer('nsip_get_animal', { search_string: lpn }, flags, 'animal'),
    )
  withSource(command.command('find'))
    .description('list animals, page by page')
    .option('--breed-id <id>', 'only animals of this breed', numberBetween(1, 1_000_000))
    .option('--page <number>', 'page number, from 0', numberBetween(0, 1_000_000), 0)
    .option('--page-size <number>', 'animals per page, at most 100', numberBetween(1, 100), 15)
    .action(async (flags: Flags & { breedId?: number; page: number; pageSize: number }) => {
      const { breedId, page, pageSize } = flags
      const args = {
        page,
        page_size: pageSize,
        ...(breedId !== undefined && { breed_id: breedId }),
      }
      return answer('nsip_search_animals', args, flags, 'page')
    })
  return command
}

function withSource(command: Command): Command {
  return command
    .option('--json', 'print the answer as JSON')
    .option('--demo', 'use a built-in synthetic server instead of the real API')
    .option('--base-url <url>', 'address to use instead of the public one')
    .option('--allow-private', 'allow private and loopback addresses')
}

async function answer(
  tool: string,
  args: JsonObject,
  { json, ...source }: Flags,
  kind: keyof Render,
): Promise<void> {
  const [{ askNsip }, { render }, { printJson }, { loadSettings }] = await Promise.all([
    import('./ask-nsip.ts'),
    import('./render.ts'),
    import('../../shared/terminal/print-json.ts'),
    import('../../../config/load.ts'),
  ])
  try {
    const { home } = loadSettings({ env: process.env })
    const value = await askNsip(tool, args, { ...source, home })
    if (json) printJson(value)
    else process.stdout.write(render[kind](value))
  } catch (error) {
    const { reportFailure } = await import('../../report-failure.ts')
    reportFailure(error)
    const isUsage = error instanceof GatewayError && error.code === 'INVALID_PARAMS'
    if (isUsage) process.exitCode = WRONG_USAGE
  }
}
