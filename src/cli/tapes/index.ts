import type { Command, OptionValues } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import type { Replacement } from '../../upstreams/tapes/clean-values.ts'
import { withRunOptions } from '../serve/index.ts'
import { withConfigOptions } from '../shared/config-options.ts'
import { toPort } from '../shared/serve/choose-transport.ts'

/** Registers `portolan record`, which serves the gateway and records its servers. */
export function registerRecord(program: Command): void {
  const command = program
    .command('record')
    .description(
      'serve the gateway and record what its servers answer: `record shop.jsonl -- npm test`',
    )
  withTapeOptions(command).action(async (path, client, flags) => {
    const [{ recordTape }, { serveTape }] = await Promise.all([
      import('../../app/tapes/tape-run.ts'),
      import('./serve-tape.ts'),
    ])
    await serveTape(recordTape(path, { replacements: flags.replace }), flags, client)
  })
}

/** Registers `portolan replay`, which serves a gateway whose servers are a tape. */
export function registerReplay(program: Command): void {
  const command = program
    .command('replay')
    .description('serve a gateway whose servers are a tape: no programs, no network')
  withTapeOptions(command)
    .option(
      '--ignore <path...>',
      'arguments that may differ, such as query.requestId; may be patterns',
    )
    .option('--times', 'let any date and time in arguments stand for any other')
    .option('--record-missing', 'ask the real servers what is not on the tape, and add it')
    .action(async (path, client, { ignore, times, recordMissing, replace, ...flags }) => {
      const [{ replayTape }, { serveTape }] = await Promise.all([
        import('../../app/tapes/tape-run.ts'),
        import('./serve-tape.ts'),
      ])
      const tape = replayTape(path, {
        ignore,
        times,
        replacements: replace,
        recordsMissing: recordMissing,
      })
      await serveTape(tape, flags, client)
    })
}

function withTapeOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withConfigOptions(withRunOptions(command))
    .argument('<tape>', 'the file, such as tapes/shop.jsonl')
    .argument('[client...]', 'a command that uses the gateway, after --; the gateway ends with it')
    .option('--replace <old=new...>', 'texts that the tape has in place of others', addReplacement)
    .option('--port <port>', 'port to listen on, 0 for any free one', toPort)
    .option('--host <address>', 'address to bind')
}

function addReplacement(text: string, before: Replacement[] = []): Replacement[] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Write it as old=new.')
  return [...before, { from: text.slice(0, at), to: text.slice(at + 1) }]
}
